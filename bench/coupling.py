"""Coupled FMUs: chains of growing length, and a double pendulum beside what a user would do without joints.

    python bench/coupling.py            chains up to 64 links over 0.2 s, the double pendulum
    python bench/coupling.py --full     chains up to 256 links over 1 s, as the example runs them
"""

import argparse
import math
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "python"))

from coupled_mechanisms import Run, Statistics, double_pendulum, read_csv, write_chain  # noqa: E402

PROGRAM = Path(os.environ.get("TRAMMEL", ROOT / "build" / "trammel"))


def trammel(folder, *arguments):
    run = subprocess.run([PROGRAM, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr)
    return run.stderr


def computing_time():
    """Of all programs run so far [s]: wall time without the waiting for other work of the machine."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_chain(folder, count, stop):
    """Evaluations for each step, and computing time of the steps [s]."""
    system = subprocess.run([sys.executable, ROOT / "examples" / "coupled_chain" / "make_system.py", str(count)],
                            capture_output=True, text=True, check=True).stdout
    (folder / "link.toml").write_text((ROOT / "examples" / "coupled_chain" / "link.toml").read_text())
    for version in (2, 3):
        trammel(folder, "export", "link.toml", "--fmi", version, "-o", f"link{version}.fmu")
        system = system.replace(f'file = "link.toml"\nfmi = {version}', f'file = "link{version}.fmu"')
    (folder / "system.toml").write_text(system)
    begin = computing_time()
    trammel(folder, "couple", "system.toml", "--certificate")
    start = computing_time()
    report = trammel(folder, "couple", "system.toml", "--stop-time", stop, "-o", "out.csv")
    return Statistics(report), computing_time() - start - (start - begin)


def print_chains(counts, stop):
    print("Chain of N links as N FMUs, H = 2 ms, half of them FMI 2.0, over", stop, "s")
    print(f"{'N':>5} {'evaluations':>12} {'most':>5} {'largest gap':>12} {'time [s]':>9} {'exponent':>9}")
    before = first = None
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            statistics, time = run_chain(Path(folder), count, stop)
        exponent = "" if before is None else f"{math.log(time / before[1]) / math.log(count / before[0]):9.2f}"
        print(f"{count:5} {statistics.mean:12.2f} {statistics.most:5} {statistics.gap:12.1e} {time:9.2f} {exponent}",
              flush=True)
        before = count, time
        first = first or before
    print(f"all: exponent {math.log(before[1] / first[1]) / math.log(before[0] / first[0]):.2f}")


SPRING = """trammel = 1
kind = "equations"
name = "Spring"
[parameters]
k = 1e4
c = 100.0
[coordinates.idle]
mass = 1.0
[inputs]
""" + "".join(f"{end}{q}{i} = {{ start = 0.0 }}\n" for end in "ab" for q in "rv" for i in "123") + "".join(
    f'[outputs.{force}{i}]\nexpression = "{sign}(k*(br{i} - ar{i}) + c*(bv{i} - av{i}))"\n'
    for force, sign in (("f", ""), ("g", "-")) for i in "123")


class ForcePosition:
    """A spring between the cut ends, its force held over every step: plain Jacobi, and FMPy's container."""

    def __init__(self, folder, stiffness):
        self.folder, self.k, self.c = folder, stiffness, 2 * math.sqrt(stiffness * 0.25)

    def jacobi(self, step, stop):
        from fmpy import extract, read_model_description
        from fmpy.fmi2 import FMU2Slave

        members = []
        for piece, port in (("piece0", "end"), ("piece1", "begin")):
            path = self.folder / f"{piece}.fmu"
            description = read_model_description(path)
            references = {v.name: v.valueReference for v in description.modelVariables}
            member = FMU2Slave(guid=description.guid, unzipDirectory=extract(path), instanceName=piece,
                               modelIdentifier=description.coSimulation.modelIdentifier)
            member.instantiate()
            member.setupExperiment(tolerance=1e-8, startTime=0.0)
            member.enterInitializationMode()
            member.exitInitializationMode()
            motion = [references[f"{port}.{q}[{i}]"] for q in "rv" for i in (1, 2, 3)]
            force = [references[f"{port}.F[{i}]"] for i in (1, 2, 3)]
            members.append((member, motion, force, references))
        try:
            for n in range(round(stop / step)):
                (a, b) = (m.getReal(motion) for m, motion, _, _ in members)
                force = [self.k * (b[i] - a[i]) + self.c * (b[i + 3] - a[i + 3]) for i in range(3)]
                for sign, (member, _, inputs, _) in zip((1, -1), members):
                    member.setReal(inputs, [sign * f for f in force])
                    member.doStep(n * step, step)
            return [m.getReal([r[f"rod{i}.phi"]])[0] for i, (m, _, _, r) in enumerate(members)]
        finally:
            for member, *_ in members:
                member.freeInstance()

    def container(self, step, stop):
        from fmpy import read_model_description, simulate_fmu
        from fmpy.container_fmu.cli import create_container_fmu
        from fmpy.container_fmu.config import Component, Configuration, Connection
        from fmpy.model_description import CoSimulation, DefaultExperiment, ModelDescription, ModelVariable

        spring = SPRING.replace("k = 1e4", f"k = {self.k!r}").replace("c = 100.0", f"c = {self.c!r}")
        (self.folder / "spring.toml").write_text(spring)
        trammel(self.folder, "export", "spring.toml", "--fmi", 2, "-o", "spring.fmu")
        parts = [Component(n, self.folder / f"{n}.fmu", read_model_description(self.folder / f"{n}.fmu"))
                 for n in ("piece0", "piece1", "spring")]
        variables = [{v.name: v for v in part.modelDescription.modelVariables} for part in parts]
        for variable in (v for of_part in variables for v in of_part.values() if v.type == "Real"):
            variable.type = "Float64"  # the name under which the container connects them

        def connect(a, outputs, b, inputs):
            return Connection(parts[a], [variables[a][o] for o in outputs], parts[b], [variables[b][i] for i in inputs])

        connections = [connect(part, [f"{port}.{q}[{i}]" for i in "123"], 2, [f"{end}{q}{i}" for i in "123"])
                       for part, port, end in ((0, "end", "a"), (1, "begin", "b")) for q in "rv"]
        connections += [connect(2, [f"{force}{i}" for i in "123"], part, [f"{port}.F[{i}]" for i in "123"])
                        for force, part, port in (("f", 0, "end"), ("g", 1, "begin"))]
        time = ModelVariable(name="time", type="Float64", valueReference=0, causality="independent",
                             variability="continuous")
        angles = [ModelVariable(name=f"phi{i}", type="Float64", valueReference=1 + i, causality="output",
                                variability="continuous") for i in (0, 1)]
        description = ModelDescription(
            fmiVersion="3.0", modelName="Container", instantiationToken="container",
            coSimulation=CoSimulation(modelIdentifier="container_fmu", fixedInternalStepSize=step,
                                      canHandleVariableCommunicationStepSize=True),
            defaultExperiment=DefaultExperiment(startTime=0.0, stopTime=stop, stepSize=step),
            modelVariables=[time, *angles])
        mappings = {angles[i]: [(parts[i], variables[i][f"rod{i}.phi"])] for i in (0, 1)}
        unpacked = self.folder / "container"
        unpacked.mkdir(exist_ok=True)
        target = self.folder / "Container.fmu"
        target.unlink(missing_ok=True)
        create_container_fmu(Configuration(False, description, parts, connections, mappings), unpacked, target)
        result = simulate_fmu(target, stop_time=stop, step_size=step, output_interval=step, validate=False)
        return [result[f"phi{i}"][-1] for i in (0, 1)]


UNSTABLE = "unstable"


def attempt(function, exact, *arguments, limit=30.0):
    """Error of the angles. A run whose forces grow without bound takes ever shorter steps: it is ended."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def work():
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        sender.send([float(angle) for angle in function(*arguments)])

    process = context.Process(target=work)
    process.start()
    sender.close()
    try:
        angles = receiver.recv() if receiver.poll(limit) else [math.inf, math.inf]
    except EOFError:  # an FMU gave up
        angles = [math.inf, math.inf]
    process.kill()
    process.join()
    worst = max(abs(a - b) for a, b in zip(angles, exact))
    return f"{worst:.1e}" if worst < 1 else UNSTABLE


def print_rivals(folder):
    names = write_chain(folder, double_pendulum(), Run(0.01, 1, tolerance=1e-10, versions=(3,)))
    trammel(folder, "simulate", "whole.toml", "--stop-time", 1, "--output-interval", 1, "--tolerance", 1e-12,
            "-o", "whole.csv")
    exact = [read_csv(folder / "whole.csv")[name][-1] for name in names]
    for piece in ("piece0", "piece1"):
        trammel(folder, "export", f"{piece}.toml", "--fmi", 2, "-o", f"{piece}.fmu")

    def joint(step):
        trammel(folder, "couple", "system.toml", "--step", step, "-o", "out.csv")
        columns = read_csv(folder / "out.csv")
        return [columns[f"piece{i}.{name}"][-1] for i, name in enumerate(names)]

    rivals = [(who, method, k) for who, method in (("Jacobi", "jacobi"), ("FMPy", "container")) for k in (1e3, 1e4, 1e5)]
    print("\nDouble pendulum of two FMUs, largest error of the angles after 1 s [rad]. Joint: trammel couple. Others: a spring")
    print("between the cut ends, k in N/m, critically damped for half of a bar, force held over H: plain Jacobi, FMPy's container")
    print(f"{'H [s]':>8} {'joint':>9}" + "".join(f"{who + f' {k:.0e}':>15}" for who, _, k in rivals))
    lost = set()  # unstable at a smaller step already
    for step in (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02):
        cells = []
        for rival in rivals:
            _, method, k = rival
            runner = getattr(ForcePosition(folder, k), method)
            cells.append(UNSTABLE if rival in lost else attempt(runner, exact, step, 1.0))
            if cells[-1] == UNSTABLE:
                lost.add(rival)
        print(f"{step:8} {attempt(joint, exact, step):>9}" + "".join(f"{cell:>15}" for cell in cells), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="chains up to 256 links")
    parser.add_argument("--no-chains", action="store_true", help="only the double pendulum")
    arguments = parser.parse_args()
    if not arguments.no_chains:
        print_chains([2, 4, 8, 16, 32, 64] + ([128, 256] if arguments.full else []), 1.0 if arguments.full else 0.2)
    with tempfile.TemporaryDirectory() as directory:
        print_rivals(Path(directory))
