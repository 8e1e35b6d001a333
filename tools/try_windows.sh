# Runs the Windows wheel of dist/ under wine on an x86-64 Debian: try_windows.sh FOLDER PYTHON. It needs wine64 and pip.
# PYTHON is a folder with Windows' embeddable Python 3.13. What commands print must be what they print here.
set -e
folder="$(mkdir -p "$1" && cd "$1" && pwd)"
root="$(cd "$(dirname "$0")/.." && pwd)"
rm -rf "$folder/python" "$folder/site" "$folder/work"
cp -r "$2" "$folder/python"
printf 'python313.zip\n.\nZ:%s/site\n' "$folder" >"$folder/python/python313._pth"
# The C library of wine 8 lacks functions that newer numpy needs.
python3 -m pip install -q --only-binary=:all: --python-version 3.13 --implementation cp --platform win_amd64 \
    --target "$folder/site" "$(ls "$root"/dist/*win_amd64.whl)" 'numpy==2.1.*'
export WINEPREFIX="$folder/wine" WINEDEBUG=-all
wine="$(command -v wine64 || echo /usr/lib/wine/wine64)"
"$wine" reg add 'HKCU\Software\Wine' /v Version /d win10 /f | cat
mkdir "$folder/work" && cd "$folder/work"
cp -r "$root/examples" .
windows() { "$wine" "$folder/python/python.exe" -m lanescope "$@" </dev/null 2>&1 | tr -d '\r'; }
here() { "$root/.venv/bin/lanescope" "$@" 2>&1; }
here run chain --set tasks=50 --quiet --no-perfetto
windows import examples/small_run
failed=0
while read -r words; do
    # shellcheck disable=SC2086
    windows $words >windows.txt
    # shellcheck disable=SC2086
    here $words >here.txt || true
    if cmp -s windows.txt here.txt; then echo "the same: $words"; else echo "OTHER: $words" && failed=1; fi
done <<'END'
--version
report small_run.lanes
report small_run.lanes --full
report chain.lanes --json
check small_run.lanes
verify chain.lanes
what-if small_run.lanes --rank
diff small_run.lanes chain.lanes
predict examples/tile.asm --board v80
fit examples/model_135m.json --board nexys_video
view small_run.lanes --html page.html --force
export small_run.lanes --to chrome -o page.json --force
export small_run.lanes --to perfetto -o page.perfetto-trace --force
fleet index . -o fleet --workers 0
END
exit $failed
