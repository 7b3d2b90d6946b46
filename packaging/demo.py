"""`make demo`: the pendulum from a text file to an FMU, simulated by FMPy, with a plot."""

import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
from fmpy import simulate_fmu

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of a backend without display)

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "build" / "trammel"
MODEL = ROOT / "models" / "catalogue" / "pendulum.toml"
RESULTS = ROOT / "results"
PERIOD = 2.0  # [s], what g = 13.7503716373294544 m/s2 makes of a 1 m pendulum that starts level
LIMIT = 1e-4  # of |x - 1| and |y| after each period at tolerance 1e-6


def export(version):
    fmu = RESULTS / f"Pendulum_fmi{version}.fmu"
    subprocess.run([PROGRAM, "export", MODEL, "--fmi", str(version), "-o", fmu], check=True, stdout=subprocess.DEVNULL)
    return fmu


def simulate(fmu):
    settings = {"stop_time": 10, "output_interval": 0.01, "relative_tolerance": 1e-6}
    return simulate_fmu(str(fmu), fmi_type="CoSimulation", **settings)


def return_error(result):
    """Largest distance from the start (1, 0) over all full periods."""
    at_period = np.isclose(result["time"] % PERIOD, 0, atol=1e-6) | np.isclose(result["time"] % PERIOD, PERIOD, atol=1e-6)
    rows = result[at_period]
    assert len(rows) == 6
    return max(np.max(abs(rows["x"] - 1)), np.max(abs(rows["y"])))


def write_csv(result, path):
    header = ",".join(f'"{name}"' if "," in name else name for name in result.dtype.names)
    np.savetxt(path, np.array(result.tolist()), delimiter=",", header=header, comments="", fmt="%.17g")


def plot(result, path):
    figure, (motion, energy) = plt.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
    motion.plot(result["time"], result["x"], label="x")
    motion.plot(result["time"], result["y"], label="y")
    motion.set_ylabel("position [m]")
    motion.legend(loc="upper right")
    motion.set_title("The pendulum as an FMU in FMPy, tolerance 1e-6")
    energy.plot(result["time"], result["energy"] - result["energy"][0], color="tab:green")
    energy.set_ylabel("error of the energy [J]")
    energy.set_xlabel("time [s]")
    figure.savefig(path, dpi=120)


def main():
    RESULTS.mkdir(exist_ok=True)
    print(f"model     {MODEL.relative_to(ROOT)}: a point mass on a rod, period 2 s")
    worst = 0.0
    for version in (2, 3):
        fmu = export(version)
        result = simulate(fmu)
        error = return_error(result)
        drift = np.max(abs(result["x"] ** 2 + result["y"] ** 2 - 1))
        worst = max(worst, error)
        print(f"FMI {version}.0   {fmu.relative_to(ROOT)} ({fmu.stat().st_size // 1000} kB), 10 s simulated by FMPy:")
        print(f"          off its start after 1 to 5 periods by at most {error:.1e} m, rod length kept to {drift:.0e}")
    write_csv(result, RESULTS / "pendulum.csv")
    plot(result, RESULTS / "pendulum.png")
    print("results   results/pendulum.csv, results/pendulum.png")
    if worst > LIMIT:
        sys.exit(f"demo: the pendulum misses its start by {worst:.1e} m, expected at most {LIMIT:.0e} m")
    print("try next  build/trammel simulate pendulum --stop-time 4 --output-interval 0.5")
    print("          change g in a copy of models/catalogue/pendulum.toml, then build/trammel export COPY.toml")
    print("          build/trammel --help; docs/model_format.md says what a model file may contain")


if __name__ == "__main__":
    main()
