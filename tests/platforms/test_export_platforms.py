"""Exported FMUs carry the runtime binaries of all platforms that were built, or those that are asked for."""

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("TRAMMEL", ROOT / "build" / "trammel"))
MODEL = ROOT / "models" / "catalogue" / "pendulum.toml"
RUNTIMES = {
    "x86_64-linux": ("trammel.so", "linux64"),
    "x86_64-windows": ("trammel.dll", "win64"),
    "aarch64-linux": ("trammel.so", "aarch64-linux"),
}
pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64", reason="the host's runtime is x86_64-linux here")


@pytest.fixture
def export(tmp_path):
    """Exports with a program beside which the runtimes of some platforms lie, as texts; returns run and binaries."""
    shutil.copy(PROGRAM, tmp_path / "trammel")

    def exported(built, *arguments):
        for tuple_ in built:
            runtime = tmp_path / "platforms" / tuple_ / RUNTIMES[tuple_][0]
            runtime.parent.mkdir(parents=True)
            runtime.write_text(f"runtime for {tuple_}")
        command = [tmp_path / "trammel", "export", MODEL, "-o", tmp_path / "p.fmu", *arguments]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            return run, {}
        with zipfile.ZipFile(tmp_path / "p.fmu") as archive:
            names = [name for name in archive.namelist() if name.startswith("binaries/")]
            return run, {name: archive.read(name).decode() for name in names}

    return exported


def test_only_the_host_where_nothing_else_was_built(export):
    run, binaries = export(["x86_64-linux"])
    assert binaries == {"binaries/x86_64-linux/Pendulum.so": "runtime for x86_64-linux"}
    assert ", FMI 3.0, x86_64-linux, " in run.stdout


@pytest.mark.parametrize("fmi", [2, 3])
def test_all_built_platforms_by_default(export, fmi):
    run, binaries = export(RUNTIMES, "--fmi", str(fmi))
    expected = {}
    for tuple_, (file, fmi2_folder) in RUNTIMES.items():
        folder = fmi2_folder if fmi == 2 else tuple_
        expected[f"binaries/{folder}/Pendulum{Path(file).suffix}"] = f"runtime for {tuple_}"
    assert binaries == expected
    assert ", x86_64-linux, x86_64-windows, aarch64-linux, " in run.stdout


def test_the_platforms_that_are_asked_for(export):
    _, binaries = export(RUNTIMES, "--platform", "aarch64-linux", "--platform", "x86_64-windows")
    assert sorted(binaries) == ["binaries/aarch64-linux/Pendulum.so", "binaries/x86_64-windows/Pendulum.dll"]


def test_a_platform_that_was_not_built_is_an_error_that_says_so(export):
    run, _ = export(["x86_64-linux"], "--platform", "x86_64-windows")
    assert run.returncode != 0
    assert "the runtime binary for x86_64-windows is missing" in run.stderr


def test_an_unknown_platform_is_refused(export):
    run, _ = export(["x86_64-linux"], "--platform", "vax-vms")
    assert run.returncode != 0
    assert "vax-vms" in run.stderr
