# Two commands need nothing but Python 3.11+, a C compiler and make: `make demo` and `make test`.
PYTHON ?= python3
CC ?= cc
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
TEST_STAMP := $(VENV)/installed-test
PACKAGE_STAMP := $(VENV)/installed-package
DOCS_STAMP := $(VENV)/installed-docs
TRITON_STAMP := $(VENV)/installed-triton
CLANG_18 := build/clang18/ziglang/zig
# An editable install knows the modules of its day: a new file needs a new install, too.
SOURCES := $(wildcard native/src/*.[ch] native/src/*/*.[ch] native/include/lanescope/*.*h native/include/lanescope/*/*.h viewer/*) CMakeLists.txt pyproject.toml \
	$(shell find src -name '*.py')

.PHONY: demo test lint bench validate stress sanitize fuzz all-checks gpu-test gpu-checks triton-ir mutate portable-test wheels wheels-check docs docs-serve docs-pictures clean

demo: $(STAMP)
	@rm -rf build/demo && mkdir -p build/demo
	$(BIN)/lanescope run paged_attention -o build/demo
	@$(BIN)/lanescope report build/demo/paged_attention.lanes --plots build/demo | tail -1

# The README's picture, made anew from the demo.
docs/demo-waits.svg: demo
	cp build/demo/waits.svg $@

test: lint
	$(BIN)/python -m pytest -n auto -m "not stress and not sanitize and not gpu and not site"

lint: $(TEST_STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

ROUNDS ?= 3
bench: $(TEST_STAMP)
	@failed=0; \
	for b in "foundation --rounds $(ROUNDS)" "large --rounds $(ROUNDS)" "bridges --rounds $(ROUNDS)" record_cost protocol_cost "stream --rounds $(ROUNDS)" sim predict chunks "viewer --rounds $(ROUNDS)" "analyze --rounds $(ROUNDS)" "view_large --rounds 1" fleet what_if; do \
		echo "python -m benchmarks.$$b"; $(BIN)/python -m benchmarks.$$b || failed=1; \
	done; exit $$failed

# Predictions against recorded and published figures, where they are found.
validate: $(TEST_STAMP)
	$(BIN)/python -m validation

# Long runs: damaged inputs under sanitizers, the demo from a fresh clone, recording at 20 M records/s.
SOAK_MINUTES ?= 30
stress: $(TEST_STAMP)
	SOAK_MINUTES=$(SOAK_MINUTES) $(BIN)/python -m pytest -m stress

# The recording protocols and the thread platform under the compiler's sanitizers.
sanitize: $(TEST_STAMP)
	$(BIN)/python -m pytest -n auto -m sanitize

# Damaged inputs for every reader, under sanitizers; what is found lies in build/fuzz/findings.
MINUTES ?= 10
SEED ?= $(shell date +%s)
ONLY ?=
fuzz: $(TEST_STAMP)
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) --seed $(SEED) --only "$(ONLY)"

# Everything, one after the other; what fails does not stop the rest. Takes hours.
SINCE ?= HEAD~10
all-checks: $(TEST_STAMP)
	@$(BIN)/python tools/all_checks.py \
		"test: $(MAKE) test" \
		"sanitize: $(MAKE) sanitize" \
		"stress: $(MAKE) stress SOAK_MINUTES=$(SOAK_MINUTES)" \
		"validate: $(MAKE) validate" \
		"bench: $(MAKE) bench" \
		"fuzz: $(MAKE) fuzz MINUTES=5" \
		"docs: $(MAKE) docs" \
		"mutate: $(MAKE) mutate MUTATE='--changed-since $(SINCE)'"

# Small changes to a copy of the code, and whether a test notices each: tools/mutate. Exit code 1 under 80 % of a
# room or 85 % overall. MUTATE="--room analyze --sample 20 --seed 7", "--changed-since main", "--only-listed".
mutate: $(TEST_STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[mutate]"
	$(BIN)/python -m tools.mutate $(MUTATE)

# Recording inside kernels: needs an NVIDIA GPU and CuPy in the Python that runs it.
gpu-test: $(TEST_STAMP)
	$(BIN)/python -m pytest -m gpu

# All that is measured on a GPU, against its limits, and the GPU tests twice: 10 to 20 minutes. With a Python that has
# CuPy, PyTorch, Triton and what lanescope needs, and a C library in src/lanescope/native.
GPU_PYTHON ?= python3
GPU := PYTHONPATH=src:. $(GPU_PYTHON) -m
GPU_TESTS := $(GPU) pytest -m gpu tests/cuda tests/triton tests/platforms/cuda tests/analyze/streams
gpu-checks:
	@$(GPU_PYTHON) tools/all_checks.py \
		"tests: $(GPU_TESTS)" \
		"tests again: $(GPU_TESTS)" \
		"record: $(GPU) benchmarks.cuda_record cost proton launch flood clock short budget endless --seconds 60 --steps 4000" \
		"triton: $(GPU) benchmarks.cuda_triton" \
		"levels: $(GPU) benchmarks.cuda_graph levels --rounds 4" \
		"hop: $(GPU) benchmarks.cuda_graph hop" \
		"what-if: $(GPU) benchmarks.cuda_graph what-if"

# The IR that Triton links into kernels, after a change of cuda.cuh, of what it includes, or of native/triton.
triton-ir: $(STAMP) $(CLANG_18)
	$(BIN)/python tools/build_triton_ir.py

# In a folder of its own: wheels are built by a newer one.
$(CLANG_18):
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target build/clang18 ziglang==0.13.0
	@test -x $@

# Opening, reporting, showing and converting with a C library as macOS and Windows have it.
PORTABLE := tests/test_portable.py tests/analyze tests/facade tests/formats tests/render tests/reports tests/trace tests/viewer
portable-test: $(TEST_STAMP)
	mkdir -p build/portable
	$(CC) -std=gnu11 -O2 -fPIC -fvisibility=hidden -ffp-contract=off -shared -Inative/include -Inative/src \
		$(filter-out native/src/threads%,$(wildcard native/src/*.c native/src/*/*.c)) -o build/portable/liblanescope.so
	LANESCOPE_LIBRARY=$(CURDIR)/build/portable/liblanescope.so \
		$(BIN)/python -m pytest -n auto -m "not stress and not sanitize and not gpu" $(PORTABLE)

