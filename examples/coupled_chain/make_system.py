"""Writes system.toml: a chain of so many links (default 10) as so many FMUs of the same model."""

import math
import sys

LENGTH = 0.2


def main(count):
    print(f'trammel_system = 1\nname = "Chain of {count} links"\n')
    print('record = [{}]\n'.format(", ".join(f'"link{i}.rod.phi", "link{i}.energy"' for i in range(1, count + 1))))
    print("[experiment]\nstop_time = 1.0\nstep = 0.002")
    x, y = 0.0, 0.0
    for i in range(1, count + 1):
        phi = -math.pi / 2 + 0.6 + 0.5 * (i - 1) / count
        print(f'\n[components.link{i}]\nfile = "link.toml"\nfmi = {3 - i % 2}\ntolerance = 1e-9')
        print(f"parameters = {{ x = {x!r}, y = {y!r}, phi = {phi!r} }}")
        x, y = x + LENGTH * math.cos(phi), y + LENGTH * math.sin(phi)
    for i in range(1, count + 1):
        upper = "ground" if i == 1 else f"link{i - 1}.end"
        print(f'\n[joints.pin{i}]\ntype = "spherical"\na = "{upper}"\nb = "link{i}.begin"')


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
