"""The FMU runs on a system that is older than the one it was built on: Debian 11, with glibc 2.31."""

import os
import shutil
import subprocess
import zipfile

import fmpy
import pytest
from debian_tree import PROGRAM, ROOT, debian_tree, run_in
from test_hosts import HEADERS, STEPS, STOP, VARIABLES

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64", reason="the tree is made for this machine, x86_64 here")


@pytest.fixture(scope="module")
def tree():
    """Debian 11 with a small compiler, which makes the host there against its own C library."""
    return debian_tree("bullseye", ["tcc", "libc6-dev"])


@pytest.mark.parametrize("version", [2, 3], ids=["fmi2", "fmi3"])
def test_debian_11_gives_the_results_of_this_system(tree, version, tmp_path):
    fmu = tmp_path / "p.fmu"
    subprocess.run([PROGRAM, "export", "pendulum", "--fmi", str(version), "-o", fmu], check=True, capture_output=True)
    home = tree / "srv" / f"fmi{version}"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    with zipfile.ZipFile(fmu) as archive:
        archive.extractall(home)
    for file in [ROOT / "tests" / "platforms" / "host.c", *HEADERS.glob("fmi*.h")]:
        shutil.copy(file, home)
    inside = f"/srv/fmi{version}"
    run_in(tree, "tcc", "-I", inside, f"{inside}/host.c", "-o", f"{inside}/host", "-ldl")
    description = fmpy.read_model_description(str(fmu))
    references = {variable.name: str(variable.valueReference) for variable in description.modelVariables}
    binary = f"binaries/{'linux64' if version == 2 else 'x86_64-linux'}/Pendulum.so"
    arguments = [str(version), description.guid or description.instantiationToken]
    wanted = [references[name] for name in VARIABLES]

    def lines(run, folder, host):
        resources = f"file://{folder}/resources" if version == 2 else f"{folder}/resources/"
        text = run(host, f"{folder}/{binary}", *arguments, resources, str(STOP), str(STEPS), *wanted)
        return [[float(word) for word in line.split()] for line in text.splitlines()]

    got = lines(lambda *command: run_in(tree, *command), inside, f"{inside}/host")
    subprocess.run(["gcc", "-I", HEADERS, home / "host.c", "-o", tmp_path / "host", "-ldl"], check=True)
    here = lines(
        lambda *command: subprocess.run(command, check=True, capture_output=True, text=True).stdout,
        home,
        tmp_path / "host",
    )
    assert len(got) == STEPS + 1
    # The same binary; only sin, cos and their like come from another C library, as on other platforms.
    for a, b in zip(got, here):
        assert a == pytest.approx(b, rel=1e-10, abs=1e-10)
