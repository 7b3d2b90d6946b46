"""Every runtime binary that was built loads on old systems and shows nothing but the functions of FMI."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("TRAMMEL", ROOT / "build" / "trammel"))
ELF_TOOLS = {"x86_64-linux": "", "aarch64-linux": "aarch64-linux-gnu-"}

# The promise of the project: Debian 10, RHEL 8 and everything younger.
NEWEST_GLIBC = (2, 28)
# Bytes; also a promise, of a zip that is small with three platforms in it.
LARGEST_BINARY = 3_000_000


RUNTIMES = ["trammel", "trammel_container"]  # of models and of containers


@pytest.fixture(params=[f"{platform}/{runtime}" for platform in ELF_TOOLS for runtime in RUNTIMES])
def elf(request):
    """Prefix of the binary utilities and path of a built binary for Linux."""
    platform = request.param.split("/")[0]
    path = PROGRAM.parent / "platforms" / f"{request.param}.so"
    if not path.exists() and platform != f"{os.uname().machine}-linux":
        pytest.skip(f"no runtime binary {request.param}: make platforms builds it")
    return ELF_TOOLS[platform], path


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def dynamic_symbols(elf):
    """Lines of objdump -T that describe symbols, those of undefined and those of defined ones."""
    tools, path = elf
    lines = [line for line in output_of(f"{tools}objdump", "-T", path).splitlines() if re.match("[0-9a-f]{16} ", line)]
    undefined = [line for line in lines if "*UND*" in line]
    return undefined, [line for line in lines if line not in undefined]


def test_no_symbol_is_newer_than_the_oldest_glibc(elf):
    undefined, _ = dynamic_symbols(elf)
    versions = {}
    for line in undefined:
        if found := re.search(r"GLIBC_([\d.]+)\)?\s+(\S+)$", line):
            versions[found[2]] = tuple(map(int, found[1].split(".")))
    assert len(versions) > 50  # the symbols were read
    assert {name: version for name, version in versions.items() if version > NEWEST_GLIBC} == {}


def test_only_the_functions_of_fmi_are_exported(elf):
    _, defined = dynamic_symbols(elf)
    names = {line.split()[-1] for line in defined if line[22:23] != "d"}  # d: a section
    # fmi2Functions.h declares 44 functions, fmi3Functions.h 75.
    assert len(names) == 44 + 75
    assert {name for name in names if not name.startswith(("fmi2", "fmi3"))} == set()


def test_only_libc_and_libm_are_needed(elf):
    tools, path = elf
    needed = re.findall(r"NEEDED\s+(\S+)", output_of(f"{tools}objdump", "-p", path))
    assert "libc.so.6" in needed
    others = {name for name in needed if not re.match(r"lib[cm]\.so\.6$|ld-linux", name)}
    # A container loads its members, for which glibc before 2.34 has a library of its own.
    assert others == ({"libdl.so.2"} if path.stem == "trammel_container" else set())


def test_the_binary_is_stripped_and_small(elf):
    tools, path = elf
    assert ".symtab" not in output_of(f"{tools}objdump", "-h", path)
    assert "no symbols" in output_of(f"{tools}objdump", "-t", path)
    assert path.stat().st_size < LARGEST_BINARY


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_the_windows_binary_needs_windows_only_and_exports_fmi_only(runtime):
    path = PROGRAM.parent / "platforms" / "x86_64-windows" / f"{runtime}.dll"
    if not path.exists():
        pytest.skip("no runtime binary for x86_64-windows: make platforms builds it")
    headers = output_of("x86_64-w64-mingw32-objdump", "-p", path)
    # Both are parts of every Windows since 2000.
    assert set(re.findall(r"DLL Name: (\S+)", headers)) <= {"KERNEL32.dll", "msvcrt.dll"}
    exports = headers[headers.index("[Ordinal/Name Pointer] Table") :]
    names = set(re.findall(r"^\s*\[\s*\d+\] (\w+)$", exports, re.MULTILINE))
    assert len(names) == 44 + 75
    assert {name for name in names if not name.startswith(("fmi2", "fmi3"))} == set()
