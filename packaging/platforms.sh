#!/usr/bin/env bash
# Builds the runtime binaries, of models and of containers, for the other platforms into build/platforms/<tuple>/, where the program
# finds them.
# Each has its toolchain file cmake/toolchain-<tuple>.cmake and its own build folder build/cross/<tuple>.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for toolchain in cmake/toolchain-*.cmake; do
  tuple=${toolchain#cmake/toolchain-}
  tuple=${tuple%.cmake}
  [ "$tuple" != "$(uname -m)-linux" ] || continue # that is the native build
  cmake --no-warn-unused-cli -G Ninja -S . -B "build/cross/$tuple" --toolchain "$toolchain" -DCMAKE_BUILD_TYPE=Release \
    -DTRAMMEL_PLATFORMS_DIR="$PWD/build/platforms" >/dev/null
  cmake --build "build/cross/$tuple" --target trammel_fmu trammel_container
  for binary in "build/platforms/$tuple"/trammel.{so,dll}; do
    [ ! -f "$binary" ] || build/deflate_runtime "$binary" # exporting copies the stream
  done
done
