"""The Debian package installs on a fresh minimal Debian 12 and works there."""

import os
import shutil
import subprocess

import pytest
from debian_tree import PROGRAM, debian_tree, run_in

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64", reason="the tree is made for this machine, x86_64 here")


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A copy of a minimal Debian 12 that finds the package archive by name as this machine does."""
    copy = tmp_path_factory.mktemp("deb") / "bookworm"
    subprocess.run(["cp", "-a", debian_tree("bookworm"), copy], check=True)
    shutil.copy("/etc/resolv.conf", copy / "etc" / "resolv.conf")
    yield copy
    shutil.rmtree(copy)


def test_the_deb_installs_exports_and_simulates(fresh, tmp_path):
    subprocess.run(["cpack", "-G", "DEB", "-B", tmp_path], cwd=PROGRAM.parent, check=True, capture_output=True)
    (deb,) = tmp_path.glob("trammel_*.deb")
    shutil.copy(deb, fresh / "srv" / "trammel.deb")
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    update = subprocess.run(["chroot", fresh, "apt-get", "update", "-qq"], capture_output=True, text=True)
    if update.returncode != 0:
        pytest.skip(f"no way to the package archive from the tree: {update.stderr.strip().splitlines()[-1:]}")
    run_in(fresh, "apt-get", "install", "--yes", "--no-install-recommends", "/srv/trammel.deb", env=environment)
    lines = run_in(fresh, "sh", "-c", "cd /srv && trammel export pendulum && trammel simulate pendulum.fmu").splitlines()
    assert lines[0].startswith("wrote Pendulum.fmu: ")
    assert lines[1].startswith("time,") and len(lines) == 1003  # 10 s in steps of 0.01 s
    x, y = (float(word) for word in lines[-1].split(",")[1:4:2])
    assert (x, y) == pytest.approx((1, 0), abs=1e-3)  # the start, after five periods of 2 s
    assert "nothing found" in run_in(fresh, "sh", "-c", "cd /srv && trammel check Pendulum.fmu")
    assert "trammel " in run_in(fresh, "trammel", "--version")