# An sdist and a wheel for every system in dist/, and a look into each; docs/install.md.
wheels: $(PACKAGE_STAMP)
	$(BIN)/python tools/build_wheels.py dist
	$(BIN)/python tools/check_wheels.py dist

# The short form for CI: one wheel of each system; a clean environment; names that Windows does not have, which
# only files that record may use.
RECORDING := capture/(directory|live|part_job|signals|spool)|device/region|facade/live|overhead/platforms|platforms/threads/recorded
wheels-check: $(PACKAGE_STAMP) $(TEST_STAMP)
	! $(BIN)/mypy --platform win32 --cache-dir build/mypy-win32 2>&1 | grep -vE '^(Found|Success)|lanescope/($(RECORDING))\.py:'
	$(BIN)/python tools/build_wheels.py build/dist manylinux_2_28_x86_64 macosx_11_0_arm64 win_amd64
	$(BIN)/python tools/check_wheels.py build/dist
	LANESCOPE_WHEEL=$$(echo build/dist/*manylinux*.whl) $(BIN)/python -m pytest -m stress tests/test_installing.py

# The documentation site, in build/site. A warning is an error: a link or an anchor that leads nowhere, too.
MKDOCS := NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs
docs: $(DOCS_STAMP)
	$(MKDOCS) build --strict
	$(BIN)/python -m pytest -m site tests/site

docs-serve: $(DOCS_STAMP)
	$(MKDOCS) serve

# The tutorial's pictures, made anew by its commands.
docs-pictures: $(STAMP)
	@rm -rf build/tutorial && mkdir -p build/tutorial docs/tutorial
	$(BIN)/lanescope run examples/split_sum.py --quiet --no-perfetto -o build/tutorial/before.lanes
	$(BIN)/lanescope run examples/split_sum.py --set sums=8 --quiet --no-perfetto -o build/tutorial/after.lanes
	@for side in before after; do \
		$(BIN)/lanescope report build/tutorial/$$side.lanes --plots build/tutorial/$$side | tail -1; \
		cp build/tutorial/$$side/waits.svg docs/tutorial/$$side-waits.svg; \
	done
	cp build/tutorial/before/utilisation.svg docs/tutorial/before-utilisation.svg

$(STAMP): $(SOURCES)
	@sh tools/check_setup.sh "$(PYTHON)" "$(CC)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(TEST_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	@touch $@

$(PACKAGE_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[package]"
	@touch $@

$(TRITON_STAMP): $(TEST_STAMP) $(CLANG_18)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test-triton]"
	@touch $@

$(DOCS_STAMP): $(TEST_STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	@touch $@

clean:
	rm -rf build $(VENV)
