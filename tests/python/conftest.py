"""What the tests of the program share: the built program and FMUs that it exports."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("TRAMMEL", ROOT / "build" / "trammel"))
CATALOGUE = sorted((ROOT / "models" / "catalogue").glob("*.toml"))


def run_trammel(*arguments, cwd=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, capture_output=True, text=True)


@pytest.fixture(scope="session")
def trammel():
    """Runs the program with arguments, returns its exit code and outputs."""
    assert PROGRAM.exists(), f"{PROGRAM} is missing, build it first"
    return run_trammel


@pytest.fixture(scope="session")
def export(trammel, tmp_path_factory):
    """Exports a model once for each FMI version, returns the path of the FMU."""
    folder = tmp_path_factory.mktemp("fmus")

    def exported(model, version):
        fmu = folder / f"{Path(model).stem}_{version}.fmu"
        if not fmu.exists():
            run = trammel("export", model, "--fmi", version, "-o", fmu)
            assert run.returncode == 0, run.stderr
        return fmu

    return exported


@pytest.fixture(params=[2, 3], ids=["fmi2", "fmi3"])
def version(request):
    return request.param


@pytest.fixture(params=CATALOGUE, ids=[model.stem for model in CATALOGUE])
def model(request):
    return request.param


@pytest.fixture(scope="session")
def pendulum():
    return ROOT / "models" / "catalogue" / "pendulum.toml"
