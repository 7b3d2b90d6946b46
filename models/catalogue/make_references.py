"""Writes reference/NAME.csv for each model of the catalogue, values in SI units.

    python3 make_references.py PROGRAM      PROGRAM is trammel, for the models without another source

Most references are solutions of equations that have nothing in common with the model files: minimal coordinates, derived by
hand, integrated by the classical Runge-Kutta formula with steps small enough for about 1e-10. Others are published values. What
is left are runs of PROGRAM at tolerance 1e-11; README.md says which.
"""

import csv
import io
import subprocess
import sys
from math import acos, asin, atan2, cos, hypot, pi, sin, sqrt
from pathlib import Path

HERE = Path(__file__).resolve().parent
G = 9.81  # [m/s2]


def write(name, columns, rows):
    """rows: lists that begin with the time."""
    with open(HERE / "reference" / f"{name}.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["time", *columns])
        writer.writerows([repr(float(value)) for value in row] for row in rows)


def runge_kutta(rate, y, times, step):
    """States of y' = rate(t, y) at the times, which begin with the start."""
    states, t = [list(y)], times[0]
    for stop in times[1:]:
        count = max(1, round((stop - t) / step))
        h, begin = (stop - t) / count, t
        for i in range(count):
            t = begin + i * h
            k1 = rate(t, y)
            k2 = rate(t + h / 2, [a + h / 2 * b for a, b in zip(y, k1)])
            k3 = rate(t + h / 2, [a + h / 2 * b for a, b in zip(y, k2)])
            k4 = rate(t + h, [a + h * b for a, b in zip(y, k3)])
            y = [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(y, k1, k2, k3, k4)]
        t = stop
        states.append(y)
    return states


def times(stop, count):
    return [stop * i / count for i in range(count + 1)]


def solve(A, b):
    """x of A x = b by elimination, A symmetric positive definite."""
    A, b, n = [list(row) for row in A], list(b), len(b)
    for i in range(n):
        for k in range(i + 1, n):
            factor = A[k][i] / A[i][i]
            b[k] -= factor * b[i]
            for j in range(i, n):
                A[k][j] -= factor * A[i][j]
    for i in reversed(range(n)):
        b[i] = (b[i] - sum(A[i][j] * b[j] for j in range(i + 1, n))) / A[i][i]
    return b


def derivative(f, x, h=2e-3):
    """Of a function that returns a list, central differences of order 6."""
    terms = [(45, 1), (-9, 2), (1, 3)]
    values = [(c, f(x + k * h), f(x - k * h)) for c, k in terms]
    return [sum(c * (up[i] - down[i]) for c, up, down in values) / (60 * h) for i in range(len(values[0][1]))]


def one_degree_of_freedom(inertia, potential, force):
    """Rate of (φ, φ') for  J(φ) φ'' + J' φ'²/2 + V' = Q(φ, φ')."""

    def rate(_, y):
        dJ = derivative(lambda x: [inertia(x)], y[0])[0]
        dV = derivative(lambda x: [potential(x)], y[0])[0]
        return [y[1], (force(*y) - dV - dJ * y[1] ** 2 / 2) / inertia(y[0])]

    return rate


# Pendulums: the angle from the hanging position.


def swing(name, g, columns, grid):
    """Unit length and mass, released from the horizontal."""
    states = runge_kutta(lambda t, y: [y[1], -g * sin(y[0])], [pi / 2, 0], grid, 2e-4)
    write(name, columns, [[t, sin(a), -cos(a), sign * (w * w + g * cos(a))] for t, (a, w) in zip(grid, states)
                          for sign in [-1 if name == "bottasso_pendulum" else 1]])


def pendulum():
    swing("pendulum", 13.7503716373294544, ["x", "y", "rod_force"], times(10, 20))


def bottasso_pendulum():
    swing("bottasso_pendulum", 1.0, ["ux", "uy", "multiplier"], times(10, 20))


def double_pendulum():
    def rate(_, y):  # unit masses and lengths
        a, b, va, vb = y
        d = a - b
        M = [[2, cos(d)], [cos(d), 1]]
        return [va, vb, *solve(M, [-vb * vb * sin(d) - 2 * G * sin(a), va * va * sin(d) - G * sin(b)])]

    grid = times(2, 8)
    states = runge_kutta(rate, [pi / 2, pi / 2, 0, 0], grid, 5e-5)
    write("double_pendulum", ["x1", "y1", "x2", "y2"],
          [[t, sin(a), -cos(a), sin(a) + sin(b), -cos(a) - cos(b)] for t, (a, b, _, _) in zip(grid, states)])


def spherical_pendulum():
    tilt, speed = pi / 3, 1.5
    h = sin(tilt) * speed  # sin²θ φ'

    def rate(_, y):
        theta, w, _ = y
        turn = h / sin(theta) ** 2
        return [w, sin(theta) * cos(theta) * turn ** 2 - G * sin(theta), turn]

    grid = times(5, 20)
    rows = []
    for t, (theta, w, phi) in zip(grid, runge_kutta(rate, [tilt, 0, 0], grid, 1e-4)):
        square = w * w + h * h / sin(theta) ** 2
        rows.append([t, sin(theta) * cos(phi), sin(theta) * sin(phi), -cos(theta), G * cos(theta) + square])
    write("spherical_pendulum", ["place[1]", "place[2]", "place[3]", "tension"], rows)


def spinning_top():
    m, l, J1, J3, tilt, spin = 0.5, 0.06, 4e-4, 6e-4, pi / 6, 150.0
    J, L3 = J1 + m * l * l, J3 * spin

    def precession(theta):
        return L3 * (cos(tilt) - cos(theta)) / (J * sin(theta) ** 2)

    def rate(_, y):
        theta, w, _ = y
        p = precession(theta)
        return [w, p * p * sin(theta) * cos(theta) - L3 / J * p * sin(theta) + m * G * l / J * sin(theta), p]

    grid = times(1, 20)
    states = runge_kutta(rate, [tilt, 0, 0], grid, 2e-5)
    write("spinning_top", [f"head_place[{i}]" for i in (1, 2, 3)],
          [[t, 0.1 * sin(a) * sin(p), -0.1 * sin(a) * cos(p), 0.1 * cos(a)] for t, (a, _, p) in zip(grid, states)])


# Mechanisms with one degree of freedom.


def trammel_of_archimedes():
    a, p, m, J, ms = 0.3, 0.5, 0.6, 0.0125, 0.2
    factor = G * (m * a / 2 + ms * a) / (m * a * a / 4 + J + ms * a * a)
    grid = times(3, 20)
    states = runge_kutta(lambda t, y: [y[1], -factor * cos(y[0])], [150 * pi / 180, 0], grid, 1e-4)
    write("trammel_of_archimedes", ["pencil[1]", "pencil[2]", "speed"],
          [[t, (a - p) * cos(theta), p * sin(theta), -w] for t, (theta, w) in zip(grid, states)])


def slider_crank():
    r, l, m1, m2, m3, c = 0.05, 0.15, 0.5, 0.3, 0.8, 2.0

    def places(phi):  # middle of the rod, angle of the rod, slider
        theta = -asin(r * sin(phi) / l)
        return [r * cos(phi) + l / 2 * cos(theta), r * sin(phi) / 2, theta, r * cos(phi) + l * cos(theta)]

    def inertia(phi):
        x, y, theta, s = derivative(places, phi)
        return m1 * r * r / 3 + m2 * (x * x + y * y) + m2 * l * l / 12 * theta * theta + m3 * s * s

    rate = one_degree_of_freedom(inertia, lambda phi: G * (m1 * r / 2 * sin(phi) + m2 * places(phi)[1]),
                                 lambda phi, w: -c * derivative(places, phi)[3] ** 2 * w)
    grid = times(2, 20)
    write("slider_crank", ["phi", "s"],
          [[t, phi, places(phi)[3]] for t, (phi, _) in zip(grid, runge_kutta(rate, [pi / 4, 0], grid, 1e-3))])


def spatial_slider_crank():
    def rod(phi):  # pin, slider, axes of the rod: x along it, y horizontal
        pin = [0, 0.1 + 0.08 * cos(phi), 0.12 + 0.08 * sin(phi)]
        s = sqrt(0.09 - pin[1] ** 2 - pin[2] ** 2)
        x = [s / 0.3, -pin[1] / 0.3, -pin[2] / 0.3]
        n = hypot(x[0], x[1])
        y = [-x[1] / n, x[0] / n, 0]
        z = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
        return [*x, *y, *z, *[(p + q) / 2 for p, q in zip(pin, [s, 0, 0])], s]

    def inertia(phi):
        A, dA = rod(phi), derivative(rod, phi)
        dot = [sum(A[3 * i + k] * dA[3 * j + k] for k in range(3)) for i, j in ((2, 1), (0, 2), (1, 0))]
        rotation = sum(J * w * w for J, w in zip((1e-4, 3.75e-3, 3.75e-3), dot))
        crank = 1e-4 + 0.12 * 0.04 ** 2
        return crank + rotation + 0.5 * sum(v * v for v in dA[9:12]) + 2.0 * dA[12] ** 2

    def potential(phi):
        return G * (0.12 * 0.04 * sin(phi) + 0.5 * rod(phi)[11])

    rate = one_degree_of_freedom(inertia, potential, lambda phi, w: 0.4 - 20.0 * derivative(rod, phi)[12] ** 2 * w)
    grid = times(2, 20)
    write("spatial_slider_crank", ["angle", "stroke"],
          [[t, phi, rod(phi)[12]] for t, (phi, _) in zip(grid, runge_kutta(rate, [0, 0], grid, 5e-4))])


def four_bar():
    a, b, c, d = 0.2, 0.5, 0.4, 0.5
    rows = []
    for t in times(2, 20):
        phi = 3 * t * t
        px, py = a * cos(phi), a * sin(phi)
        ex, ey = d - px, -py  # from the pin to the pivot of the rocker
        e = hypot(ex, ey)
        coupler = atan2(ey, ex) + acos((b * b + e * e - c * c) / (2 * b * e))
        rocker = atan2(py + b * sin(coupler), px + b * cos(coupler) - d)
        u, v = b / 2, 0.3 * b
        rows.append([t, px + u * cos(coupler) - v * sin(coupler), py + u * sin(coupler) + v * cos(coupler), rocker])
    write("four_bar", ["curve[1]", "curve[2]", "rocker_angle"], rows)


def n_four_bar(N=2):
    factor = G * ((N + 1) / 2 + N) / ((N + 1) / 3 + N)
    grid = times(10, 20)
    states = runge_kutta(lambda t, y: [y[1], -factor * cos(y[0])], [pi / 2, -1], grid, 1e-4)
    write("n_four_bar", ["B0_position[1]", "B0_position[2]", "B0_velocity[1]", "B0_velocity[2]"],
          [[t, cos(a), sin(a), -w * sin(a), w * cos(a)] for t, (a, w) in zip(grid, states)])


def yen_petzold(name, stop, start, tangential, step):
    grid = times(stop, 10)
    write(name, ["x", "y"], [[t, sin(a), -cos(a)] for t, (a, _) in
                             zip(grid, runge_kutta(lambda t, y: [y[1], tangential(y[0])], start, grid, step))])


def yen_petzold_point_mass():
    eps = 1e-4
    yen_petzold("yen_petzold_point_mass", 0.25, [0, 1],
                lambda a: -sin(a) * cos(a) / eps - (2 * sin(a / 2) ** 2 / eps ** 2 + 1) * sin(a), 1e-6)


def yen_petzold_spring():
    eps = 1e-4

    def tangential(a):
        x, y = sin(a), -cos(a)
        length = hypot(x, y + 0.5)
        pull = (length - 0.4) / (length * eps * eps)
        return -pull * x * cos(a) - (pull * (y + 0.5) + 1) * sin(a)

    yen_petzold("yen_petzold_spring", 0.05, [asin(0.04471), 0], tangential, 5e-7)


def yen_petzold_bushing():
    eps, c, y0 = 1e-3, 10.0, -1.4852e-2

    def rate(_, y):
        a, w = y
        along = -sin(a) * (cos(a) - 1) + cos(a) * sin(a)  # of the displacement on the tangent
        return [w, -along / eps - c * w - G * cos(a)]

    grid, start = times(1, 20), asin(y0)
    states = runge_kutta(rate, [start, -4.5444e-3 / cos(start)], grid, 1e-4)
    write("yen_petzold_bushing", ["place[1]", "place[2]"], [[t, cos(a), sin(a)] for t, (a, _) in zip(grid, states)])


# Linear systems.


def wang_hou():
    """Published: the exact solution at t = 1 and t = 10."""
    write("wang_hou", ["x1", "x2", "y1", "y2", "lambda"],
          [[1, 0.462699842613057, 1.33104085746019, 0.665520428730094, 0.174738911263629, -1.0919160455012],
           [10, 2962.27397210786, 4358.88743041058, 2179.44371520529, -2203.20403937522, 2436.36278266829]])


def linear(name, columns, A, C, r, stop):
    def rate(_, y):
        return [*y[2:], *solve(A, [C[i][0] * y[0] + C[i][1] * y[1] + r[i] for i in range(2)])]

    grid = times(stop, 10)
    states = runge_kutta(rate, [0, 0, 0, 0], grid, 1e-3)
    write(name, columns, [[t, *state[:2]] for t, state in zip(grid, states)])


def wang_hou_x():
    linear("wang_hou_x", ["x1", "x2"], [[4, 1], [1, 3]], [[2, 1], [1, 2]], [6, 7 + 22 / 15], 2)


def wang_hou_y():
    linear("wang_hou_y", ["y1", "y2"], [[5, 2], [2, 4]], [[1, 2], [0, 2]], [10 - 44 / 15, 4], 2)


def quarter_car():
    mb, mw, ks, cs, kt = 300.0, 40.0, 2e4, 1500.0, 1.8e5

    def rate(_, y):  # displacements of body and wheel from the places without load
        b, w, vb, vw = y
        F = ks * (b - w) + cs * (vb - vw)
        return [vb, vw, -F / mb - G, (F - kt * w) / mw - G]

    grid = times(2, 20)
    rows = [[t, 0.7 + y[0], 0.3 + y[1], rate(t, y)[2], -kt * y[1]]
            for t, y in zip(grid, runge_kutta(rate, [0, 0, 0, 0], grid, 1e-4))]
    write("quarter_car", ["body_height", "wheel_height", "body_acceleration", "wheel_load"], rows)


# Others.


def crane():
    way, T, L, m, M = 4.0, 3.0, 5.0, 500.0, 200.0

    def acceleration(t):
        return 2 * pi * way / T ** 2 * sin(2 * pi * t / T) if t < T else 0.0

    def place(t):
        tau = min(t / T, 1)
        return way * (tau - sin(2 * pi * tau) / (2 * pi))

    grid = times(8, 16)
    rows = []
    for t, (a, w) in zip(grid, runge_kutta(lambda t, y: [y[1], (-G * sin(y[0]) - acceleration(t) * cos(y[0])) / L],
                                           [0, 0], grid, 1e-4)):
        rope = m * (L * w * w + G * cos(a) - acceleration(t) * sin(a))
        rows.append([t, place(t), a, rope, M * acceleration(t) - rope * sin(a)])
    write("crane", ["trolley_way", "swing", "rope_force", "drive_force"], rows)


def bouncing_ball():
    """Parabolas and, while k acts, half waves about the rest position −m g/k."""
    m, k, h = 0.1, 1e4, 1.0
    fall, v0, w = sqrt(2 * h / G), sqrt(2 * G * h), sqrt(k / m)
    rest = -m * G / k
    # From touching, u = rest + R cos(w t + phase), until u = 0 again.
    R, phase = hypot(rest, v0 / w), atan2(v0 / w, -rest)
    contact = 2 * (pi - phase) / w
    rows = []
    for t in times(3, 30):
        s = t + fall
        s %= 2 * fall + contact
        u = v0 * s - G * s * s / 2 if s <= 2 * fall else rest + R * cos(w * (s - 2 * fall) + phase)
        rows.append([t, u, 0.5 * t])
    write("bouncing_ball", ["height", "way"], rows)


def chain(N=10):
    def weight(i, j):
        return N - max(i, j) - (2 / 3 if i == j else 1 / 2)

    def rate(_, y):
        a, w = y[:N], y[N:]
        M = [[weight(i, j) * cos(a[i] - a[j]) for j in range(N)] for i in range(N)]
        f = [-sum(weight(i, j) * sin(a[i] - a[j]) * w[j] ** 2 for j in range(N) if j != i) - G * (N - i - 0.5) * cos(a[i])
             for i in range(N)]
        return [*w, *solve(M, f)]

    grid = times(1, 10)
    states = runge_kutta(rate, [0.0] * 2 * N, grid, 5e-4)
    write("chain", ["tip[1]", "tip[2]"],
          [[t, sum(map(cos, y[:N])), sum(map(sin, y[:N]))] for t, y in zip(grid, states)])


def andrews():
    """Published: Test Set for IVP Solvers, solution at 0.03 s by PSIDE."""
    names = ["beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"]
    row = [0.03, 15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
           0.5347301163226948, 1.048080741042263]
    write("andrews", names, [row])
    write("andrews_mechanism", names, [row])


def car_axis():
    """Published: deTestSet, solution at t = 3."""
    write("car_axis", ["xl", "yl", "xr", "yr"],
          [[3, 0.0493455784275402809, 0.496989460230171154, 1.04174252488542152, 0.373911027265361257]])


def robot_arm():
    """Forward kinematics of the tool."""
    ways = [1.2, -0.8, 0.9, 0.7, -0.6, 1.5]
    axes = "zyyxyx"
    links = [(0, 0, 0.4), (0.6, 0, 0), (0.3, 0, 0), (0.25, 0, 0), (0.06, 0, 0), (0.1, 0, 0)]

    def turned(axis, angle, v):
        x, y, z = v
        c, s = cos(angle), sin(angle)
        if axis == "x":
            return [x, c * y - s * z, s * y + c * z]
        if axis == "y":
            return [c * x + s * z, y, c * z - s * x]
        return [c * x - s * y, s * x + c * y, z]

    rows = []
    for t in times(2.5, 20):
        tau = min(t / 2, 1)
        share = tau - sin(2 * pi * tau) / (2 * pi)
        v = [0, 0, 0]
        for axis, way, link in reversed(list(zip(axes, ways, links))):
            v = turned(axis, way * share, [p + q for p, q in zip(link, v)])
        rows.append([t, *v])
    write("robot_arm", [f"tool_position[{i}]" for i in (1, 2, 3)], rows)


def own_run(program, name, stop, count, columns):
    command = [program, "simulate", str(HERE / f"{name}.toml"), "--tolerance", "1e-11", "--stop-time", repr(stop),
               "--output-interval", repr(stop / count)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    write(name, columns, [[row["time"], *[row[column] for column in columns]] for row in rows])


def main(program):
    for make in (pendulum, bottasso_pendulum, double_pendulum, spherical_pendulum, spinning_top, trammel_of_archimedes,
                 slider_crank, spatial_slider_crank, four_bar, n_four_bar, yen_petzold_point_mass, yen_petzold_spring,
                 yen_petzold_bushing, wang_hou, wang_hou_x, wang_hou_y, quarter_car, crane, bouncing_ball, chain, andrews,
                 car_axis, robot_arm):
        make()
    own_run(program, "cantilever", 1.0, 20, ["tip[1]", "tip[2]", "slope"])
    own_run(program, "stewart_platform", 1.0, 20, [f"place[{i}]" for i in (1, 2, 3)] + ["length1", "length4"])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_references.py PROGRAM")
    main(sys.argv[1])
