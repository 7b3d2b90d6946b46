"""Writes a chain of N rods that hangs from the ground, released from the horizontal at rest, as a mechanism.

    python3 generate_chain.py N > chain.toml        each rod 1 m and 1 kg
    python3 generate_chain.py N --hard              all rods together 1 m and 1 kg
"""

import sys


def chain(count, hard=False):
    length = 1 / count if hard else 1.0
    size = "together 1 m and 1 kg" if hard else "each 1 m and 1 kg"
    lines = [
        f"# Written by generate_chain.py {count}{' --hard' if hard else ''}.",
        "trammel = 1",
        'kind = "mechanism"',
        f'name = "Chain{count}"',
        f'description = "Chain of {count} uniform rods, {size}, released from the horizontal"',
        "planar = true",
        "gravity = [0.0, -9.81]",
        "",
        "[parameters]",
        f'L = {{ value = {length!r}, unit = "m", min = 0.0, description = "Length of a rod" }}',
        f'm = {{ value = {length!r}, unit = "kg", min = 0.0, description = "Mass of a rod" }}',
    ]
    for i in range(1, count + 1):
        lines += [
            "",
            f"[bodies.rod{i}]",
            'mass = "m"',
            'inertia = "m*L^2/12"',
            'centre = ["L/2", 0.0]',
            f'position = ["{i - 1}*L", 0.0]',
        ]
    for i in range(1, count + 1):
        before = "" if i == 1 else f'a = {{ body = "rod{i - 1}", position = ["L", 0.0] }}\n'
        lines += ["", f"[joints.pin{i}]", 'type = "revolute"', f'{before}b = "rod{i}"']
    lines += [
        "",
        "[outputs.tip]",
        f'frame = {{ body = "rod{count}", position = ["L", 0.0] }}',
        'quantity = "position"',
        'description = "Free end of the chain"',
        "",
        "[outputs.energy]",
        'expression = "total_energy"',
        'unit = "J"',
        'description = "Kinetic and potential energy, constant"',
        "",
        "[experiment]",
        "stop_time = 1.0",
        "step_size = 0.01",
        "tolerance = 1e-6",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    numbers = [argument for argument in sys.argv[1:] if argument != "--hard"]
    if len(numbers) != 1 or not numbers[0].isdigit() or int(numbers[0]) < 1:
        sys.exit("usage: generate_chain.py N [--hard], N >= 1")
    sys.stdout.write(chain(int(numbers[0]), "--hard" in sys.argv[1:]))
