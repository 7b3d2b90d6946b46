"""Mechanisms cut into FMUs, and the same in one piece, as files of a folder."""

import csv
import math
import re
from dataclasses import dataclass, field

PLANAR = 'trammel = 1\nkind = "mechanism"\nplanar = true\ngravity = [0.0, -9.81]\n'
SPATIAL = 'trammel = 1\nkind = "mechanism"\ngravity = [0.0, 0.0, -9.81]\n'


def body(name, mass, inertia, position):
    return f'[bodies.{name}]\nmass = {mass}\ninertia = {inertia}\nposition = {position}\n'


def frame(name, of, position):
    return f'[frames.{name}]\nbody = "{of}"\nposition = {position}\n'


def joint(name, kind, a, b, **axes):
    lines = [f'[joints.{name}]', f'type = "{kind}"', f'a = "{a}"', f'b = "{b}"']
    return "\n".join(lines + [f"{key} = {value}" for key, value in axes.items()]) + "\n"


def port(name, kind, of):
    return f'[ports.{name}]\ntype = "{kind}"\nframe = "{of}"\n'


ENERGY = '[outputs.energy]\nexpression = "total_energy"\nunit = "J"\n'


@dataclass
class Run:
    """How a coupled run goes on."""
    step: float
    stop: float
    tolerance: float = 1e-8  # of the members
    coupling: dict = field(default_factory=dict)
    versions: tuple = (3, 2)  # of FMI, in turn; None: in the process of the master

    def system(self, components, joints, record):
        text = f'trammel_system = 1\nrecord = {record}\n'
        text += f'[experiment]\nstop_time = {self.stop}\nstep = {self.step}\n[coupling]\n'
        text += "".join(f"{key} = {value!r}\n" for key, value in self.coupling.items())
        for i, name in enumerate(components):
            version = self.versions[i % len(self.versions)]
            text += f'[components.{name}]\nfile = "{name}.toml"\n' + (f"fmi = {version}\n" if version else "")
            text += f"tolerance = {self.tolerance}\n"
        return text + joints


@dataclass
class Chain:
    """Uniform rods in a plane, hanging in a row, cut into pieces of so many rods."""
    pieces: list
    length: float
    masses: list
    angles: list  # from the vertical


def write_chain(folder, chain, run):
    """Files piece0.toml …, whole.toml and system.toml; returns the names of the angles."""
    base, number, before = [0.0, 0.0], 0, None
    whole, whole_joints, joints, record, names = PLANAR + 'name = "Whole"\n', "", "", [], []
    for p, count in enumerate(chain.pieces):
        text, own = PLANAR + f'name = "Piece{p}"\n', ""
        first = f"rod{number}"
        for i in range(count):
            rod, l, m, angle = f"rod{number}", chain.length, chain.masses[number], chain.angles[number]
            part = (f'[bodies.{rod}]\nmass = {m}\ninertia = {m * l * l / 12!r}\ncentre = [{l / 2!r}, 0.0]\n'
                    f'position = {base}\nangle = {angle - math.pi / 2!r}\nkeep = ["position", "orientation"]\n'
                    + frame(f"{rod}_tip", rod, [l, 0.0]))
            pin = joint(f"pin{number}", "revolute", f"{before}_tip" if before else "ground", rod)
            text += part
            whole += part
            whole_joints += pin
            if p == 0 or i > 0:
                own += pin
            names.append(f"{rod}.phi")
            record.append(f"piece{p}.{rod}.phi")
            base = [base[0] + l * math.sin(angle), base[1] - l * math.cos(angle)]
            before, number = rod, number + 1
        if p > 0:
            own += port("begin", "point", first)
            joints += joint(f"cut{p}", "spherical", f"piece{p - 1}.end", f"piece{p}.begin")
        if p + 1 < len(chain.pieces):
            own += port("end", "point", f"{before}_tip")
        (folder / f"piece{p}.toml").write_text(text + own + ENERGY)
    pieces = [f"piece{p}" for p in range(len(chain.pieces))]
    (folder / "whole.toml").write_text(whole + whole_joints)
    (folder / "system.toml").write_text(run.system(pieces, joints, record + [f"{p}.energy" for p in pieces]))
    return names


def double_pendulum():
    return Chain([1, 1], 1.0, [1.0, 1.0], [1.0, 0.5])


def ten_rods(pieces):
    return Chain(pieces, 0.2, [0.5] * 10, [0.6 + 0.05 * i for i in range(10)])


