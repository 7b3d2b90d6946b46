"""trammel check finds seeded defects, says nothing of good FMUs, survives FMUs that misbehave."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import fmpy
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from defects import DEFECTS, TERMINALS, Parts, zipped  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("TRAMMEL", ROOT / "build" / "trammel"))
CATALOGUE = sorted(path.stem for path in (ROOT / "models" / "catalogue").glob("*.toml"))
CASES = [(name, rule, version, change) for name, rule, versions, change in DEFECTS for version in versions]


def trammel(*arguments, cwd=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, capture_output=True, text=True)


def check(fmu, *options):
    """Exit code and findings."""
    run = trammel("check", fmu, "--json", *options)
    assert run.stderr == ""
    report = json.loads(run.stdout)
    assert report["errors"] + report["warnings"] + report["notes"] == len(report["findings"])
    return run.returncode, report["findings"]


def rules_of(findings):
    return {finding["rule"] for finding in findings}


@pytest.fixture(scope="session")
def export(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fmus")

    def exported(model, version):
        fmu = folder / f"{model}_{version}.fmu"
        if not fmu.exists():
            run = trammel("export", model, "--fmi", version, "-o", fmu)
            assert run.returncode == 0, run.stderr
        return fmu

    return exported


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("model", CATALOGUE)
def test_good_fmus_have_no_findings(export, model, version):
    assert check(export(model, version)) == (0, [])


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("example", ["coupled_four_bar", "quarter_car"])
def test_containers_have_no_findings(tmp_path, example, version):
    fmu = tmp_path / "container.fmu"
    run = trammel("couple", ROOT / "examples" / example / "system.toml", "--export", fmu, "--fmi", version)
    assert run.returncode == 0, run.stderr
    assert check(fmu) == (0, [])


@pytest.mark.parametrize("light", [True, False])
@pytest.mark.parametrize("version", [2, 3])
def test_the_fmu_that_the_defects_are_made_in_is_good(export, tmp_path, version, light):
    parts = Parts(export("slider_crank", version), version, light)
    parts.files["terminalsAndIcons/terminalsAndIcons.xml"] = TERMINALS.format(version=version).encode()
    fmu = tmp_path / "good.fmu"
    fmu.write_bytes(parts.bytes())
    assert check(fmu, "--no-load") == (0, [])


@pytest.mark.parametrize(
    "name, rule, version, change", CASES, ids=[f"{name}-fmi{version}" for name, _, version, _ in CASES]
)
def test_a_seeded_defect_is_found(export, tmp_path, name, rule, version, change):
    parts = Parts(export("slider_crank", version), version, light=not rule.startswith("binary-"))
    fmu = tmp_path / ("defect.zip" if rule == "zip-extension" else "defect.fmu")
    fmu.write_bytes(change(parts) or parts.bytes())
    code, findings = check(fmu, "--no-load")
    assert rule in rules_of(findings)
    severities = {finding["severity"] for finding in findings}
    assert code == (1 if "error" in severities else 4 if "warning" in severities else 0)
    assert sorted(path.name for path in tmp_path.parent.glob("evil*")) == []


def test_there_are_at_least_forty_seeded_defects():
    assert len(DEFECTS) >= 40


def test_a_finding_names_the_line(export, tmp_path):
    parts = Parts(export("slider_crank", 3), 3)
    parts.typed("F").set("unit", "kN")
    fmu = tmp_path / "defect.fmu"
    fmu.write_bytes(parts.bytes())
    _, findings = check(fmu, "--no-load")
    lines = zipfile.ZipFile(fmu).read("modelDescription.xml").decode().splitlines()
    expected = 1 + next(i for i, line in enumerate(lines) if 'name="F"' in line)
    assert [(f["rule"], f["file"], f["line"]) for f in findings] == [
        ("unit-undefined", "modelDescription.xml", expected)
    ]
    text = trammel("check", fmu, "--no-load")
    assert f'{fmu}: modelDescription.xml:{expected}: error: unit "kN" is not in UnitDefinitions [unit-undefined]\n' in (
        text.stdout
    )
    assert text.stdout.endswith("1 error, 0 warnings, 0 notes\n")


def test_a_description_cannot_make_the_check_read_other_files(export, tmp_path):
    """A document may name places of schemas; the validator must not follow them."""
    other = tmp_path / "other.xsd"
    other.write_text("this file must not be read")
    parts = Parts(export("slider_crank", 3), 3)
    parts.root.set("{http://www.w3.org/2001/XMLSchema-instance}noNamespaceSchemaLocation", str(other))
    fmu = tmp_path / "place.fmu"
    fmu.write_bytes(parts.bytes())
    assert check(fmu, "--no-load") == (0, [])


def test_missing_schemas_are_told_and_all_else_is_checked(export, tmp_path):
    """The program alone, copied away from the files that are installed with it."""
    shutil.copy(PROGRAM, tmp_path / "trammel")
    parts = Parts(export("slider_crank", 2), 2, light=True)
    parts.typed("F").set("unit", "kN")
    (tmp_path / "defect.fmu").write_bytes(parts.bytes())
    command = [tmp_path / "trammel", "check", tmp_path / "defect.fmu", "--no-load", "--json"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.stderr == ""
    found = [(finding["severity"], finding["rule"]) for finding in json.loads(run.stdout)["findings"]]
    assert found == [("note", "xml-schema-missing"), ("error", "unit-undefined")]


def test_files_that_are_no_fmu_are_refused(tmp_path):
    (tmp_path / "text.fmu").write_text("no zip")
    code, findings = check(tmp_path / "text.fmu")
    assert code == 1 and rules_of(findings) == {"zip-unreadable"}
    run = trammel("check", tmp_path / "missing.fmu")
    assert run.returncode == 1 and run.stdout == "" and run.stderr.count("\n") == 1
    assert trammel("check").returncode == 1


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    """150 MB of zeros in less than 1 MB."""
    fmu = tmp_path / "bomb.fmu"
    with zipfile.ZipFile(fmu, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("modelDescription.xml", "w", force_zip64=False) as entry:
            for _ in range(150):
                entry.write(bytes(1 << 20))
    code, findings = check(fmu)
    assert code == 1 and "zip-bomb" in rules_of(findings)


def test_rules_and_their_documentation_agree():
    table = trammel("check", "--rules").stdout
    assert table in (ROOT / "docs" / "check.md").read_text()
    rules = json.loads(trammel("check", "--rules", "--json").stdout)["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules) == table.count("\n") - 2
    assert {rule for _, rule, _, _ in DEFECTS} <= {rule["id"] for rule in rules}


# Descriptions that the binary does not keep: found only by calling it.


def other_start(parts):
    parts.typed("F").set("start", "2")


def other_token(parts):
    parts.root.set("guid" if parts.version == 2 else "instantiationToken", "{0}")


def unknown_variable(parts):
    attributes = {"causality": "parameter", "variability": "fixed"}
    parts.add_variable("Float64", "Real", "spare", {"start": "1"}, **attributes)


def narrow_range(parts):
    parts.typed("power").set("max", "-1e9")


def no_event_mode(parts):
    parts.interface.attrib.pop("hasEventMode")


def missing_library(parts):
    parts.files[parts.binary] = parts.files[parts.binary].replace(b"libm.so.6\0", b"libq.so.6\0")


def other_machine_only(parts):
    parts.files[parts.binary.replace("linux64", "linux32").replace("x86_64", "x86")] = parts.files.pop(parts.binary)


DISAGREEMENTS = [
    (other_start, "run-start", 2),
    (other_start, "run-start", 3),
    (other_token, "run-instantiate", 2),
    (other_token, "run-instantiate", 3),
    (unknown_variable, "run-call", 2),
    (unknown_variable, "run-call", 3),
    (narrow_range, "run-range", 3),
    (no_event_mode, "run-event-mode", 3),
    (missing_library, "run-load", 3),
    (other_machine_only, "run-skipped", 3),
]


@pytest.mark.parametrize("change, rule, version", DISAGREEMENTS)
def test_a_description_that_the_binary_does_not_keep_is_found(export, tmp_path, change, rule, version):
    parts = Parts(export("slider_crank", version), version)
    change(parts)
    fmu = tmp_path / "disagreement.fmu"
    fmu.write_bytes(parts.bytes())
    _, findings = check(fmu)
    assert {found for found in rules_of(findings) if found.startswith("run-")} == {rule}
    assert not any("trammel-" in finding["message"] for finding in findings), "it names the temporary folder"


# FMUs that misbehave when they are called.

FAULTY_DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Faulty" guid="{fault}">
  <CoSimulation modelIdentifier="Faulty" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUstate="true"
    canSerializeFMUstate="true" providesDirectionalDerivative="true"/>
  <LogCategories><Category name="logAll"/></LogCategories>
  <ModelVariables>
    <ScalarVariable name="p" valueReference="1" causality="parameter" variability="fixed"><Real start="3"/></ScalarVariable>
    <ScalarVariable name="u" valueReference="2" causality="input"><Real start="0.5"/></ScalarVariable>
    <ScalarVariable name="y" valueReference="3" causality="output"><Real min="0" max="100"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="3" dependencies="2"/></Outputs>
    <InitialUnknowns><Unknown index="3"/></InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>
"""
FAULTS = {
    "token": "run-token",
    "instantiate": "run-instantiate",
    "initialize": "run-call",
    "start": "run-start",
    "nan": "run-finite",
    "range": "run-range",
    "step": "run-step",
    "crash": "run-crash",
    "exit": "run-crash",
    "loop": "run-timeout",
    "print": "run-output",
    "log": "run-log-error",
    "category": "run-log-category",
    "state": "run-state",
    "serialize": "run-serialize",
    "reset": "run-reset",
    "instances": "run-instances",
    "derivative": "run-derivative",
    "reference": "run-reference",
    "sequence": "run-sequence",
    "size": "run-step",
    "warning": "run-warning",
}


