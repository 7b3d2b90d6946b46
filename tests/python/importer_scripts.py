"""Runs one FMU in one importer and prints the outputs at the end as JSON; each importer in a process of its own.

usage: importer_scripts.py ecos|libcosim FMU STEP COUNT NAME...
"""

import json
import sys


def ecos(fmu, step, count, names):
    from ecospy import EcosSimulation, EcosSimulationStructure

    structure = EcosSimulationStructure()
    structure.add_model("model", fmu)
    simulation = EcosSimulation(structure=structure, step_size=step)
    simulation.init()
    simulation.step(count)
    values = {name: simulation.get_real(f"model::{name}") for name in names}
    simulation.terminate()
    return values


def libcosim(fmu, step, count, names):
    from fmpy import read_model_description
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    execution = CosimExecution.from_step_size(step_size=round(step * 1e9))
    slave = CosimLocalSlave(fmu_path=fmu, instance_name="model")
    assert slave.ptr(), "libcosim does not accept the FMU"
    index = execution.add_local_slave(local_slave=slave)
    observer = CosimObserver.create_last_value()
    assert execution.add_observer(observer=observer)
    execution.step(step_count=count)
    references = {v.name: v.valueReference for v in read_model_description(fmu).modelVariables}
    values = observer.last_real_values(slave_index=index, variable_references=[references[n] for n in names])
    return dict(zip(names, values))


if __name__ == "__main__":
    importer, fmu, step, count, *names = sys.argv[1:]
    print("RESULT " + json.dumps({"ecos": ecos, "libcosim": libcosim}[importer](fmu, float(step), int(count), names)))
