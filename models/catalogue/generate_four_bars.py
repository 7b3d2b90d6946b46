"""Writes the mechanism of N four-bars, A02 of the IFToMM benchmarks: 2 N + 1 rods of 1 m and 1 kg.

    python3 generate_four_bars.py N > n_four_bar.toml
"""

import sys


def four_bars(count):
    lines = [
        f"# Written by generate_four_bars.py {count}. Source: M. Gonzalez et al., A benchmarking system for MBS simulation",
        "# software: problem standardization and performance measurement, Multibody System Dynamics 16 (2006), problem A02.",
        "trammel = 1",
        'kind = "mechanism"',
        f'name = "FourBars{count}"',
        f'description = "{count} four-bars in a row that pass positions in which all rods are parallel"',
        "planar = true",
        "gravity = [0.0, -9.81]",
    ]

    def rod(name, angle, position, motion):
        return ["", f"[bodies.{name}]", "mass = 1.0", 'inertia = "1/12"', "centre = [0.5, 0.0]", *angle,
                f"position = [{position}]", *motion]

    for i in range(count + 1):
        lines += rod(f"crank{i}", ['angle = "pi/2"'], f"{float(i)}, 0.0", ["angular_velocity = [0.0, 0.0, -1.0]"])
    for i in range(count):
        lines += rod(f"coupler{i}", [], f"{float(i)}, 1.0", ["velocity = [1.0, 0.0]"])
    for i in range(count + 1):
        lines += ["", f"[joints.base{i}]", 'type = "revolute"', f'a = {{ body = "ground", position = [{float(i)}, 0.0] }}',
                  f'b = "crank{i}"']
    for i in range(count):
        for side, crank, place in (("left", i, ""), ("right", i + 1, "end")):
            b = f'"coupler{i}"' if not place else f'{{ body = "coupler{i}", position = [1.0, 0.0] }}'
            lines += ["", f"[joints.{side}{i}]", 'type = "revolute"',
                      f'a = {{ body = "crank{crank}", position = [1.0, 0.0] }}', f"b = {b}"]
    lines += [
        "",
        "[frames.B0]",
        'body = "crank0"',
        "position = [1.0, 0.0]",
        "",
        "[outputs.B0_position]",
        'frame = "B0"',
        'quantity = "position"',
        'description = "Upper end of the first crank"',
        "",
        "[outputs.B0_velocity]",
        'frame = "B0"',
        'quantity = "velocity"',
        "",
        "[outputs.energy]",
        'expression = "total_energy"',
        'unit = "J"',
        'description = "Kinetic and potential energy, constant"',
        "",
        "[experiment]",
        "stop_time = 10.0",
        "step_size = 0.01",
        "tolerance = 1e-7",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit() or int(sys.argv[1]) < 1:
        sys.exit("usage: generate_four_bars.py N, N >= 1")
    sys.stdout.write(four_bars(int(sys.argv[1])))
