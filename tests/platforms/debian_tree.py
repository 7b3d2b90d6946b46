"""Bare Debian systems to run things in: made once by debootstrap and kept in the build folder."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("TRAMMEL", ROOT / "build" / "trammel"))


def mirrors():
    """Arguments of debootstrap for a place to fetch from: where apt fetches Debian from, then debootstrap's own."""
    command = ["apt-get", "indextargets", "--format", "$(LABEL) $(REPO_URI)"]
    targets = subprocess.run(command, capture_output=True, text=True).stdout.split("\n")
    places = [line.split(" ", 1)[1] for line in targets if line.startswith("Debian ")]
    return [*([place] for place in places[:1]), []]


def debootstrapped(suite, packages, tree):
    """Whether the tree could be made, and what debootstrap said last."""
    for mirror in mirrors():
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir(parents=True)
        include = [f"--include={','.join(packages)}"] if packages else []
        command = ["debootstrap", "--variant=minbase", *include, suite, tree, *mirror]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode == 0:
            return True, ""
    return False, (made.stdout + made.stderr).strip().split("\n")[-1]


def debian_tree(suite, packages=()):
    """Folder with a minimal system of this suite and some packages; skips the test where there can be none."""
    if "TRAMMEL_DEBIAN_TREES" not in os.environ:
        pytest.skip("takes minutes: make test-platforms runs it")
    if os.geteuid() != 0:
        pytest.skip("debootstrap and chroot need root")
    if shutil.which("debootstrap") is None:
        pytest.skip("debootstrap is not installed: packaging/setup.sh emulators installs it")
    tree = PROGRAM.parent / "debian" / suite
    if not tree.exists():
        part = tree.with_name(f"{suite}.part")
        made, words = debootstrapped(suite, packages, part)
        if not made:
            pytest.skip(f"no {suite} system can be made here, debootstrap says: {words}")
        part.rename(tree)
    return tree


def run_in(tree, *command, **options):
    """Runs a command inside the tree and returns what it prints."""
    run = subprocess.run(["chroot", tree, *map(str, command)], capture_output=True, text=True, **options)
    assert run.returncode == 0, f"{command}: {run.stdout[-2000:]}{run.stderr[-2000:]}"
    return run.stdout
