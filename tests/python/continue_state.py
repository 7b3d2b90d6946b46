"""Goes on from a serialized state and writes the state at the end; run in a process of its own.

usage: continue_state.py FMU FOLDER STATE_FILE FIRST COUNT STEP
"""

import sys
from pathlib import Path

from fmpy import extract, read_model_description

from slave import Slave

if __name__ == "__main__":
    fmu, folder, file, first, count, step = sys.argv[1:]
    slave = Slave(read_model_description(fmu), extract(fmu, folder), "continued")
    slave.take(Path(file).read_bytes())
    for i in range(int(first), int(first) + int(count)):
        slave.step(i * float(step), float(step))
    Path(file).write_bytes(slave.bytes())
    slave.end()
