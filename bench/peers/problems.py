"""The problems of the comparison: model text for ours, outputs, and what each rival is asked to do with them."""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

CATALOGUE = Path(__file__).resolve().parents[2] / "models" / "catalogue"
sys.path.insert(0, str(CATALOGUE))

from generate_chain import chain  # noqa: E402
from generate_four_bars import four_bars  # noqa: E402

IDA_FORMS = ("ggl", "ggl-strict", "index2", "index2-strict")
IDA_STIFF = ("ggl", "ggl-order2", "ggl-order2-positions", "ggl-order1-positions", "index2-order2-positions")
IDA_MODEL = ("model-ggl", "model-ggl-strict", "model-index2", "model-index2-strict")
SIMBODY = ("rkm", "cpodes-adams")
SIMBODY_LOOPS = ("rkm", "cpodes-bdf")


@dataclass
class Problem:
    name: str  # as the programs of the rivals know it
    group: str  # of the targets
    text: str  # model file
    outputs: list  # coordinates and velocities of the model
    stop: float  # [s]
    points: int = 10
    size: int = 1
    bodies: list = field(default_factory=list)
    eps: float = 0.0
    measure: str = "trajectory"  # or "slow", "energy"
    common_scale: bool = False  # one scale for all outputs, that of the largest
    slow: list = field(default_factory=list)  # outputs of the slow solution at the end
    modes: tuple = ("follow",)
    peers: dict = field(default_factory=dict)  # program -> variants
    referee: tuple = ("ida", "ggl")  # the rival that agrees on the reference
    reference_tolerance: float = 1e-11
    exudyn: bool = False
    quick: bool = True

    @property
    def title(self):
        parts = [self.name.replace("_", " ")]
        if self.size > 1:
            parts.append(f"N = {self.size}")
        if self.eps:
            parts.append(f"eps = {self.eps:g}")
        return ", ".join(parts)


def selected(count, most=100):
    """At most `most` of the numbers 0 … count−1, equally spaced, with both ends."""
    if count <= most:
        return list(range(count))
    return sorted({round(i * (count - 1) / (most - 1)) for i in range(most)})


def catalogue(name, **values):
    """Text of a model of the catalogue with other values of its parameters."""
    text = (CATALOGUE / f"{name}.toml").read_text()
    for parameter, value in values.items():
        text, count = re.subn(rf"(?m)^({parameter} = {{ value = )[^,}}]+", rf"\g<1>{value!r}", text)
        if count != 1:
            raise ValueError(f"{name}.toml: no parameter {parameter}")
    return text


def spatial_chain(count):
    """Rods of 1 m and 1 kg with spherical joints, at the start a horizontal zigzag of ±30°."""
    lines = [
        "trammel = 1", 'kind = "mechanism"', f'name = "SpatialChain{count}"', "gravity = [0.0, 0.0, -9.81]",
        "", "[parameters]", 'c = { value = 0.8660254037844386, description = "Cosine of 30 degrees" }',
    ]
    for i in range(count):
        sign = 1 if i % 2 == 0 else -1
        lines += [
            "", f"[bodies.rod{i + 1}]", "mass = 1.0", 'inertia = [0.00125, "1/12", "1/12"]',
            "centre = [0.5, 0.0, 0.0]", f'position = ["{i}*c", {0.0 if i % 2 == 0 else 0.5}, 0.0]',
            f'rotation = {{ axis = [0.0, 0.0, 1.0], angle = "{sign * 30} deg" }}',
        ]
    for i in range(count):
        before = f'a = {{ body = "rod{i}", position = [1.0, 0.0, 0.0] }}\n' if i else ""
        lines += ["", f"[joints.ball{i + 1}]", 'type = "spherical"', f'{before}b = "rod{i + 1}"']
    return "\n".join(lines) + "\n"


def cantilever(count):
    """The cantilever of the catalogue with another number of elements."""
    head = (CATALOGUE / "cantilever.toml").read_text().split("[bodies.node1]")[0]
    lines = [head.replace("8 elements", f"{count} elements")]
    for i in range(1, count + 1):
        mass = f"rho*w*h*L/{count}" + ("/2" if i == count else "")
        lines += [
            f"[bodies.node{i}]", f'mass = "{mass}"', f'inertia = "{mass}*((L/{count})^2 + h^2)/12"',
            f'position = ["{i}*L/{count}", 0.0]', "",
        ]
    for i in range(1, count + 1):
        before = [f'a = "node{i - 1}"'] if i > 1 else []
        lines += [
            f"[forces.element{i}]", 'type = "beam"', *before, f'b = "node{i}"', f'length = "L/{count}"', 'E = "E"',
            'area = "w*h"', 'Iz = "w*h^3/12"', 'damping = "beta"', "",
        ]
    return "\n".join(lines)


