"""Turns the numbers of report.py into Markdown: targets first, then every comparison."""

import math
import os
import platform
import re
import statistics

FAIRNESS = """\
- All programs run on this machine in this run, by turns forwards and backwards. Times are CPU times (user and system) of
  the solve alone: reading, compiling, assembling and initial values are left out for all. Short solves are repeated inside
  the program until they have taken 100 ms, and their median counts; of the turns the quickest counts. What reading the clock
  takes, at least, is taken off (0.3 to 0.5 µs). A model file is read and compiled once for all repeats, so that this does not
  empty the caches for the solve. Wall times stand beside them under "All runs". One thread.
- Error: the largest difference of the outputs to the reference over all output times, relative to the size of the output
  (chains: of the largest). The reference is the mean of ours and a rival at a tight tolerance; errors below three times
  their difference are not used. Stiff problems: absolute difference to the slow solution at the end.
- Equal error: for each solver the runs that no other run of it beats, straight lines between them in log-log. "Best rival"
  is the cheapest of all rivals and all their variants at that error, so it may change from decade to decade. Errors that
  the cheapest run undercuts cost what that run costs, for all; where this holds for ours and for the best rival, nothing
  is equal and no ratio is given, but for stiff problems, whose slow solution all may hit at the loosest tolerance.
- SUNDIALS IDA 6.4: Gear-Gupta-Leimkuhler and index-2 forms from equations written by hand; exact Jacobians; KLU with the
  unknowns numbered body by body (dense LU for the small problems); consistent start values; multipliers out of the error
  test, and in Newton's norm both out and in ("strict"); on stiff problems also orders 1 and 2 and positions alone in the
  error test, the liberty that our mode "damp" takes. With these a loose tolerance may reach the slow solution exactly, so
  stiff problems are compared at equal tolerance too. Index 3 fails on all of them and is left out. Variants "model": IDA
  with KLU on the residuals and Jacobians of our own compiled model, so it profits from all work on these and only the
  integrators differ; ∂(Gᵀμ)/∂q, which vanishes, is spared it.
- Simbody 3.7: joint coordinates and its recursive algorithms, which need no constraints on the chains; Runge-Kutta-Merson
  and CPodes (Adams on chains, BDF on loops and stiff problems); loops closed by as few constraints as possible.
- Exudyn 1.13: generalised-alpha with fixed steps, modified Newton, sparse solver from 20 bodies on, start of the script left
  out. It has no error control: the number of steps is chosen by us, which spares it rejected steps.
- The rivals and our mode "damp" know the end of the run and take their last step to it; else outputs come from interpolation.
- Ours: the model file, compiled by the library; the default settings, on stiff problems mode "damp". No variant is chosen
  by problem otherwise. "fmu": the same through the C interface of the FMU binary, not part of the comparison.
- Chain "hard", whose steps get shorter with N: 1 s up to 100 rods, 0.1 s of 1,000, 0.01 s of 10,000.
- Who does what: chains all three (3-D: spherical joints), Exudyn up to 1,000 bodies; Andrews, four-bars, double pendulum IDA
  and Simbody; car axis IDA (a constraint that moves with time); slider-crank in space and Stewart platform IDA on our model
  and Simbody; stiff problems IDA, the spring also Simbody; cantilever IDA.
"""

LIMITS = """\
What stands in the way where a target above is not met:

- Stiff oscillations at equal error: IDA of order 1 with positions alone tested hits the slow solution of the point mass in 12 to
  18 steps with 27 to 46 residuals at the loosest tolerance, and errors far below that tolerance then cost no more. Ours takes 5 steps
  and 7 iterations for eps <= 1e-6, and 6 steps and 8 iterations for 1e-5, where the amplitude (3e-3) makes the circle nonlinear: a
  quarter of IDA's iterations, at less than half of the cost of each: 25,700 instructions of 235,000 for 1e-5, 22,100 of 206,000 for
  1e-6 (callgrind). For a tenth they would have to be 23,500 and 20,600, and some less in time. What is left is spread over functions
  of 1 to 8 %: expressions 20 %, factors 14 %, the projection of the output 11 %. Fewer steps cost the right answer
  elsewhere: growth by more than four or by the whole of what the error allows makes the bushing and elastic mechanisms miss their
  references, two untested steps instead of three make the elastic double pendulum worse (errors up to 13 times) and save no iteration
  here. At tighter tolerances IDA has to follow the oscillation and ours does not: the tables at equal tolerance.
- Factorisations and solves at N = 10,000: the share falls with every gain on the factor, whose solves take a third of what they
  took in the beginning. The rest is one evaluation of all bodies an iteration, norms and corrections, and one pass a step over the
  past; most of it waits for vectors that no longer fit the second cache. In own runs it was 56 to 57 % of the time on one machine,
  64 to 66 % on others with quicker memory.
- FMU: a step and a reading of outputs through the interface take 220 to 260 instructions beyond those in process for 7 to 15
  values. With the pendulum, whose communication steps have some 18,500, this is 1.2 % of the instructions, with the others less;
  where the two programs lie in memory changes the ratio of times by 1 to 3 % either way.
"""

