"""The FMU of every catalogue model is valid: schema, rules of FMPy, zip rules, libraries of the binary."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import fmpy
from fmpy.validation import validate_fmu
from lxml import etree

SCHEMAS = {
    2: Path(fmpy.__file__).parent / "schema/fmi2/fmi2ModelDescription.xsd",
    3: Path(fmpy.__file__).parent / "schema/fmi3/fmi3ModelDescription.xsd",
}
PLATFORM_FOLDERS = {2: "linux64", 3: "x86_64-linux"}


def description_of(fmu):
    with zipfile.ZipFile(fmu) as archive:
        return etree.fromstring(archive.read("modelDescription.xml"))


def schema_errors(version, description):
    schema = etree.XMLSchema(etree.parse(str(SCHEMAS[version])))
    schema.validate(description)
    return [error.message for error in schema.error_log]


def test_fmpy_finds_no_problem(export, model, version):
    assert validate_fmu(str(export(model, version))) == []


def test_fmpy_validate_reports_no_problem(export, pendulum, version):
    """The command that users type; it calls the function of the test before."""
    command = [sys.executable, "-m", "fmpy", "validate", str(export(pendulum, version))]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
    assert run.stdout.strip() == "No problems found."


def test_description_conforms_to_the_schema(export, model, version):
    assert schema_errors(version, description_of(export(model, version))) == []


def test_the_schema_check_notices_a_wrong_description(export, pendulum, version):
    description = description_of(export(pendulum, version))
    description.remove(description.find("ModelVariables"))
    assert schema_errors(version, description) != []


def test_zip_keeps_the_rules_of_fmi(export, model, version):
    with zipfile.ZipFile(export(model, version)) as archive:
        entries = archive.infolist()
        assert archive.testzip() is None
    names = [entry.filename for entry in entries]
    assert names == sorted(set(names))
    assert {"modelDescription.xml", "resources/model.toml", "documentation/index.html"} <= set(names)
    for entry in entries:
        assert entry.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        assert entry.extract_version <= 20
        assert entry.flag_bits & 0x09 == 0  # not encrypted, no data descriptor
        assert entry.date_time == (1980, 1, 1, 0, 0, 0)
        assert entry.extra == b""


def test_two_exports_have_the_same_bytes(trammel, export, model, version, tmp_path):
    assert trammel("export", model, "--fmi", version, "-o", tmp_path / "again.fmu").returncode == 0
    first, second = (
        hashlib.sha256(path.read_bytes()).hexdigest() for path in (export(model, version), tmp_path / "again.fmu")
    )
    assert first == second


def test_the_binary_needs_only_libc_and_libm(export, pendulum, version, tmp_path):
    with zipfile.ZipFile(export(pendulum, version)) as archive:
        name = f"binaries/{PLATFORM_FOLDERS[version]}/Pendulum.so"
        binary = archive.extract(name, tmp_path)
    dynamic = subprocess.run(["readelf", "--dynamic", binary], capture_output=True, text=True, check=True).stdout
    needed = {line.split("[")[1].split("]")[0] for line in dynamic.splitlines() if "(NEEDED)" in line}
    # The dynamic loader itself is named where thread-local storage is used.
    assert needed <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}
    assert "libc.so.6" in needed
    sections = subprocess.run(["readelf", "--sections", binary], capture_output=True, text=True, check=True).stdout
    assert ".symtab" not in sections, "the binary is not stripped"
