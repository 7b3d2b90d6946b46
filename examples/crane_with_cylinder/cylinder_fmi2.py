"""The cylinder as an FMU of FMI 2.0, for pythonfmu."""

import cylinder_equations as cylinder
from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real


class CylinderFmi2(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.F = 0.0     # from outside on the piston [N]
        self.x = 0.0     # [m]
        self.v = 0.0     # [m/s]
        self.p = 0.0     # [Pa]
        continuous = Fmi2Variability.continuous

        self.register_variable(Real("F", causality=Fmi2Causality.input, variability=continuous))
        for name in ("x", "v", "p"):
            self.register_variable(Real(name, causality=Fmi2Causality.output, variability=continuous))
        self.register_variable(Real("a", causality=Fmi2Causality.output, variability=continuous,
                                    getter=lambda: cylinder.acceleration((self.x, self.v, self.p), self.F)))
        self.p_start = 0.0
        self.register_variable(Real("p_start", causality=Fmi2Causality.parameter,
                                    variability=Fmi2Variability.fixed))

    def enter_initialization_mode(self):
        self.p = self.p_start

    def do_step(self, current_time, step_size):
        self.x, self.v, self.p = cylinder.advance(current_time, step_size, (self.x, self.v, self.p), self.F)
        return True