# group -> (words of the target, limit, stretch)
TARGETS = {
    "planar chains": ("Planar chains, N ≥ 100: CPU over best rival at equal error", 0.3, 0.15),
    "3-D chains": ("3-D chains with spherical joints", 0.6, 0.3),
    "small mechanisms": ("Andrews, car axis, slider-crank, Stewart platform", 0.5, None),
    "stiff oscillations": ("Stiff oscillations, eps ≤ 1e-5, against the slow solution", 0.1, None),
}


def number(x, digits=3):
    if x is None or (isinstance(x, float) and not math.isfinite(x)):
        return "–"
    return f"{x:.{digits}g}"


def percent(share):
    return "–" if share is None else f"{100 * share:.0f} %"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def verdict(value, limit, at_most=True):
    if value is None:
        return "not measured"
    return "met" if (value <= limit if at_most else value >= limit) else "**not met**"


def exponent(rows, key):
    by_size = {row["size"]: row.get(key) for row in rows}
    if not by_size.get(1000) or not by_size.get(10000):
        return None
    return math.log10(by_size[10000] / by_size[1000])


def ratio_targets(comparisons):
    for group, (words, limit, stretch) in TARGETS.items():
        some = [item for item in comparisons if item["group"] == group and item["summary"]]
        if not some:
            yield words, f"≤ {limit}", "–", "not measured"
            continue
        mean = math.exp(sum(math.log(item["summary"]["mean"]) for item in some) / len(some))
        worst = max(some, key=lambda item: item["summary"]["most"])
        text = f"mean {number(mean)}, worst {number(worst['summary']['most'])} ({worst['problem']})"
        goal = f"≤ {limit}" + (f", stretch {stretch}" if stretch else "")
        if worst["summary"]["most"] <= limit:
            word = "met, stretch too" if stretch and worst["summary"]["most"] <= stretch else "met"
        else:
            word = "**met on average only**" if mean <= limit else "**not met**"
        yield words, goal, text, word


def stiff_target(comparisons):
    """At equal tolerance: ours over the cheapest rival that is within the tolerance; where none is, there is no ratio."""
    ratios = [(row["ratio"], item["problem"], row["tolerance"]) for item in comparisons if item["group"] == "stiff oscillations"
              for row in item["tolerances"] if row["tolerance"] <= 1e-6 and row["ratio"]]
    alone = sum(1 for item in comparisons if item["group"] == "stiff oscillations" for row in item["tolerances"]
                if row["tolerance"] <= 1e-6 and row["ours"] and not row["theirs"])
    words = "The same at equal tolerance ≤ 1e-6, runs with errors within it"
    if not ratios and not alone:
        return words, "≤ 0.1", "–", "not measured"
    text = f"no rival is within it in {alone} cases"
    if ratios:
        worst = max(ratios)
        mean = math.exp(sum(math.log(ratio) for ratio, _, _ in ratios) / len(ratios))
        text = f"mean {number(mean)}, worst {number(worst[0])} ({worst[1]}, {worst[2]:g}); " + text
    value = max(ratios)[0] if ratios else 0.0
    return words, "≤ 0.1", text, verdict(value, 0.1)


def our_failures(comparisons):
    return [(item["problem"], run) for item in comparisons for run in item["runs"]
            if run["solver"].startswith("trammel") and run["failure"] and not run["failure"].startswith("not done")]


