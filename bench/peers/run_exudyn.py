"""Exudyn on the chains of the comparison: generalised-alpha with fixed steps, sparse solver, modified Newton.

    run_exudyn.py chain_long --size 100 --bodies 0,50,99 --steps 1000 --radius 0.9
"""

import argparse
import contextlib
import json
import math
import os
import time

with contextlib.redirect_stdout(open(os.devnull, "w")):
    import exudyn as exu
    from exudyn.itemInterface import (Gravity, MarkerBodyMass, MarkerBodyPosition, MarkerBodyRigid, NodeRigidBody2D,
                                      NodeRigidBodyEP, ObjectGround, ObjectJointSpherical, ObjectRigidBody,
                                      ObjectRigidBody2D, RevoluteJoint2D, SensorBody)
    from exudyn.utilities import RotationMatrix2EulerParameters, RotationMatrixZ


def planar_chain(mbs, size, bodies, hard):
    length = 1 / size if hard else 1.0
    ground = mbs.AddObject(ObjectGround())
    last = mbs.AddMarker(MarkerBodyRigid(bodyNumber=ground, localPosition=[0, 0, 0]))
    rods = []
    for i in range(size):
        node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[(i + 0.5) * length, 0, 0]))
        rod = mbs.AddObject(ObjectRigidBody2D(mass=length, inertia=length**3 / 12, nodeNumber=node))
        first = mbs.AddMarker(MarkerBodyRigid(bodyNumber=rod, localPosition=[-length / 2, 0, 0]))
        mbs.AddObject(RevoluteJoint2D(markerNumbers=[last, first]))
        mbs.AddLoad(Gravity(markerNumber=mbs.AddMarker(MarkerBodyMass(bodyNumber=rod)), loadVector=[0, -9.81, 0]))
        last = mbs.AddMarker(MarkerBodyRigid(bodyNumber=rod, localPosition=[length / 2, 0, 0]))
        rods.append(rod)
    return [(mbs.AddSensor(SensorBody(bodyNumber=rods[i], storeInternal=True, writeToFile=False,
                                      outputVariableType=exu.OutputVariableType.Rotation)), (-1,)) for i in bodies]


def spatial_chain(mbs, size, bodies):
    ground = mbs.AddObject(ObjectGround())
    last = mbs.AddMarker(MarkerBodyPosition(bodyNumber=ground, localPosition=[0, 0, 0]))
    x = y = 0.0
    rods = []
    for i in range(size):
        angle = math.pi / 6 if i % 2 == 0 else -math.pi / 6
        c, s = math.cos(angle), math.sin(angle)
        parameters = list(RotationMatrix2EulerParameters(RotationMatrixZ(angle)))
        node = mbs.AddNode(NodeRigidBodyEP(referenceCoordinates=[x + c / 2, y + s / 2, 0] + parameters))
        rod = mbs.AddObject(ObjectRigidBody(mass=1, inertia=[0.00125, 1 / 12, 1 / 12, 0, 0, 0],
                                            nodeNumber=node))
        first = mbs.AddMarker(MarkerBodyPosition(bodyNumber=rod, localPosition=[-0.5, 0, 0]))
        mbs.AddObject(ObjectJointSpherical(markerNumbers=[last, first]))
        mbs.AddLoad(Gravity(markerNumber=mbs.AddMarker(MarkerBodyMass(bodyNumber=rod)), loadVector=[0, 0, -9.81]))
        last = mbs.AddMarker(MarkerBodyPosition(bodyNumber=rod, localPosition=[0.5, 0, 0]))
        rods.append(rod)
        x, y = x + c, y + s
    return [(mbs.AddSensor(SensorBody(bodyNumber=rods[i], storeInternal=True, writeToFile=False,
                                      outputVariableType=exu.OutputVariableType.Position)), (-3, -2, -1))
            for i in bodies]


def settings_of(options):
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps = options.steps
    integration.endTime = options.stop
    integration.verboseMode = 0
    integration.generalizedAlpha.spectralRadius = options.radius
    integration.newton.useModifiedNewton = True
    integration.newton.relativeTolerance = 1e-8
    integration.newton.absoluteTolerance = 1e-10
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = options.stop / options.points
    large = options.size > 20
    settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse if large else exu.LinearSolverType.EXUdense
    settings.parallel.numberOfThreads = 1
    return settings


def run(options):
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    if options.problem == "chain_space":
        sensors = spatial_chain(mbs, options.size, options.bodies)
    elif options.problem in ("chain_long", "chain_hard"):
        sensors = planar_chain(mbs, options.size, options.bodies, options.problem == "chain_hard")
    else:
        raise SystemExit(f'unknown problem "{options.problem}"')
    mbs.Assemble()
    settings = settings_of(options)
    cpu, wall = time.thread_time(), time.monotonic()
    ok = mbs.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    record = {"cpu": time.thread_time() - cpu, "wall": time.monotonic() - wall, "heap": 0,
              "failure": "" if ok else "the solver gave up", "counts": {"steps": options.steps}, "outputs": []}
    if ok:
        data = [(mbs.GetSensorStoredData(number), columns) for number, columns in sensors]
        for point in range(1, options.points + 1):
            row = round(point * (len(data[0][0]) - 1) / options.points)
            record["outputs"] += [float(values[row][column]) for values, columns in data for column in columns]
    return record


def main():
    parser = argparse.ArgumentParser(description="Runs Exudyn on a problem of the comparison.")
    parser.add_argument("problem")
    parser.add_argument("--stop", type=float, default=1.0)
    parser.add_argument("--points", type=int, default=10)
    parser.add_argument("--size", type=int, default=10)
    parser.add_argument("--bodies", type=lambda text: [int(word) for word in text.split(",")], default=[0])
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--radius", type=float, default=0.9, help="spectral radius at infinity")
    options = parser.parse_args()
    if options.steps % options.points:
        parser.error(f"--steps must be a multiple of --points, {options.points}")
    print(json.dumps(run(options)))


if __name__ == "__main__":
    main()
