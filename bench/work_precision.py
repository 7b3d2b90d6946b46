"""Runs the programs of bench/peers, measures errors against a reference and reads costs off at equal error."""

import json
import math
import os
import resource
import signal
import statistics
import subprocess
import sys
from dataclasses import dataclass, field

import numpy as np

OURS = "trammel"
CLOCKED = "trammel_clocked"  # ours with clocks around factorisations and solves
THROUGH_FMU = f"{OURS} fmu"
EXUDYN = "exudyn"
NOT_DONE = "not done"
FROM_MODEL = "model"  # begins the variants of a rival that integrates our compiled model


@dataclass
class Run:
    solver: str  # program and variant, "ida ggl"
    tolerance: float  # of Exudyn: the number of steps
    cpu: float = math.inf  # [s]
    wall: float = math.inf  # [s]
    error: float = math.inf
    counts: dict = field(default_factory=dict)
    heap: float = 0.0  # [bytes]
    failure: str = ""
    outputs: object = None

    @property
    def program(self):
        return self.solver.split()[0]


class Programs:
    """Knows the command lines of all solvers; model files are written into `folder`."""

    def __init__(self, build, folder, python):
        self.build, self.folder, self.python = build, folder, python
        self.here = os.path.dirname(os.path.abspath(__file__))

    def available(self, program):
        if program == EXUDYN:
            return subprocess.run([self.python, "-c", "import exudyn"], capture_output=True).returncode == 0
        return os.path.exists(self.path(program))

    def path(self, program):
        return os.path.join(self.build, "bench", "peers", f"run_{program}")

    def model(self, problem):
        """Path of the problem's model file, written at its first use."""
        path = os.path.join(self.folder, f"{problem.name}_{problem.size}_{problem.eps:g}.toml")
        if not os.path.exists(path):
            with open(path, "w") as file:
                file.write(problem.text)
        return path

    def command(self, problem, solver, tolerance):
        program, variant = solver.split()
        numbers = ["--stop", repr(problem.stop), "--points", str(problem.points)]
        if program in (OURS, CLOCKED):
            way = ["--fmu"] if variant == "fmu" else ["--mode", variant]
            return [self.path(program), self.model(problem), "--outputs", ",".join(problem.outputs), *numbers, *way,
                    "--tolerance", repr(tolerance)]
        if variant.startswith(FROM_MODEL):
            return [self.path(program), self.model(problem), "--outputs", ",".join(problem.outputs), *numbers,
                    "--variant", variant, "--tolerance", repr(tolerance)]
        problem_options = ["--size", str(problem.size), "--bodies", ",".join(map(str, problem.bodies)) or "0"]
        if program == EXUDYN:
            return [self.python, os.path.join(self.here, "peers", "run_exudyn.py"), problem.name, *numbers,
                    *problem_options, "--radius", variant, "--steps", str(int(tolerance))]
        return [self.path(program), problem.name, *numbers, *problem_options, "--eps", repr(problem.eps or 1.0),
                "--variant", variant, "--tolerance", repr(tolerance)]

    def run(self, problem, solver, tolerance, limit, options=()):
        """One run of at most `limit` seconds of CPU time; what goes wrong is its failure."""
        run = Run(solver, tolerance)

        def bound():
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 1))

        done = subprocess.run([*self.command(problem, solver, tolerance), *options], capture_output=True, text=True, preexec_fn=bound)
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            run.failure = f"{NOT_DONE} after {limit:g} s"
            return run
        if done.returncode != 0:
            run.failure = (done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"])[-1]
            return run
        answer = json.loads(done.stdout)
        run.cpu, run.wall, run.heap, run.counts = answer["cpu"], answer["wall"], answer["heap"], answer["counts"]
        run.failure = answer["failure"]
        values = np.array([math.nan if y is None else y for y in answer["outputs"]])
        if not run.failure:
            run.outputs = values.reshape(problem.points, -1)
            if not np.isfinite(run.outputs).all():
                run.failure = "outputs are not numbers"
        return run


def four_bar_angle(count, stop, points):
    """The parallelogram: θ'' = −g ((N+1)/2 + N)/((N+1)/3 + N) cos θ, θ(0) = π/2, θ'(0) = −1, by Runge and Kutta."""
    k = 9.81 * ((count + 1) / 2 + count) / ((count + 1) / 3 + count)
    steps = 20000 // points * points
    h, angle, rate, out = stop / steps, math.pi / 2, -1.0, []
    for i in range(steps):
        a1 = -k * math.cos(angle)
        a2 = -k * math.cos(angle + h / 2 * rate)
        a3 = -k * math.cos(angle + h / 2 * rate + h * h / 4 * a1)
        a4 = -k * math.cos(angle + h * rate + h * h / 2 * a2)
        angle += h * rate + h * h / 6 * (a1 + a2 + a3)
        rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        if (i + 1) % (steps // points) == 0:
            out.append([angle])
    return np.array(out)


@dataclass
class Reference:
    values: object
    scale: object
    agreement: float = 0.0  # difference of the two solvers that computed it; errors below say nothing
    source: str = ""

    def error(self, problem, outputs):
        if problem.measure == "energy":
            x1, y1, x2, y2, u1, v1, u2, v2 = outputs.T
            energy = (u1**2 + v1**2 + u2**2 + v2**2) / 2 + 9.81 * (y1 + y2)
            return float(np.max(np.abs(energy)) / self.scale)
        if problem.measure == "slow":
            return float(np.max(np.abs(outputs[-1] - self.values)))
        return float(np.max(np.abs(outputs - self.values) / self.scale))


def scale_of(problem, values):
    largest = np.max(np.abs(values))
    if problem.common_scale:
        return largest
    each = np.max(np.abs(values), axis=0)
    return np.where(each > 1e-6 * largest, each, largest)


def reference_of(programs, problem, limit):
    """Ours and a rival at a tight tolerance; exact where an exact solution is known. None: there is none."""
    if problem.measure == "slow":
        return Reference(np.array(problem.slow), 1.0, source="slow solution, exact")
    if problem.measure == "energy":
        return Reference(None, 2 * 9.81, source="energy, exact; scale: that of one bob falling by 2 m")
    if problem.measure == "four bars":
        exact = four_bar_angle(problem.size, problem.stop, problem.points)
        return Reference(exact, scale_of(problem, exact), source="parallelogram, exact")
    runs = {}
    for solver in (f"{OURS} follow", " ".join(problem.referee)):
        if not programs.available(solver.split()[0]):
            continue
        for tolerance in (problem.reference_tolerance, 10 * problem.reference_tolerance, 100 * problem.reference_tolerance):
            run = programs.run(problem, solver, tolerance, limit)
            if not run.failure:
                runs[solver] = run
                break
    if not runs:
        return None
    values = sum(run.outputs for run in runs.values()) / len(runs)
    scale = scale_of(problem, values)
    first, last = list(runs.values())[0], list(runs.values())[-1]
    agreement = float(np.max(np.abs(first.outputs - last.outputs) / scale))
    source = " and ".join(f"{run.solver} at {run.tolerance:g}" for run in runs.values())
    return Reference(values, scale, agreement, source)


def measure(programs, problem, reference, tolerances, settings):
    """All solvers over all tolerances, by turns and back again, so that each sees the same machine; the quickest of the
    repeats counts, each of which is the median of several solves. A solver is not asked for more once a run would take longer than the limit."""
    solvers = [f"{OURS} {mode}" for mode in problem.modes] + [THROUGH_FMU]
    solvers += [f"{program} {variant}" for program, variants in problem.peers.items() for variant in variants]
    solvers = [solver for solver in solvers if programs.available(solver.split()[0])]
    levels = {solver: list(tolerances) for solver in solvers}
    if problem.exudyn and programs.available(EXUDYN):
        for radius in settings.radii:
            levels[f"{EXUDYN} {radius}"] = [100 * 4**k for k in range(settings.exudyn_levels)]
    runs, given_up = {}, set()
    for level in range(max(map(len, levels.values()))):
        for repeat in range(settings.repeats):
            order = list(levels) if repeat % 2 == 0 else list(levels)[::-1]
            for solver in order:
                if solver in given_up or level >= len(levels[solver]):
                    continue
                tolerance = levels[solver][level]
                known = runs.get((solver, tolerance))
                if known and (known.failure or known.cpu > settings.repeat_below):
                    continue
                settings.progress(f"{problem.title}: {solver} {tolerance:g}")
                run = programs.run(problem, solver, tolerance, settings.limit)
                if not run.failure:
                    run.error = reference.error(problem, run.outputs) if reference else math.nan
                    run.outputs = None
                run.cpu = max(run.cpu, 1e-7)  # the clock of a virtual machine may stand still
                if not known or run.cpu < known.cpu:
                    runs[solver, tolerance] = run
        for solver in levels:
            last = runs.get((solver, levels[solver][level])) if level < len(levels[solver]) else None
            if last and (last.cpu > settings.limit / 4 or NOT_DONE in last.failure):
                given_up.add(solver)
    return list(runs.values())


def front(runs, floor, useless=0.5):
    """(error, cost) of the runs that no other one beats in both, from coarse to fine; errors below the floor count as
    the floor, errors above `useless` as failures."""
    points = sorted((max(run.error, floor), run.cpu) for run in runs if not run.failure and run.error < useless)
    best, cheapest = [], math.inf
    for error, cpu in points:  # from fine to coarse
        if cpu < cheapest:
            best.append((error, cpu))
            cheapest = cpu
    return best[::-1]


def cost_at(error, points):
    """Cost of an error by straight lines in log-log; None: not reached."""
    if not points or error < points[-1][0]:
        return None
    if error >= points[0][0]:
        return points[0][1]
    for (e1, c1), (e2, c2) in zip(points, points[1:]):
        if e2 <= error <= e1:
            share = math.log(e1 / error) / math.log(e1 / e2) if e1 > e2 else 1.0
            return c1 * (c2 / c1) ** share
    return points[-1][1]


def compare(problem, runs, reference):
    """Per decade of the error: our cost, that of the cheapest rival and its name, and their ratio; no ratio where the error is
    coarser than all runs of both, whose errors are not equal then. To a slow solution even the loosest runs may come closer
    than asked for; there they are compared all the same."""
    slow = problem is not None and problem.measure == "slow"
    floor = max(3 * reference.agreement, 1e-13) if reference else 1e-13
    ours = front([run for run in runs if run.program == OURS and run.solver != THROUGH_FMU], floor)
    rivals = {}
    for run in runs:
        if run.program != OURS:
            rivals.setdefault(run.program, []).append(run)
    rival_fronts = {name: front(some, floor) for name, some in rivals.items()}
    rows = []
    for exponent in range(2, 11):
        error = 10.0**-exponent
        if error < floor:
            break
        mine = cost_at(error, ours)
        costs = {name: cost_at(error, points) for name, points in rival_fronts.items()}
        reached = {name: cost for name, cost in costs.items() if cost}
        best = min(reached, key=reached.get) if reached else None
        compared = mine and best and (slow or max(ours[0][0], rival_fronts[best][0][0]) >= error)
        rows.append({"error": error, "ours": mine, "rivals": costs, "best": best,
                     "ratio": mine / reached[best] if compared else None})
    return rows


def at_equal_tolerance(runs):
    """Per tolerance: our cost and that of the cheapest rival whose error is within the tolerance. For stiff problems,
    where a loose tolerance may hit the slow solution by chance and equal error says little."""
    rows = []
    for tolerance in sorted({run.tolerance for run in runs}, reverse=True):
        within = [run for run in runs if run.tolerance == tolerance and not run.failure and run.error <= tolerance]
        mine = min((run for run in within if run.program == OURS and run.solver != THROUGH_FMU), key=lambda run: run.cpu, default=None)
        theirs = min((run for run in within if run.program != OURS), key=lambda run: run.cpu, default=None)
        rows.append({"tolerance": tolerance, "ours": mine.cpu if mine else None, "best": theirs.solver if theirs else None,
                     "theirs": theirs.cpu if theirs else None, "ratio": mine.cpu / theirs.cpu if mine and theirs else None})
    return rows


def interface_ratio(runs, mode):
    """Time through the FMU over time in process, over all tolerances together; None: not both were run."""
    cpu = {(run.solver, run.tolerance): run.cpu for run in runs if not run.failure}
    pairs = [(time, cpu[f"{OURS} {mode}", tolerance]) for (solver, tolerance), time in cpu.items()
             if solver == THROUGH_FMU and (f"{OURS} {mode}", tolerance) in cpu]
    return sum(fmu for fmu, _ in pairs) / sum(direct for _, direct in pairs) if pairs else None


def summary(rows):
    ratios = [row["ratio"] for row in rows if row["ratio"]]
    if not ratios:
        return None
    return {"least": min(ratios), "mean": statistics.geometric_mean(ratios), "most": max(ratios)}


def progress_line(text):
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K" + text[: os.get_terminal_size(sys.stderr.fileno()).columns - 1])
        sys.stderr.flush()
