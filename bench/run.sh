#!/usr/bin/env bash
# Builds the benchmark programs in the release build, runs them and the comparison with other solvers, and writes
# results/bench.md and results/bench.json.
#   bench/run.sh                 all problems: 40 minutes to an hour
#   bench/run.sh --quick         the smaller ones: a quarter of an hour; other options: bench/report.py --help
#   bench/run.sh NAME...         only the programs of these names, their tables on the terminal
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cmake --preset release -DTRAMMEL_BENCH=ON >/dev/null
cmake --build --preset release --target trammel trammel_fmu trammel_bench
if [ $# -eq 0 ] || [[ "$1" == -* ]]; then
  exec .venv/bin/python bench/report.py "$@"
fi
for program in "$@"; do
  echo "== $program"
  "build/bench/programs/$program"
done
