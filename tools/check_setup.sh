# Says in one sentence what the machine lacks before anything is built: check_setup.sh PYTHON CC
python="$1"
cc="$2"
if ! command -v "$python" >/dev/null 2>&1; then
    echo "lanescope needs Python 3.11 or newer, but '$python' was not found: install Python or run 'make PYTHON=/path/to/python3'." >&2
    exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    found=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')
    echo "lanescope needs Python 3.11 or newer, but '$python' is Python $found: install a newer one or run 'make PYTHON=/path/to/python3.11'." >&2
    exit 1
fi
if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
    echo "lanescope needs Python's venv module, but '$python' has none: install it (on Debian and Ubuntu: apt install python3-venv)." >&2
    exit 1
fi
if ! command -v "${cc%% *}" >/dev/null 2>&1; then
    echo "lanescope needs a C compiler, but '$cc' was not found: install one (on Debian and Ubuntu: apt install gcc) or run 'make CC=/path/to/cc'." >&2
    exit 1
fi
