"""What several tests need of FMPy: an instance that is stepped by hand."""

import re

from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave


class Slave:
    """One instance through FMPy's layer over the C interface, the same for both versions."""

    def __init__(self, description, folder, name):
        self.fmi3 = description.fmiVersion.startswith("3")
        self.references = {v.name: v.valueReference for v in description.modelVariables}
        self.lengths = {v.name: int(v.dimensions[0].start) for v in description.modelVariables if v.dimensions}
        self.fmu = (FMU3Slave if self.fmi3 else FMU2Slave)(
            guid=description.guid,
            unzipDirectory=folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName=name,
        )
        self.fmu.instantiate()

    def start(self, tolerance):
        if self.fmi3:
            self.fmu.enterInitializationMode(tolerance=tolerance, startTime=0)
        else:
            self.fmu.setupExperiment(tolerance=tolerance, startTime=0)
            self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def set(self, name, value):
        setter = self.fmu.setFloat64 if self.fmi3 else self.fmu.setReal
        setter([self.references[name]], [value])

    def get(self, *names):
        getter = self.fmu.getFloat64 if self.fmi3 else self.fmu.getReal
        return list(getter([self.references[name] for name in names]))

    def value(self, name):
        """Also an element r[2] of a vector, which is one array variable r in FMI 3."""
        element = re.fullmatch(r"(.+)\[(\d+)\]", name)
        if element is None or name in self.references:
            return self.get(name)[0]
        vector, index = element[1], int(element[2])
        return self.fmu.getFloat64([self.references[vector]], nValues=self.lengths[vector])[index - 1]

    def step(self, time, size):
        self.fmu.doStep(currentCommunicationPoint=time, communicationStepSize=size)

    def end(self):
        self.fmu.terminate()
        self.fmu.freeInstance()

    def bytes(self):
        """The serialized state."""
        if self.fmi3:
            return self.fmu.serializeFMUState(self.fmu.getFMUState())
        return self.fmu.serializeFMUstate(self.fmu.getFMUstate())

    def take(self, serialized):
        if self.fmi3:
            self.fmu.setFMUState(self.fmu.deserializeFMUState(serialized))
        else:
            self.fmu.setFMUstate(self.fmu.deSerializeFMUstate(serialized))
