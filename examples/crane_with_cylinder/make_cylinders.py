"""Makes the three cylinders, CylinderFmi2.fmu, CylinderFmi3.fmu and CylinderC.fmu, in the folder given (default: here).

Needs pythonfmu and pythonfmu3 from PyPI, FMPy for the C headers of FMI, and gcc."""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import fmpy

HERE = Path(__file__).resolve().parent


def make_python(version, folder):
    exporter = {2: "pythonfmu", 3: "pythonfmu3"}[version]
    subprocess.run([sys.executable, "-m", exporter, "build", "--handle-state", "-d", folder,
                    "-f", HERE / f"cylinder_fmi{version}.py", HERE / "cylinder_equations.py"],
                   check=True, stdout=subprocess.DEVNULL)


def make_c(folder):
    headers = Path(fmpy.__file__).parent / "c-code"
    with tempfile.TemporaryDirectory() as build:
        library = Path(build) / "CylinderC.so"
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-I", headers, HERE / "cylinder.c", "-o", library, "-lm"],
                       check=True)
        with zipfile.ZipFile(folder / "CylinderC.fmu", "w", zipfile.ZIP_DEFLATED) as fmu:
            fmu.write(HERE / "cylinder.xml", "modelDescription.xml")
            fmu.write(library, "binaries/linux64/CylinderC.so")


if __name__ == "__main__":
    target = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else HERE
    make_c(target)
    for fmi in (2, 3):
        make_python(fmi, target)
