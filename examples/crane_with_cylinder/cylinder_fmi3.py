"""The cylinder as an FMU of FMI 3.0, for pythonfmu3."""

import cylinder_equations as cylinder
from pythonfmu3 import Fmi3Causality, Fmi3Slave, Fmi3Variability, Float64


class CylinderFmi3(Fmi3Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.F = 0.0     # from outside on the piston [N]
        self.x = 0.0     # [m]
        self.v = 0.0     # [m/s]
        self.p = 0.0     # [Pa]
        continuous = Fmi3Variability.continuous
        self.time = 0.0
        self.register_variable(Float64("time", causality=Fmi3Causality.independent, variability=continuous))
        self.register_variable(Float64("F", causality=Fmi3Causality.input, variability=continuous))
        for name in ("x", "v", "p"):
            self.register_variable(Float64(name, causality=Fmi3Causality.output, variability=continuous))
        self.register_variable(Float64("a", causality=Fmi3Causality.output, variability=continuous,
                                    getter=lambda: cylinder.acceleration((self.x, self.v, self.p), self.F)))
        self.p_start = 0.0
        self.register_variable(Float64("p_start", causality=Fmi3Causality.parameter,
                                    variability=Fmi3Variability.fixed))

    def enter_initialization_mode(self):
        self.p = self.p_start

    def do_step(self, current_time, step_size):
        self.x, self.v, self.p = cylinder.advance(current_time, step_size, (self.x, self.v, self.p), self.F)
        return True
