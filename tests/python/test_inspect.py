"""trammel inspect --json is JSON that fits the model, for every model of the catalogue."""

import json


def test_json_of_every_model(trammel, model):
    run = trammel("inspect", model, "--json")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["initial_state"]["consistent"], report["initial_state"]["message"]
    assert len(report["initial_state"]["coordinates"]) == report["coordinates"]
    assert report["degrees_of_freedom"] >= report["gruebler_count"]
    assert all(mode["frequency"] >= 0 for mode in report["modes"])
    assert all(joint["redundant"] <= joint["equations"] for joint in report["joints"])
