"""Importers that PyPI does not have: fmi-sim (cargo), Maestro and VDMCheck (Maven, Java), fmusim (on the PATH).

Run by `make test-importers`, which names this file; each test is skipped with one line where its tool is absent. What is
fetched or built stays in build/importers. Values are compared with FMPy's: a clean exit proves nothing.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from fmpy import simulate_fmu

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "build" / "importers"
STEP, STOP = 0.01, 0.5
BUILD_LIMIT = 720  # [s], of an importer: a slow machine goes on without it
TIGHT = 1e-9  # the same calls with times that differ by rounding


def need(program):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not there")


def run(*command, **settings):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=3000, **settings)


@pytest.fixture
def fmu(export, version):
    return export(ROOT / "models" / "catalogue" / "slider_crank.toml", version)


def by_fmpy(fmu, **settings):
    return simulate_fmu(str(fmu), fmi_type="CoSimulation", stop_time=STOP, output_interval=STEP, **settings)


def read_columns(path):
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    return {name: np.array([float(row[i]) for row in rows]) for i, name in enumerate(header)}


def assert_same(got, times, expected, name):
    """At the times of the importer; FMPy's are the same but for rounding."""
    at = [int(round(t / STEP)) for t in times]
    assert len(at) >= 40
    scale = max(1.0, np.max(abs(expected[name])))
    assert np.max(abs(got - expected[name][at])) <= TIGHT * scale


def with_description(fmu, path, change):
    """A copy of the FMU with another description; the binary is the same."""
    with zipfile.ZipFile(fmu) as archive, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as copy:
        for name in archive.namelist():
            content = archive.read(name)
            copy.writestr(name, change(content.decode()) if name == "modelDescription.xml" else content)
    return path


def only_real_parameters(text):
    """Maestro 3.1.1 takes the start of every parameter of FMI 3 for a Float64 and stops at any other."""
    text = re.sub(r'<(?:Int32|Boolean) [^>]*causality="parameter"[^>]*/>', "", text)
    return re.sub(r"<String .*?</String>", "", text, flags=re.DOTALL)


def without_units_and_bounds(text):
    """fmi-sim 0.7 refuses attributes of FMI 3 variables that it does not know."""
    unknown = r' (?:unit|displayUnit|nominal|min|max|derivative)="[^"]*"'
    return re.sub(r"<(?:Float64|Int32|String) [^>]*>", lambda tag: re.sub(unknown, "", tag.group()), text)


# fmi-sim


@pytest.fixture(scope="session")
def fmi_sim():
    need("cargo")
    program = TOOLS / "bin" / "fmi-sim"
    if not program.exists():
        clang = TOOLS / "libclang"
        run(sys.executable, "-m", "pip", "install", "--quiet", "--target", clang, "libclang")
        environment = dict(os.environ, LIBCLANG_PATH=str(clang / "clang" / "native"))
        install = ["cargo", "install", "fmi-sim", "--version", "^0.7", "--root", TOOLS]
        built = run("timeout", BUILD_LIMIT, *install, env=environment)
        if built.returncode == 124:
            pytest.skip(f"fmi-sim cannot be built in {BUILD_LIMIT} s")
        if not program.exists():
            pytest.skip("fmi-sim cannot be built: " + built.stderr.strip().splitlines()[-1])
    return program


def test_fmi_sim_gets_the_same_values(fmi_sim, fmu, version, tmp_path):
    events = ["--event-mode-used", "--early-return-allowed"] if version == 3 else []
    read = with_description(fmu, tmp_path / "plain.fmu", without_units_and_bounds) if version == 3 else fmu
    result = tmp_path / "result.csv"
    times = ["-s", 0, "-f", STOP, "--step", STEP, "--output-interval", STEP]
    done = run(fmi_sim, "--model", read, "--output-file", result, "co-simulation", *times, *events)
    assert result.exists(), done.stdout + done.stderr
    columns = read_columns(result)
    assert_same(columns["stroke"], columns["time"], by_fmpy(fmu), "stroke")