def cost_targets(costs, interface):
    """From the tables of fmu_costs: empty doStep, save; and whole runs of 1,000 steps by model."""
    empty = re.search(r"^doStep, nothing to do\s+([\d.]+)\s+[\d.]+\s+[\d.]+\s+([\d.]+)", costs, re.M)
    save = re.search(r"^save into a former state\s+[\d.]+\s+[\d.]+\s+([\d.]+)", costs, re.M)
    value = float(empty[1]) if empty else None
    yield ("Empty doStep over that of an empty FMU in C", "≤ 5",
           f"{number(value)} ({number(1e3 * float(empty[2]))} ns)" if empty else "–", verdict(value, 5))
    value = float(save[1]) if save else None
    yield "Saving over an iteration of Newton", "≤ 1", number(value), verdict(value, 1)
    medians = {name: statistics.median(ratios) for name, ratios in interface.items()}
    worst = max(medians, key=medians.get, default=None)
    text = ", ".join(f"{name} {100 * (value - 1):.1f} %" for name, value in sorted(medians.items(), key=lambda item: -item[1]))
    yield ("FMU over in process, 1,000 communication steps with all outputs, medians of five processes", "≤ 2 %", text or "–",
           verdict(medians.get(worst), 1.02))  # 1.02 − 1 is more than 0.02


def targets(results):
    comparisons, rows = results["comparisons"], results["scaling"]
    yield from ratio_targets(comparisons)
    if any(item["group"] == "stiff oscillations" for item in comparisons):
        yield stiff_target(comparisons)
    failures = our_failures(comparisons)
    yield ("No failure of ours on any problem at any tolerance", "0", str(len(failures)),
           "met" if not failures else "**not met**")
    if rows:
        time, memory = exponent(rows, "step"), exponent(rows, "heap")
        yield "Exponent of the time for a step, N = 1,000 to 10,000", "≤ 1.1", number(time), verdict(time, 1.1)
        yield "Exponent of the memory", "≤ 1.02", number(memory), verdict(memory, 1.02)
        share, inside, profile = (rows[-1].get(key) for key in ("floor", "inside", "profile"))
        counted = f", of the instructions {100 * profile['share']:.0f} %" if profile and profile["share"] else ""
        yield ("Factorisations and solves of the time at N = 10,000", "≥ 60 %",
               f"in the run {percent(inside)}, floor {percent(share)}{counted}" if share else "–",
               verdict(inside, 0.6, at_most=False))
    if results["tables"]:
        yield from cost_targets(results["tables"].get("fmu_costs", ""), results["interface"])


def comparison_text(item):
    lines = [f"### {item['problem']}\n"]
    agreement = f", which differ by {number(item['agreement'], 2)}" if item["agreement"] else ""
    lines.append(f"Reference: {item['reference']}{agreement}.\n")
    names = sorted({name for row in item["rows"] for name in row["rivals"]})
    rows = [[f"{row['error']:.0e}", number(1e3 * row["ours"]) if row["ours"] else "–",
             *(number(1e3 * row["rivals"][name]) if row["rivals"].get(name) else "–" for name in names),
             row["best"] or "–", number(row["ratio"], 2)]
            for row in item["rows"] if row["ours"] or any(row["rivals"].values())]
    lines.append(table(["error", "ours ms", *(f"{name} ms" for name in names), "best rival", "ratio"], rows))
    if item["tolerances"]:
        rows = [[f"{row['tolerance']:.0e}", *(number(1e3 * row[key]) if row[key] else "–" for key in ("ours", "theirs")),
                 row["best"] or "–", number(row["ratio"], 2)] for row in item["tolerances"]]
        lines += ["At equal tolerance, of the runs whose error is within it:\n",
                  table(["tolerance", "ours ms", "best rival ms", "best rival", "ratio"], rows)]
    if item["interface"]:
        lines.append(f"Through the FMU over in process: {number(item['interface'])}.\n")
    heaps = [run["heap"] for run in item["runs"] if run["solver"].startswith("trammel") and run["heap"] > 0]
    if heaps:
        lines.append(f"Heap of the compiled model and one integrator: {max(heaps) / 1e3:.0f} kB.\n")
    if item["instructions"]:
        mine, theirs = item["instructions"]
        lines.append(
            f"Instructions: ours {mine['instructions'] / 1e6:.1f} million at {mine['tolerance']:g} (error {number(mine['error'], 2)}), "
            f"{theirs['solver']} {theirs['instructions'] / 1e6:.1f} million at {theirs['tolerance']:g} (error "
            f"{number(theirs['error'], 2)}): ratio {number(mine['instructions'] / theirs['instructions'], 2)}, of CPU times "
            f"{number(mine['cpu'] / theirs['cpu'], 2)}.\n")
    return "\n".join(lines)


