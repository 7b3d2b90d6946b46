"""Bare Debian systems to run things in: made once by debootstrap and kept in the build folder."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("TRAMMEL", ROOT / "build" / "trammel"))


def debian_tree(suite, packages=()):
    """Folder with a minimal system of this suite and some packages; skips the test where there can be none."""
    if "TRAMMEL_DEBIAN_TREES" not in os.environ:
        pytest.skip("takes minutes: make test-platforms runs it")
    if os.geteuid() != 0:
        pytest.skip("debootstrap and chroot need root")
    if shutil.which("debootstrap") is None:
        pytest.skip("debootstrap is not installed: packaging/setup.sh platforms installs it")
    tree = PROGRAM.parent / "debian" / suite
    if not tree.exists():
        part = tree.with_name(f"{suite}.part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        include = [f"--include={','.join(packages)}"] if packages else []
        made = subprocess.run(
            ["debootstrap", "--variant=minbase", *include, suite, part], capture_output=True, text=True
        )
        if made.returncode != 0:
            pytest.skip(f"debootstrap {suite} failed: {made.stdout.strip().splitlines()[-1:]}")
        part.rename(tree)
    return tree


def run_in(tree, *command, **options):
    """Runs a command inside the tree and returns what it prints."""
    run = subprocess.run(["chroot", tree, *map(str, command)], capture_output=True, text=True, **options)
    assert run.returncode == 0, f"{command}: {run.stdout[-2000:]}{run.stderr[-2000:]}"
    return run.stdout
