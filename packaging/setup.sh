#!/usr/bin/env bash
# Installs what one purpose of the Makefile needs: Debian packages and Python tools in the local .venv.
# Idempotent; says nothing and takes well under a second when nothing is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage="usage: packaging/setup.sh demo|test|tidy|bench|platforms|emulators"
venv=.venv
stamp=$venv/trammel-setup # what was completely installed; missing while an installation runs

build_packages="g++ cmake ninja-build libeigen3-dev libtomlplusplus-dev libpugixml-dev libcli11-dev
  libzip-dev libxml2-dev zlib1g-dev libjs-dygraphs python3 python3-venv"
# FMUs of pythonfmu need libpython, Ecos, an importer of the tests, calls unzip.
test_packages="catch2 clang-format chromium-headless-shell libpython3.11 unzip"

case "${1-}" in
  demo)
    packages=$build_packages
    requirements="requirements.txt" ;;
  test)
    packages="$build_packages $test_packages"
    requirements="requirements.txt requirements-test.txt" ;;
  tidy)
    packages="$build_packages $test_packages clang-tidy"
    requirements="requirements.txt" ;;
  bench)
    packages="$build_packages libsundials-dev libsuitesparse-dev libsimbody-dev valgrind"
    requirements="requirements.txt requirements-bench.txt" ;;
  platforms)
    packages="$build_packages g++-mingw-w64-x86-64-posix g++-aarch64-linux-gnu"
    requirements="requirements.txt" ;;
  emulators) # other systems to test in; what cannot be had is done without
    packages="wine qemu-user debootstrap"
    requirements="requirements.txt" ;;
  -h | --help)
    echo "$usage"
    exit 0 ;;
  *)
    echo "setup.sh: unknown purpose '${1-}', expected one of demo, test, tidy, bench, platforms, emulators" >&2
    exit 1 ;;
esac

fail() {
  echo "setup.sh: $*" >&2
  exit 1
}

# The words of $packages that dpkg does not know as installed.
missing_packages() {
  # shellcheck disable=SC2086  # a list of words
  comm -13 <(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' $packages 2>/dev/null |
    sed -n 's/^installed //p' | sort -u) <(printf '%s\n' $packages | sort -u)
}

# Runs a command with its output in a log, which is shown only if the command fails.
quietly() {
  local log
  log=$(mktemp)
  if "$@" </dev/null >"$log" 2>&1; then
    rm -f "$log"
  else
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
}

# The command that becomes root, empty if we are; fails if there is none.
become_root() {
  if [ "$(id -u)" -eq 0 ]; then
    return
  fi
  command -v sudo >/dev/null || return 1
  if sudo -n true 2>/dev/null; then
    echo "sudo -n"
  elif [ -t 0 ] && sudo -v; then
    echo "sudo"
  else
    return 1
  fi
}

install_packages() {
  local missing root command
  command -v dpkg-query >/dev/null || fail "needs Debian's package tools, install by hand: ${packages//$'\n'/}"
  missing=$(missing_packages | paste -sd ' ')
  [ -n "$missing" ] || return 0
  command="apt-get install --yes --no-install-recommends $missing"
  root=$(become_root) || fail "packages are missing, run as root: $command"
  echo "Installing Debian packages: $missing"
  # Package lists may be absent or out of date: they are fetched only if the first try fails.
  command="$root env DEBIAN_FRONTEND=noninteractive $command"
  $command </dev/null >/dev/null 2>&1 && return 0
  quietly $root apt-get update || fail "apt-get update failed, see above"
  quietly $command || fail "apt-get install failed, see above"
}

# Debian's own Python, because a python3 found earlier in PATH may lack the venv module or its headers.
find_python() {
  if [ -x /usr/bin/python3 ]; then echo /usr/bin/python3; else command -v python3; fi
}

# One line for each thing the virtual environment must hold: its place and Python, each list of requirements.
wanted_environment() {
  echo "$PWD/$venv $(readlink -f "$(find_python)")"
  (cd packaging && sha256sum $requirements)
}

install_python_tools() {
  local wanted base file arguments=()
  wanted=$(wanted_environment)
  if [ -f $stamp ] && [ -z "$(grep --invert-match --line-regexp --fixed-strings --file=$stamp <<<"$wanted")" ]; then
    return 0
  fi
  echo "Installing Python tools in $venv: ${requirements// /, }"
  # Only an environment that is complete and has the same base is added to; any other one is built anew.
  base=$(requirements=requirements.txt wanted_environment)
  if [ ! -f $stamp ] || [ -n "$(grep -vxFf $stamp <<<"$base")" ]; then
    rm -rf $venv
    quietly "$(find_python)" -m venv $venv || fail "cannot create $venv, see above"
  fi
  rm -f $stamp
  for file in $requirements; do arguments+=(--requirement "packaging/$file"); done
  quietly $venv/bin/python -m pip --disable-pip-version-check install --no-deps "${arguments[@]}" ||
    fail "pip install failed, see above"
  echo "$wanted" >$stamp.new
  mv $stamp.new $stamp
}

# Each package by itself, so that one that cannot be had does not keep the others away.
install_what_can_be() {
  local package
  for package in $packages; do
    (packages=$package install_packages) ||
      echo "setup.sh: $package cannot be installed, the tests that need it are skipped" >&2
  done
}

if [ "$1" = emulators ]; then
  install_what_can_be
else
  install_packages
fi
install_python_tools