def planar_chains():
    for size in (10, 100, 1000, 10000):
        for name in ("chain_long", "chain_hard"):
            # Of short rods the number of steps grows with N: a second of 1,000 takes minutes with every solver.
            stop = 1.0 if name == "chain_long" else min(1.0, 100 / size)
            bodies = selected(size)
            large = size >= 1000
            yield Problem(
                name, "planar chains" if size >= 100 else "small chains", chain(size, name == "chain_hard"),
                [f"rod{i + 1}.phi" for i in bodies], stop, size=size, bodies=bodies, common_scale=True,
                peers={"ida": ("ggl", "ggl-strict") if large else IDA_FORMS, "simbody": ("rkm",) if large else SIMBODY},
                referee=("simbody", "rkm"),
                reference_tolerance=1e-9 if size > 1000 else 1e-10 if large else 1e-11,
                exudyn=name == "chain_long" and size <= 1000, quick=size <= (1000 if name == "chain_long" else 100))


def spatial_chains():
    for size in (10, 100, 1000):
        bodies = selected(size, 30)
        yield Problem(
            "chain_space", "3-D chains", spatial_chain(size),
            [f"rod{i + 1}.r[{k}]" for i in bodies for k in (1, 2, 3)], 1.0, size=size, bodies=bodies,
            common_scale=True, peers={"ida": ("ggl", "ggl-strict"), "simbody": SIMBODY if size < 1000 else ("rkm",)},
            referee=("simbody", "rkm"), reference_tolerance=1e-11 if size <= 100 else 1e-10, exudyn=size <= 100,
            quick=size <= 100)


def small_mechanisms():
    yield Problem("andrews", "small mechanisms", catalogue("andrews"),
                  ["beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"], 0.03,
                  peers={"ida": IDA_FORMS, "simbody": SIMBODY_LOOPS})
    yield Problem("car_axis", "small mechanisms", catalogue("car_axis"), ["xl", "yl", "xr", "yr"], 3.0,
                  peers={"ida": IDA_FORMS})
    yield Problem("spatial_slider_crank", "small mechanisms", catalogue("spatial_slider_crank"),
                  [f"{body}.r[{k}]" for body in ("crank", "rod") for k in (1, 2, 3)] + ["slider.r[1]"], 2.0,
                  peers={"ida": IDA_MODEL, "simbody": SIMBODY_LOOPS}, referee=("simbody", "rkm"))
    yield Problem("stewart_platform", "small mechanisms", catalogue("stewart_platform"),
                  [f"{body}.r[{k}]" for body in ["platform"] + [f"rod{i}" for i in range(1, 7)] for k in (1, 2, 3)],
                  1.0, peers={"ida": IDA_MODEL, "simbody": SIMBODY_LOOPS}, referee=("simbody", "rkm"))
    for size in (2, 40):
        yield Problem("four_bars", "singular positions", four_bars(size), ["crank0.phi"], 10.0, size=size, bodies=[0],
                      peers={"ida": ("ggl", "ggl-strict"), "simbody": ("rkm",) if size == 2 else ()},
                      measure="four bars", quick=size == 2)
    yield Problem("double_pendulum", "long run", catalogue("double_pendulum"),
                  ["x1", "y1", "x2", "y2", "der(x1)", "der(y1)", "der(x2)", "der(y2)"], 1000.0, points=100,
                  measure="energy", peers={"ida": ("ggl", "index2"), "simbody": ("rkm",)})
    yield Problem("cantilever", "flexible", cantilever(200), [f"node{i}.r[2]" for i in (50, 100, 150, 200)], 1.0,
                  size=200, bodies=[49, 99, 149, 199], peers={"ida": ("ggl", "ggl-order2")},
                  reference_tolerance=1e-9, quick=False)


def damped(name, eps):
    """A stiff problem of the catalogue in our mode "damp", which the FMU takes from the model file."""
    return catalogue(name, eps=eps) + '\n[solver]\nmode = "damp"\n'


def stiff_problems():
    for eps in (1e-3, 1e-5, 1e-6, 1e-8):
        group = "stiff oscillations" if eps <= 1e-5 else "moderately stiff"
        stiff = {"ida": IDA_STIFF}
        yield Problem("yen_petzold_bushing", group, damped("yen_petzold_bushing", eps), ["two.r[2]"], 1.0, 1,
                      eps=eps, measure="slow", slow=[-9.81 * eps], modes=("damp",), peers=stiff, quick=eps < 1e-6)
        yield Problem("yen_petzold_point_mass", group, damped("yen_petzold_point_mass", eps), ["x"], 0.25, 1,
                      eps=eps, measure="slow", slow=[0.0], modes=("damp",), peers=stiff, quick=eps == 1e-5)
        yield Problem("yen_petzold_spring", group, damped("yen_petzold_spring", eps), ["x"], 0.05, 1, eps=eps,
                      measure="slow", slow=[0.0], modes=("damp",), peers={**stiff, "simbody": SIMBODY_LOOPS},
                      quick=eps == 1e-5)


def problems(quick):
    every = [*planar_chains(), *spatial_chains(), *small_mechanisms(), *stiff_problems()]
    return [problem for problem in every if problem.quick or not quick]