def compiled(source, folder):
    """The bytes of a shared library made of a C file beside this one."""
    headers = Path(fmpy.__file__).parent / "c-code"
    command = ["gcc", "-shared", "-fPIC", "-O1", "-I", headers, Path(__file__).parent / source, "-o", folder / "a.so"]
    subprocess.run(command, check=True)
    return (folder / "a.so").read_bytes()


@pytest.fixture(scope="session")
def faulty_binary(tmp_path_factory):
    return compiled("faulty_fmu.c", tmp_path_factory.mktemp("faulty"))


def faulty_fmu(path, fault, binary):
    description = FAULTY_DESCRIPTION.format(fault=fault).encode()
    path.write_bytes(zipped({"modelDescription.xml": description, "binaries/linux64/Faulty.so": binary}))
    return path


def test_the_fmu_without_a_fault_is_good(faulty_binary, tmp_path):
    assert check(faulty_fmu(tmp_path / "none.fmu", "none", faulty_binary)) == (0, [])


@pytest.mark.parametrize("fault, rule", FAULTS.items())
def test_misbehaviour_is_found(faulty_binary, tmp_path, fault, rule):
    timeout = ["--timeout", "1"] if fault == "loop" else []
    _, findings = check(faulty_fmu(tmp_path / "faulty.fmu", fault, faulty_binary), *timeout)
    # A state that is not restored is not restored from bytes either.
    assert rules_of(findings) == ({rule, "run-serialize"} if fault == "state" else {rule})


