"""Hydraulic cylinder fed by a pump:  m x'' = p A - c x' + F,  p' = K/V (Q(t) - A x')."""

import math

MASS = 10.0       # piston [kg]
AREA = 0.01       # [m2]
DAMPING = 2000.0  # [N.s/m]
BULK = 7e8        # oil and hoses [Pa]
VOLUME = 0.02     # [m3]
FLOW = 1e-3       # of the pump [m3/s], from 0.5 s to 2.5 s, switched on and off smoothly
SUBSTEP = 1e-4    # [s]


def flow(t):
    tau = min(max((t - 0.5) / 2.0, 0.0), 1.0)
    return FLOW * (1 - math.cos(2 * math.pi * tau))


def acceleration(state, force):
    x, v, p = state
    return (p * AREA - DAMPING * v + force) / MASS


def rates(t, state, force):
    x, v, p = state
    return v, acceleration(state, force), BULK / VOLUME * (flow(t) - AREA * v)


def advance(t, h, state, force):
    """Runge-Kutta of order 4."""
    count = max(1, math.ceil(h / SUBSTEP - 1e-9))
    h /= count

    def moved(factor, slope):
        return tuple(s + factor * k for s, k in zip(state, slope))

    for _ in range(count):
        k1 = rates(t, state, force)
        k2 = rates(t + h / 2, moved(h / 2, k1), force)
        k3 = rates(t + h / 2, moved(h / 2, k2), force)
        k4 = rates(t + h, moved(h, k3), force)
        state = tuple(s + h / 6 * (a + 2 * b + 2 * c + d) for s, a, b, c, d in zip(state, k1, k2, k3, k4))
        t += h
    return state
