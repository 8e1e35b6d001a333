# Runs the aarch64 wheel of dist/ on an x86-64 Debian: try_aarch64.sh FOLDER. It needs qemu-user, apt and pip.
# Python for arm64 comes from Debian's packages, unpacked into FOLDER; nothing is installed.
set -e
folder="$(mkdir -p "$1" && cd "$1" && pwd)"
wheel="$(ls "$(dirname "$0")"/../dist/*manylinux*aarch64.whl)"
mkdir -p "$folder/state/lists/partial" "$folder/cache/archives/partial" "$folder/root" "$folder/site"
touch "$folder/status"
set -- -q -o Dir::State="$folder/state" -o Dir::State::status="$folder/status" -o Dir::Cache="$folder/cache" \
    -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Debug::NoLocking=1
apt-get "$@" update
apt-get "$@" install -y --no-install-recommends --download-only python3.11 libstdc++6
for package in "$folder"/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
python3 -m pip install -q --only-binary=:all: --python-version 3.11 --implementation cp --target "$folder/site" --upgrade \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 "$wheel"
lanescope() {
    qemu-aarch64 -L "$folder/root" -E PYTHONHOME="$folder/root/usr" -E PYTHONPATH="$folder/site" \
        -E LD_LIBRARY_PATH="$folder/root/lib/aarch64-linux-gnu:$folder/root/usr/lib/aarch64-linux-gnu" \
        "$folder/root/usr/bin/python3.11" -m lanescope "$@"
}
lanescope run paged_attention -o "$folder/runs"
lanescope run chain --platform threads --cores aic=1,aiv=1 -o "$folder/runs"
lanescope report "$folder/runs/paged_attention.lanes"