def model_exchange_fmu(path, fault, binary):
    """The same with its state exposed, for model exchange alone."""
    description = FAULTY_DESCRIPTION.format(fault=fault)
    begin, end = description.index("  <CoSimulation"), description.index("  <LogCategories")
    description = description[:begin] + '  <ModelExchange modelIdentifier="Faulty"/>\n' + description[end:]
    rate = '<ScalarVariable name="der(y)" valueReference="4"><Real derivative="3"/></ScalarVariable></ModelVariables>'
    description = description.replace("</ModelVariables>", rate)
    description = description.replace("</Outputs>", '</Outputs><Derivatives><Unknown index="4"/></Derivatives>')
    description = description.replace("</InitialUnknowns>", '<Unknown index="4"/></InitialUnknowns>')
    path.write_bytes(zipped({"modelDescription.xml": description.encode(), "binaries/linux64/Faulty.so": binary}))
    return path


@pytest.mark.parametrize("fault, rules", [("none", set()), ("events", {"run-call"}), ("rate", {"run-finite"})])
def test_model_exchange_is_called(faulty_binary, tmp_path, fault, rules):
    _, findings = check(model_exchange_fmu(tmp_path / "exchange.fmu", fault, faulty_binary))
    assert rules_of(findings) == rules


FAULTY_DESCRIPTION_3 = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Faulty" instantiationToken="{fault}">
  <ModelExchange modelIdentifier="Faulty"/>
  <CoSimulation modelIdentifier="Faulty" canHandleVariableCommunicationStepSize="true"
    providesIntermediateUpdate="true" providesDirectionalDerivatives="true" providesAdjointDerivatives="true"/>
  <ScheduledExecution modelIdentifier="Faulty"/>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
    <Float64 name="u" valueReference="1" causality="input" start="0.5"/>
    <Float64 name="y" valueReference="2" causality="output" intermediateUpdate="true"/>
    <Float64 name="der(y)" valueReference="3" derivative="2"/>
  </ModelVariables>
  <ModelStructure>
    <Output valueReference="2" dependencies="1"/>
    <ContinuousStateDerivative valueReference="3" dependencies="1"/>
    <InitialUnknown valueReference="2"/>
    <InitialUnknown valueReference="3"/>
  </ModelStructure>
