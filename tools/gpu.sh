#!/bin/sh
# Tests and times sporax on this machine's NVIDIA GPU, in at most nine minutes.
#
#     tools/gpu.sh [--small] [--wheels DIR] [--out DIR] [--seconds N]
#
# PYTHON (default: python3) needs JAX with CUDA, torch, and what sporax and its tests import. With --wheels, the wheels of a folder are
# installed first, without a network, into an environment that sees that Python's packages. First the tests that differ on a GPU run,
# then the steps of bench/gpu. DIR (default: gpu-out) holds what is known at any time: machine.txt, tests.txt, results.json. --small takes
# sizes that a CPU runs, to test this script. The status is 1 if a test or a contestant failed.
set -eu

small="" wheels="" out="gpu-out" seconds=540
while [ $# -gt 0 ]; do
    case "$1" in
        --small) small="--small"; shift ;;
        --wheels) wheels="$2"; shift 2 ;;
        --out) out="$2"; shift 2 ;;
        --seconds) seconds="$2"; shift 2 ;;
        *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done

began=$(date +%s)
left() { echo $((seconds - $(date +%s) + began)); }

python="${PYTHON:-python3}"
mkdir -p "$out"
if [ -n "$wheels" ]; then
    "$python" -m venv --system-site-packages "$out/venv"
    python="$out/venv/bin/python"
    "$python" -m pip install --quiet --no-index --no-deps "$wheels"/*.whl
fi
out=$(cd "$out" && pwd)
case "$python" in */*) python=$(cd "$(dirname "$python")" && pwd)/$(basename "$python") ;; esac
cd "$(dirname "$0")/.."
export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}" XLA_PYTHON_CLIENT_PREALLOCATE=false SPORAX_CACHE_DIR="$out/cache"

"$python" -m sporax check >"$out/machine.txt" 2>&1 || echo "sporax check failed: $out/machine.txt"
cat "$out/machine.txt"

status=0
timeout 120 "$python" -m pytest -q -p no:cacheprovider \
    tests/lowering/test_fused_attention.py tests/lowering/test_attention_by_blocks.py tests/transform/graph/test_attention.py \
    tests/train/test_amp.py \
    >"$out/tests.txt" 2>&1 || status=1
tail -n 5 "$out/tests.txt"

"$python" -m bench.gpu $small --seconds "$(left)" --out "$out" || status=1
exit $status
