#!/usr/bin/env bash
# Builds the benchmark programs of this directory in the release build and runs them one after the other.
# With arguments: only the programs of these names.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cmake --preset release -DTRAMMEL_BENCH=ON >/dev/null
cmake --build --preset release --target trammel trammel_fmu trammel_bench
programs=("$@")
if [ ${#programs[@]} -eq 0 ]; then
  mapfile -t programs < <(cd build/bench/programs && ls)
fi
for program in "${programs[@]}"; do
  echo "== $program"
  "build/bench/programs/$program"
done
