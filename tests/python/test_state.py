"""A serialized state goes on in a freshly started process, in another folder, with the same bits."""

import subprocess
import sys
from pathlib import Path

import pytest
from fmpy import extract, read_model_description

from conftest import ROOT
from slave import Slave

SCRIPT = Path(__file__).with_name("continue_state.py")
COUNT = 40  # steps before and after the state is taken


# A point mass, one that bounces (events before and after), bodies in space (Euler parameters).
@pytest.mark.parametrize("name, step", [("pendulum", 0.02), ("bouncing_ball", 0.03), ("spatial_slider_crank", 0.02)])
def test_a_fresh_process_continues_bit_for_bit(export, name, step, version, tmp_path):
    fmu = str(export(ROOT / "models" / "catalogue" / f"{name}.toml", version))
    slave = Slave(read_model_description(fmu), extract(fmu, str(tmp_path / "here")), "straight")
    slave.start(1e-6)
    for i in range(COUNT):
        slave.step(i * step, step)
    file = tmp_path / "state"
    file.write_bytes(slave.bytes())
    middle = file.read_bytes()
    for i in range(COUNT, 2 * COUNT):
        slave.step(i * step, step)
    command = [sys.executable, SCRIPT, fmu, tmp_path / "there", file, COUNT, COUNT, repr(step)]
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert file.read_bytes() == slave.bytes()
    assert file.read_bytes() != middle
    slave.end()
