"""Connections convert between the units that FMUs define."""

import zipfile

import pytest

MODEL = """trammel = 1
kind = "equations"
name = "Follower"
[inputs]
u = {{ start = 0.0, unit = "{unit}" }}
[coordinates.x]
unit = "{unit}"
start = 1.0
mass = 1.0
[outputs.seen]
expression = "u"
unit = "{unit}"
"""

SYSTEM = """trammel_system = 1
connections = [{ from = "left.x", to = "right.u" }]
record = ["left.x", "right.seen"]
[experiment]
stop_time = 0.1
step = 0.05
[components.left]
file = "left.fmu"
[components.right]
file = "right.fmu"
"""


def with_unit(fmu, target, unit, definition):
    """The FMU with another unit of the variables that have this one, as another tool might export it."""
    with zipfile.ZipFile(fmu) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for item in old.infolist():
            data = old.read(item)
            if item.filename == "modelDescription.xml":
                text = data.decode()
                assert f'unit="{unit}"' in text and "<UnitDefinitions>" in text
                text = text.replace(f' unit="{unit}"', ' unit="theirs"')
                data = text.replace("<UnitDefinitions>", f'<UnitDefinitions><Unit name="theirs">{definition}</Unit>').encode()
            new.writestr(item, data)


@pytest.mark.parametrize("unit, definition, expected, warned", [
    # left.x is 1 of its unit.
    pytest.param("m", '<BaseUnit m="1" factor="0.001"/>', 0.001, False, id="mm to m"),
    pytest.param("rad", '<BaseUnit rad="1" factor="0.017453292519943295"/>', 0.017453292519943295, False, id="deg to rad"),
    pytest.param("K", '<BaseUnit K="1" offset="273.15"/>', 274.15, False, id="degC to K"),
    pytest.param("m", '<BaseUnit kg="1"/>', 1.0, True, id="kg to m"),
])
@pytest.mark.parametrize("version", [2, 3])
def test_values_are_converted_between_units(trammel, tmp_path, version, unit, definition, expected, warned):
    (tmp_path / "model.toml").write_text(MODEL.format(unit=unit))
    run = trammel("export", "model.toml", "--fmi", version, "-o", "right.fmu", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    with_unit(tmp_path / "right.fmu", tmp_path / "left.fmu", unit, definition)
    (tmp_path / "system.toml").write_text(SYSTEM)
    run = trammel("couple", "system.toml", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert float(run.stdout.splitlines()[-1].split(",")[2]) == pytest.approx(expected, rel=1e-12)
    assert ("are of different kinds" in run.stderr) == warned


def test_a_factor_in_the_system_file_is_taken_as_it_is(trammel, tmp_path):
    (tmp_path / "model.toml").write_text(MODEL.format(unit="m"))
    assert trammel("export", "model.toml", "-o", "right.fmu", cwd=tmp_path).returncode == 0
    with_unit(tmp_path / "right.fmu", tmp_path / "left.fmu", "m", '<BaseUnit m="1" factor="0.001"/>')
    (tmp_path / "system.toml").write_text(SYSTEM.replace('"right.u" }', '"right.u", factor = 5.0 }'))
    run = trammel("couple", "system.toml", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert float(run.stdout.splitlines()[-1].split(",")[2]) == pytest.approx(5.0, rel=1e-12)