def runs_text(item):
    rows = [[run["solver"], number(run["tolerance"]), number(1e3 * run["cpu"]), number(1e3 * run["wall"]),
             number(run["error"], 2), *(number(run["counts"].get(name), 6) for name in ("steps", "residuals", "jacobians")),
             run["failure"][:60].replace("|", "/")]
            for run in sorted(item["runs"], key=lambda run: (run["solver"], -run["tolerance"]))]
    head = ["solver", "tolerance (Exudyn: steps)", "CPU ms", "wall ms", "error", "steps", "residuals", "Jacobians", "failure"]
    return f"### {item['problem']}\n\n" + table(head, rows)


def failures_text(comparisons):
    rows = []
    for item in comparisons:
        by_solver = {}
        for run in item["runs"]:
            if run["failure"] or run["error"] > 0.5:
                why = run["failure"] or f"error {number(run['error'], 2)}"
                by_solver.setdefault(run["solver"], []).append((run["tolerance"], why))
        for solver, failed in sorted(by_solver.items()):
            levels = ", ".join(f"{tolerance:g}" for tolerance, _ in failed)
            rows.append([item["problem"], solver, levels, failed[0][1][:80].replace("|", "/")])
    return table(["problem", "solver", "tolerances", "what happened at the first"], rows) if rows else "None.\n"


def scaling_text(rows):
    head = ["N", "steps", "µs for a step", "µs for a step and rod", "MB", "bytes for a rod", "in the run / whole, time",
            "floor / whole, time"]
    lines, profiles = [], []
    parts = ("factorisation", "solves", "residuals", "linearisation")
    for row in rows:
        if "failure" in row:
            lines.append([row["size"], row["failure"][:60]] + [""] * 6)
            continue
        lines.append([row["size"], number(row["steps"], 6), number(1e6 * row["step"]),
                      number(1e6 * row["step"] / row["size"]), number(row["heap"] / 1e6),
                      number(row["heap"] / row["size"], 5), percent(row.get("inside")), percent(row["floor"])])
        if row["profile"]:
            shares = row["profile"]["shares"]
            profiles.append([row["size"], *(f"{100 * shares.get(part, 0):.0f} %" for part in parts),
                             f"{100 * row['profile']['control']:.0f} %"])
    text = table(head, lines)
    text += ("\nIn the run: CPU time between entry and return of factorisations and solves during the run itself, by clocks that the "
             "linker has put around them in a program of its own; with the caches as all else has left them. Floor: CPU time of "
             "as many factorisations and solves alone, measured on their own after the run, one after the other and with warm "
             "caches. Whole / floor is the distance to a solver in which all else is free.\n")
    if profiles:
        text += "\nWhere the instructions go:\n\n" + table(["N", *parts, "control and all else"], profiles)
    return text


def machine():
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as file:
            name = re.search(r"model name\s*:\s*(.*)", file.read())[1]
    except (OSError, TypeError):
        pass
    return f"{name}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end"


def write_report(results):
    comparisons = results["comparisons"]
    parts = ["# Benchmark\n", f"{results['length'].capitalize()} run. Machine: {machine()}.\n"]
    if results["missing"]:
        parts.append(f"Not installed and left out: {', '.join(results['missing'])}.\n")
    parts += ["## Targets\n", table(["target", "goal", "measured", ""], targets(results)), LIMITS]
    overview = [[item["problem"], *(number(item["summary"][key], 2) for key in ("least", "mean", "most")),
                 "below 1: ours is quicker"] if item["summary"] else [item["problem"], "–", "–", "–", "no common error"]
                for item in comparisons]
    for row in overview[1:]:
        row[-1] = "" if row[1] != "–" else row[-1]
    parts += ["## Ratios\n", "Our CPU time over that of the best rival at equal error, over the decades of the error.\n",
              table(["problem", "least", "mean", "most", ""], overview)]
    parts += ["## How\n", FAIRNESS, "## At equal error\n", *map(comparison_text, comparisons)]
    parts += ["## Failures\n", "Not done, or an error above one half.\n", failures_text(comparisons)]
    if results["scaling"]:
        parts += ["## Scaling\n", "Chain \"long\", first 0.2 s, tolerance 1e-6, in process.\n", scaling_text(results["scaling"])]
    if results["binaries"]:
        sizes = ", ".join(f"{name} {size / 1e6:.2f} MB" for name, size in results["binaries"].items())
        parts += [f"Runtime binaries of an FMU: {sizes}.\n"]
    for name, text in results["tables"].items():
        parts += [f"## Program {name}\n", "```", text.rstrip(), "```\n"]
    parts += ["## All runs\n", *map(runs_text, comparisons)]
    return "\n".join(parts)