def write_spatial_pendulum(folder, run):
    """Two bars with hinges askew to each other."""
    arm = (body("arm", 1.0, [0.02, 0.09, 0.08], [0.5, 0.0, 0.0]) + frame("root", "arm", [-0.5, 0.0, 0.0])
           + frame("tip", "arm", [0.5, 0.0, 0.0]) + joint("pivot", "revolute", "ground", "root", axis=[0.0, 1.0, 0.3]))
    rod = body("rod", 1.0, [0.02, 0.09, 0.08], [1.5, 0.0, 0.0]) + frame("head", "rod", [-0.5, 0.0, 0.0])
    axis = [0.2, 1.0, -0.4]
    (folder / "arm.toml").write_text(SPATIAL + 'name = "Arm"\n' + arm + port("end", "frame", "tip"))
    (folder / "rod.toml").write_text(SPATIAL + 'name = "Rod"\n' + rod + port("begin", "frame", "head"))
    (folder / "whole.toml").write_text(
        SPATIAL + 'name = "Whole"\n' + arm + rod + joint("knee", "revolute", "tip", "head", axis=axis))
    names = [f"{b}.r[{i}]" for b in ("arm", "rod") for i in (1, 2, 3)]
    (folder / "system.toml").write_text(run.system(
        ["arm", "rod"], joint("knee", "revolute", "arm.end", "rod.begin", axis=axis),
        [f"{n.split('.')[0]}.{n}" for n in names]))
    return names


def write_spatial_four_bar(folder, run):
    """Crank and rocker on hinges askew to each other, a coupler with a ball and a universal joint."""
    a, b, c = [0.4, 0.0, 0.2], [1.2, 1.0, 0.6], [1.8, 0.2, 0.0]

    def bar(name, mass, inertia, ends):
        middle = [(p + q) / 2 for p, q in zip(*ends.values())]
        return body(name, mass, inertia, middle) + "".join(
            frame(end, name, [p - q for p, q in zip(place, middle)]) for end, place in ends.items())

    crank = bar("crank", 0.8, [0.016, 0.02, 0.024], {"crank_root": [0.0, 0.0, 0.0], "crank_tip": a})
    crank += joint("pivot", "revolute", "ground", "crank_root", axis=[0.0, 1.0, 0.0])
    coupler = bar("coupler", 1.6, [0.24, 0.16, 0.32], {"coupler_a": a, "coupler_b": b})
    rocker = bar("rocker", 1.2, [0.16, 0.16, 0.24], {"rocker_root": c, "rocker_tip": b})
    rocker += frame("base", "ground", c) + joint("bearing", "revolute", "base", "rocker_root", axis=[1.0, -0.3, 0.2])
    cross = {"axis": [0.0, 0.0, 1.0], "axis_b": [0.5, -0.4, 0.0]}
    ports = {"crank": crank + port("end", "point", "crank_tip"),
             "coupler": coupler + port("begin", "point", "coupler_a") + port("end", "frame", "coupler_b"),
             "rocker": rocker + port("end", "frame", "rocker_tip")}
    for name, text in ports.items():
        (folder / f"{name}.toml").write_text(SPATIAL + f'name = "{name.title()}"\n' + text)
    (folder / "whole.toml").write_text(
        SPATIAL + 'name = "Whole"\n' + crank + coupler + rocker
        + joint("ball", "spherical", "crank_tip", "coupler_a")
        + joint("cross", "universal", "coupler_b", "rocker_tip", **cross))
    names = [f"{n}.r[{i}]" for n in ports for i in (1, 2, 3)]
    (folder / "system.toml").write_text(run.system(
        list(ports), joint("ball", "spherical", "crank.end", "coupler.begin")
        + joint("cross", "universal", "coupler.end", "rocker.end", **cross),
        [f"{n.split('.')[0]}.{n}" for n in names]))
    return names


def read_csv(path):
    """Columns by name."""
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


@dataclass
class Statistics:
    """What `trammel couple` prints at the end."""
    mean: float
    most: int
    repeated: int
    gap: float
    steps: int
    events: int

    def __init__(self, text):
        match = re.search(r"\(([\d.e+-]+) for each step, most (\d+)\), (\d+) steps repeated", text)
        self.mean, self.most, self.repeated = float(match[1]), int(match[2]), int(match[3])
        self.steps = int(re.search(r"(\d+) steps, \d+ evaluations", text)[1])
        self.events = int((re.search(r"(\d+) events", text) or [0, 0])[1])
        self.gap = max(float(gap) for gap in re.findall(r"largest gap ([\d.e+-]+)", text))
