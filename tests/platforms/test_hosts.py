"""One FMU gives the same results on every platform that it has a binary for: natively, under wine, under qemu."""

import os
import shutil
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

import fmpy
import pytest
from fmpy import read_model_description

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("TRAMMEL", ROOT / "build" / "trammel"))
HEADERS = Path(fmpy.__file__).parent / "c-code"
HOST = f"{os.uname().machine}-linux"
VARIABLES = ["x", "y", "der(x)", "der(y)", "energy", "rod_force", "angle"]  # of the pendulum
STOP, STEPS = 2.0, 200  # [s]; one period of the pendulum, 2 s


@dataclass(frozen=True)
class Case:
    """An FMU to compare on all platforms: what makes it, its binary's name, what is read, how closely it agrees."""

    command: tuple
    identifier: str
    variables: tuple
    tolerance: float


MODELS, EXAMPLES = ROOT / "models" / "catalogue", ROOT / "examples"
# Compilers and mathematical libraries differ in last digits, which the steps do not amplify to more than 1e-10. In a
# container a last digit may decide on one iteration more, within the tolerance 1e-9 of the members' steps.
CASES = {
    "pendulum": Case(("export", MODELS / "pendulum.toml", "-o"), "Pendulum", tuple(VARIABLES), 1e-10),
    "four_bar": Case(
        ("export", MODELS / "four_bar.toml", "-o"),
        "FourBar",
        ("rocker_angle", "torque", "crank.phi", "der(rocker.phi)"),
        1e-10,
    ),
    "container": Case(
        ("couple", EXAMPLES / "coupled_four_bar" / "system.toml", "--export"),
        "Four_bar_linkage_cut_open",
        ("crank.crank.phi", "crank.coupler.phi", "rocker.rocker.phi"),
        1e-6,
    ),
}

# Compiler with its options, emulator, where the emulated system sees "/", FMI 2 folder, suffix of the binary.
PLATFORMS = {
    HOST: (["gcc"], [], "", "linux64" if HOST == "x86_64-linux" else HOST, ".so"),
    "x86_64-windows": (["x86_64-w64-mingw32-gcc-posix", "-static"], ["wine"], "Z:", "win64", ".dll"),
    "aarch64-linux": (
        ["aarch64-linux-gnu-gcc"],
        ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
        "",
        "aarch64-linux",
        ".so",
    ),
}


@pytest.fixture(scope="session")
def wine_prefix(tmp_path_factory):
    """Where wine keeps its files, which take it seconds to make."""
    return tmp_path_factory.mktemp("wine") / "prefix"


@pytest.fixture(scope="module", params=[(name, version) for name in CASES for version in (2, 3)], ids=str)
def fmu(request, tmp_path_factory, wine_prefix):
    """Case, version, description and folder of the unzipped FMU, with all built platforms."""
    name, version = request.param
    folder = tmp_path_factory.mktemp("fmu")
    command = [PROGRAM, *CASES[name].command, folder / "p.fmu", "--fmi", str(version)]
    subprocess.run(command, check=True, capture_output=True)
    with zipfile.ZipFile(folder / "p.fmu") as archive:
        archive.extractall(folder)
    (folder / "wine").symlink_to(wine_prefix)
    return CASES[name], version, read_model_description(str(folder / "p.fmu")), folder


def results_on(tuple_, fmu):
    """The lines that the host prints on a platform, as lists of numbers."""
    case, version, description, folder = fmu
    compiler, emulator, root, fmi2_folder, suffix = PLATFORMS[tuple_]
    binary = folder / "binaries" / (fmi2_folder if version == 2 else tuple_) / f"{case.identifier}{suffix}"
    for command, purpose in ((compiler, "platforms"), (emulator, "emulators")):
        if command and shutil.which(command[0]) is None:
            pytest.skip(f"{command[0]} is not installed: packaging/setup.sh {purpose} installs it")
    if not binary.exists():
        pytest.skip(f"no runtime binary for {tuple_}: make platforms builds it")
    host = folder / f"host-{tuple_}.exe"
    source = ROOT / "tests" / "platforms" / "host.c"
    options = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I", HEADERS]
    libraries = ["-ldl"] if suffix == ".so" else []
    subprocess.run([*compiler, *options, source, "-o", host, *libraries], check=True)
    resources = f"{root}{folder}/resources/"
    if version == 2:
        resources = "file:///" + resources.strip("/")
    references = {variable.name: str(variable.valueReference) for variable in description.modelVariables}
    token = description.guid or description.instantiationToken
    run = subprocess.run(
        [*emulator, host, f"{root}{binary}", str(version), token, resources, str(STOP), str(STEPS)]
        + [references[name] for name in case.variables],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "WINEPREFIX": str((folder / "wine").resolve()), "WINEDEBUG": "-all"},
    )
    assert run.returncode == 0, run.stderr
    return [[float(word) for word in line.split()] for line in run.stdout.splitlines()]


@pytest.fixture(scope="module")
def expected(fmu):
    return results_on(HOST, fmu)


def test_the_host_runs_it(fmu, expected):
    assert len(expected) == STEPS + 1
    if fmu[0] is not CASES["pendulum"]:
        return
    # It starts at rest at x = L = 1 m and is there again after its period of 2 s; half of it later at x = -1 m. The
    # tolerance of the run is 1e-6 for each step.
    assert expected[0][1:3] == pytest.approx([1, 0], abs=1e-12)
    assert expected[STEPS // 2][1:3] == pytest.approx([-1, 0], abs=1e-3)
    assert expected[STEPS][1:3] == pytest.approx([1, 0], abs=1e-3)


@pytest.mark.parametrize("tuple_", [name for name in PLATFORMS if name != HOST])
def test_other_platforms_give_the_results_of_this_one(fmu, expected, tuple_):
    results = results_on(tuple_, fmu)
    assert len(results) == len(expected)
    for got, wanted in zip(results, expected):
        assert got == pytest.approx(wanted, rel=fmu[0].tolerance, abs=fmu[0].tolerance)