</fmiModelDescription>
"""


@pytest.fixture(scope="session")
def faulty_binary_3(tmp_path_factory):
    return compiled("faulty_fmu3.c", tmp_path_factory.mktemp("faulty3"))


@pytest.mark.parametrize(
    "fault, rules",
    [
        ("none", set()),
        ("time", {"run-step-time"}),
        ("adjoint", {"run-adjoint"}),
        ("intermediate", {"run-intermediate"}),
        ("states", {"run-call"}),
    ],
)
def test_all_interfaces_of_fmi_3_are_called(faulty_binary_3, tmp_path, fault, rules):
    description = FAULTY_DESCRIPTION_3.format(fault=fault).encode()
    fmu = tmp_path / "faulty.fmu"
    fmu.write_bytes(zipped({"modelDescription.xml": description, "binaries/x86_64-linux/Faulty.so": faulty_binary_3}))
    _, findings = check(fmu)
    assert rules_of(findings) == rules


def test_the_call_that_crashed_is_named(faulty_binary, tmp_path):
    _, findings = check(faulty_fmu(tmp_path / "faulty.fmu", "crash", faulty_binary))
    assert findings[0]["message"] == "signal Aborted in fmi2DoStep"


def test_no_code_of_the_fmu_runs_where_loading_is_off(faulty_binary, tmp_path):
    assert check(faulty_fmu(tmp_path / "faulty.fmu", "crash", faulty_binary), "--no-load") == (0, [])


def test_nothing_is_left_behind(faulty_binary, tmp_path):
    """Neither the unpacked FMU nor a process of it."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    fmu = faulty_fmu(tmp_path / "faulty.fmu", "loop", faulty_binary)
    command = [PROGRAM, "check", fmu, "--timeout", "1"]
    run = subprocess.run(command, env={**os.environ, "TMPDIR": str(folder)}, capture_output=True, text=True, timeout=60)
    assert "[run-timeout]" in run.stdout
    assert list(folder.iterdir()) == []


def test_a_signal_ends_the_check_and_nothing_is_left_behind(faulty_binary, tmp_path):
    folder = tmp_path / "tmp"
    folder.mkdir()
    fmu = faulty_fmu(tmp_path / "faulty.fmu", "loop", faulty_binary)
    # A test run in the background of a shell has SIGINT ignored, and its children with it.
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    environment = {**os.environ, "TMPDIR": str(folder)}
    with subprocess.Popen([PROGRAM, "check", fmu], env=environment, preexec_fn=heed) as process:
        while process.poll() is None and not list(folder.glob("*/binaries/linux64/Faulty.so")):
            time.sleep(0.01)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == -signal.SIGINT
    assert list(folder.iterdir()) == []


# FMUs of other exporters: no false alarms.


ACCUMULATOR = """from {package} import {fmi}Causality, {fmi}Slave, {fmi}Variability, {real}


class Accumulator({fmi}Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.time = 0.0
        self.u = 1.0
        self.y = 0.0
        if hasattr({fmi}Causality, "independent"):  # only FMI 3 needs it
            self.declare("time", {fmi}Causality.independent)
        self.declare("u", {fmi}Causality.input)
        self.declare("y", {fmi}Causality.output)

    def declare(self, name, causality):
        self.register_variable({real}(name, causality=causality, variability={fmi}Variability.continuous))

    def do_step(self, current_time, step_size):
        self.y += self.u * step_size
        return True
"""


@pytest.mark.parametrize(
    "package, fmi, real, errors",
    [("pythonfmu", "Fmi2", "Real", {"structure-initial-missing"}), ("pythonfmu3", "Fmi3", "Float64", set())],
)
def test_fmus_of_pythonfmu_give_only_known_findings(tmp_path, package, fmi, real, errors):
    """They need Python and the libraries of C++; those of pythonfmu 0.7 lack InitialUnknowns, as FMPy finds too."""
    (tmp_path / "accumulator.py").write_text(ACCUMULATOR.format(package=package, fmi=fmi, real=real))
    command = [sys.executable, "-m", package, "build", "-f", "accumulator.py"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    _, findings = check(tmp_path / "Accumulator.fmu", "--no-load")
    assert {finding["rule"] for finding in findings if finding["severity"] == "error"} == errors
    libraries = {"binary-library", "binary-dependencies", "binary-glibc", "binary-export-others"}
    assert rules_of(findings) <= errors | libraries | {"interface-tool"}
