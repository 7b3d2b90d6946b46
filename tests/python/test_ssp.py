"""Systems of SSP 1.0: what they say, and what is wrong with them."""

import subprocess
import zipfile
from pathlib import Path

import fmpy
import pytest
from lxml import etree

from conftest import PROGRAM
from test_coupled_fmus import MASS

SSD = """<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"
    xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" name="TwoMasses" version="1.0">
  <ssd:System name="root">
    <ssd:Elements>
      <ssd:Component name="left" type="application/x-fmu-sharedlibrary" source="resources/left%20mass.fmu">
        <ssd:Connectors>
          <ssd:Connector name="x" kind="output"><ssc:Real unit="m"/></ssd:Connector>
          <ssd:Connector name="F" kind="input"><ssc:Real unit="N"/></ssd:Connector>
        </ssd:Connectors>
        <ssd:ParameterBindings>
          <ssd:ParameterBinding>
            <ssd:ParameterValues>
              <ssv:ParameterSet version="1.0" name="values">
                <ssv:Parameters>
                  <ssv:Parameter name="m"><ssv:Real value="0.5"/></ssv:Parameter>
                </ssv:Parameters>
              </ssv:ParameterSet>
            </ssd:ParameterValues>
          </ssd:ParameterBinding>
        </ssd:ParameterBindings>
      </ssd:Component>
      <ssd:Component name="right" type="application/x-fmu-sharedlibrary" source="resources/right.fmu">
        <ssd:Connectors>
          <ssd:Connector name="F" kind="input"><ssc:Real unit="N"/></ssd:Connector>
        </ssd:Connectors>
      </ssd:Component>
      <ssd:Component name="follower" type="application/x-fmu-sharedlibrary" source="resources/right.fmu">
        <ssd:Connectors>
          <ssd:Connector name="F" kind="input"><ssc:Real unit="N"/></ssd:Connector>
        </ssd:Connectors>
      </ssd:Component>
    </ssd:Elements>
    <ssd:Connections>
      <ssd:Connection startElement="left" startConnector="x" endElement="follower" endConnector="F">
        <ssc:LinearTransformation factor="10" offset="1"/>
      </ssd:Connection>
    </ssd:Connections>
    <ssd:Annotations>
      <ssc:Annotation type="trammel.coupling">
        <trammel:Coupling xmlns:trammel="urn:trammel:coupling:1"><![CDATA[
trammel_system = 1
record = ["left.x", "right.x", "follower.x"]
[experiment]
step = 0.01
[components.left.ports.end]
force = "F"
position = "x"
velocity = "der(x)"
acceleration = "a"
[components.right.ports.end]
force = "F"
position = "x"
velocity = "der(x)"
acceleration = "a"
[joints.tie]
type = "shaft"
a = "left.end"
b = "right.end"
]]></trammel:Coupling>
      </ssc:Annotation>
    </ssd:Annotations>
  </ssd:System>
  <ssd:DefaultExperiment startTime="0" stopTime="1"/>
</ssd:SystemStructureDescription>
"""

SYSTEM = """trammel_system = 1
connections = [{ from = "left.x", to = "follower.F", factor = 10.0, offset = 1.0 }]
record = ["left.x", "right.x", "follower.x"]
[experiment]
stop_time = 1.0
step = 0.01
[components.left]
file = "resources/left mass.fmu"
parameters = { m = 0.5 }
[components.left.ports.end]
force = "F"
position = "x"
velocity = "der(x)"
acceleration = "a"
[components.right]
file = "resources/right.fmu"
[components.right.ports.end]
force = "F"
position = "x"
velocity = "der(x)"
acceleration = "a"
[components.follower]
file = "resources/right.fmu"
[joints.tie]
type = "shaft"
a = "left.end"
b = "right.end"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The unpacked package, with both FMUs."""
    path = tmp_path_factory.mktemp("ssp")
    (path / "mass.toml").write_text(MASS)
    (path / "resources").mkdir()
    for name, version in (("left mass", 2), ("right", 3)):
        subprocess.run([PROGRAM, "export", "mass.toml", "--fmi", str(version), "-o", f"resources/{name}.fmu"], cwd=path,
                       check=True, capture_output=True)
    return path


def couple(folder, system, *options):
    return subprocess.run([PROGRAM, "couple", system, *options], cwd=folder, capture_output=True, text=True)


def test_the_description_is_valid_ssp():
    schema = Path(fmpy.__file__).parent / "ssp" / "schema" / "SystemStructureDescription.xsd"
    etree.XMLSchema(etree.parse(str(schema))).assertValid(etree.fromstring(SSD.encode()))


def test_package_description_and_system_file_give_the_same_numbers(folder):
    (folder / "SystemStructure.ssd").write_text(SSD)
    (folder / "system.toml").write_text(SYSTEM)
    with zipfile.ZipFile(folder / "system.ssp", "w") as package:
        for name in ("SystemStructure.ssd", "resources/left mass.fmu", "resources/right.fmu"):
            package.write(folder / name, name)
    results = []
    for system in ("system.toml", "SystemStructure.ssd", "system.ssp"):
        run = couple(folder, system)
        assert run.returncode == 0, run.stderr
        results.append(run.stdout)
    assert results[0] == results[1] == results[2]
    assert len(results[0].splitlines()) == 102


@pytest.mark.parametrize("old, new, message", [
    ("resources/right.fmu", "../right.fmu", "source must be a path below the description, is \"../right.fmu\""),
    ("resources/right.fmu", "resources/wrong.fmu", "is no file of the package"),
    ('value="0.5"', 'value="half"', "value must be a number, is \"half\""),
    ('endElement="follower"', 'endElement="leader"', "endElement must be a component, is \"leader\""),
    ('version="1.0">\n  <ssd:System', 'version="2.0">\n  <ssd:System', "version must be 1.0, is \"2.0\""),
    ('stopTime="1"', 'stopTime="-1"', "stopTime must be later than startTime 0 s, is -1"),
    ("</ssd:Elements>", "<ssd:SignalDictionaryReference/></ssd:Elements>", "is not supported"),
    ("</ssd:Elements>", "</ssd:Element>", "SystemStructure.ssd:"),
    ('type = "shaft"', 'type = "glue"', "SystemStructure.ssd:58: joint \"tie\": type must be one of"),
    ('type="application/x-fmu-sharedlibrary" source="resources/right', 'type="text/plain" source="resources/right',
     "type must be application/x-fmu-sharedlibrary"),
])
def test_wrong_descriptions_end_with_one_line(folder, old, new, message):
    assert old in SSD
    (folder / "SystemStructure.ssd").write_text(SSD.replace(old, new))
    run = couple(folder, "SystemStructure.ssd")
    assert run.returncode == 1, run.stderr
    assert message in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_wrong_packages_end_with_one_line(folder):
    with zipfile.ZipFile(folder / "empty.ssp", "w") as package:
        package.writestr("readme.txt", "")
    (folder / "noise.ssp").write_bytes(b"PK\x03\x04 no zip")
    for name, message in (("empty.ssp", "SystemStructure.ssd is missing"), ("noise.ssp", "noise.ssp"),
                          ("missing.ssp", "missing.ssp: cannot be opened")):
        run = couple(folder, name)
        assert run.returncode == 1
        assert message in run.stderr
        assert len(run.stderr.splitlines()) == 1
