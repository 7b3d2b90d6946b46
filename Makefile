# Every target delegates: set-up to packaging/setup.sh, building and C++ tests to CMake, Python tests to pytest.
.DEFAULT_GOAL := help
.PHONY: help build demo package platforms test test-importers test-platforms bench format tidy clean

help:
	@echo "make demo     set up, build, export the pendulum as an FMU, simulate it with FMPy, plot into results/"
	@echo "make test     set up, build, run every test"
	@echo "make test-importers   run the FMUs in importers that need cargo or Java, as far as these are there"
	@echo "make build    set up and build the program, build/trammel"
	@echo "make platforms   build also the runtimes for Windows and ARM, which exported FMUs then carry"
	@echo "make package  build the .deb and the .tar.gz, with the runtimes of all platforms built so far"
	@echo "make test-platforms   run FMUs on Linux, Debian 11, under wine and qemu, compare the results; try the .deb"
	@echo "make bench    set up, build, compare with other solvers, write results/bench.md: 40 minutes to an hour; bench/run.sh --quick is shorter"
	@echo "make format   lay out all C++ files with clang-format (make test checks the layout)"
	@echo "make tidy     check all C++ files with clang-tidy"
	@echo "make clean    remove what the others made: build*/, results/, .venv/"
	@echo
	@echo "Set-up installs what is missing: Debian packages with apt-get, Python tools in .venv/."
	@echo "Builds with assertions or sanitizers: cmake --list-presets, then for example"
	@echo "  cmake --preset asan && cmake --build --preset asan && ctest --preset asan"

build:
	@packaging/setup.sh demo
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target trammel trammel_fmu

platforms: build
	@packaging/setup.sh platforms
	@packaging/platforms.sh

package: build
	@cmake --build --preset release --target trammel_man_page trammel_coded_runtime
	@cd build && cpack

demo: build
	@.venv/bin/python packaging/demo.py

test:
	@packaging/setup.sh test
	@cmake --preset release -DTRAMMEL_TESTS=ON -DTRAMMEL_BENCH=ON >/dev/null
	@cmake --build --preset release
	@ctest --preset release
	@.venv/bin/python -m pytest -q tests

test-importers:
	@packaging/setup.sh test
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target trammel trammel_fmu
	@.venv/bin/python -m pytest -q -rs tests/python/external_importers.py

test-platforms: platforms
	@packaging/setup.sh test
	@packaging/setup.sh emulators
	@cmake --build --preset release --target trammel_man_page trammel_coded_runtime
	@TRAMMEL_DEBIAN_TREES=1 .venv/bin/python -m pytest -q -rs tests/platforms

bench:
	@packaging/setup.sh bench
	@bench/run.sh

format:
	@packaging/setup.sh test
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

tidy:
	@packaging/setup.sh tidy
	@cmake --preset release -DTRAMMEL_TESTS=ON -DTRAMMEL_BENCH=ON >/dev/null
	@run-clang-tidy -quiet -p build

clean:
	@rm -rf build build-dev build-asan build-tsan results .venv