# Maestro and VDMCheck


def maven_jars(folder, artifact, version, classifier=None):
    """Copies an artifact, or with its dependencies where no classifier names one jar with all of them."""
    need("java")
    need("mvn")
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.glob("*.jar")):
        return
    group, name = artifact.split(":")
    if classifier:
        run("mvn", "-q", "dependency:copy", f"-Dartifact={artifact}:{version}:jar:{classifier}", f"-DoutputDirectory={folder}")
    else:
        dependency = f"<groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version>"
        (folder / "pom.xml").write_text(
            '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>importers'
            "</groupId><artifactId>importers</artifactId><version>1</version>"
            f"<dependencies><dependency>{dependency}</dependency></dependencies></project>"
        )
        copy = "dependency:copy-dependencies"
        run("mvn", "-q", copy, f"-DoutputDirectory={folder}", "-Dmdep.stripVersion=true", cwd=folder)
    if not any(folder.glob("*.jar")):
        pytest.skip(f"{artifact} cannot be fetched from Maven")


@pytest.fixture(scope="session")
def maestro():
    folder = TOOLS / "maestro"
    maven_jars(folder, "org.into-cps.maestro:maestro", "3.1.1", "jar-with-dependencies")
    return next(folder.glob("*.jar"))


@pytest.fixture(scope="session")
def vdmcheck():
    """VDMCheck looks for its rules as files beside its jar."""
    folder = TOOLS / "vdmcheck"
    maven_jars(folder, "org.into-cps.vdmcheck.fmi2:vdmcheck2", "1.1.3")
    for part in ("static-model", "rule-model", "vdmcheck2"):
        with zipfile.ZipFile(folder / f"{part}.jar") as jar:
            jar.extractall(folder)
    return folder


def test_maestro_couples_two_of_them(maestro, fmu, version, tmp_path):
    """Two slider-cranks; the guide force of the first is the force on the second. The first is as if alone."""
    read = with_description(fmu, tmp_path / "model.fmu", only_real_parameters) if version == 3 else fmu
    connections = {"{s}.first.guide_force": ["{s}.second.F"]}
    model = {"fmus": {"{s}": read.as_uri()}, "connections": connections, "parameters": {}}
    algorithm = {"type": "fixed-step", "size": STEP}
    simulation = {"startTime": 0.0, "endTime": STOP, "logLevels": {}, "algorithm": algorithm}
    (tmp_path / "model.json").write_text(json.dumps(model))
    (tmp_path / "simulation.json").write_text(json.dumps(simulation))
    command = ["import", "-output=out", "--interpret", "Sg1", "model.json", "simulation.json"]
    done = run("java", "-jar", maestro, *command, cwd=tmp_path)
    result = tmp_path / "out" / "outputs.csv"
    assert result.exists(), done.stdout + done.stderr
    columns = read_columns(result)
    # Maestro gives no tolerance; FMPy passes that of the default experiment, which is the model's own.
    assert_same(columns["{s}.first.guide_force"], columns["time"], by_fmpy(fmu), "guide_force")


def test_vdmcheck_finds_no_error(vdmcheck, fmu, version):
    if version == 3:
        pytest.skip("VDMCheck 1.1.3 of this artifact checks FMI 2")
    done = run("java", "-jar", "vdmcheck2.jar", fmu, cwd=vdmcheck)
    assert "No errors found." in done.stdout, done.stdout + done.stderr


# fmusim


def test_fmusim_validates_and_gets_the_same_values(fmu, tmp_path):
    need("fmusim")
    assert run("fmusim", "validate", fmu).returncode == 0
    result = tmp_path / "result.csv"
    times = ["--stop-time", STOP, "--output-interval", STEP]
    done = run("fmusim", "simulate", "--interface-type", "cs", *times, "--output-file", result, fmu)
    assert result.exists(), done.stdout + done.stderr
    columns = read_columns(result)
    assert_same(columns["stroke"], columns["time"], by_fmpy(fmu), "stroke")
