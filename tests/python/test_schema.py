"""The JSON Schema of the model file accepts every model of the catalogue and refuses wrong ones."""

import copy
import json
import tomllib

import jsonschema
import pytest

from conftest import CATALOGUE, ROOT

SCHEMA = json.loads((ROOT / "docs" / "model.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def read(name):
    return tomllib.loads((ROOT / "models" / "catalogue" / f"{name}.toml").read_text())


def examples_of_the_format():
    """The complete models of docs/model_format.md."""
    blocks = (ROOT / "docs" / "model_format.md").read_text().split("```toml\n")[1:]
    texts = [block.split("```")[0] for block in blocks]
    return [tomllib.loads(text) for text in texts if text.startswith("trammel = 1")]


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", CATALOGUE, ids=[path.stem for path in CATALOGUE])
def test_the_schema_accepts_the_catalogue(path):
    VALIDATOR.validate(tomllib.loads(path.read_text()))


def test_the_schema_accepts_the_examples_of_the_format():
    examples = examples_of_the_format()
    assert len(examples) >= 3
    for example in examples:
        VALIDATOR.validate(example)


def test_the_schema_accepts_every_element_of_the_format():
    """Tables of the fragments of docs/model_format.md, each element on its own."""
    blocks = (ROOT / "docs" / "model_format.md").read_text().split('## kind = "mechanism"')[1].split("```toml\n")[1:]
    count = 0
    for block in blocks:
        fragment = tomllib.loads(block.split("```")[0])
        for section in ("joints", "forces", "measures", "ports", "frames", "bodies", "outputs"):
            model = {**read("four_bar"), **{section: fragment.get(section, {})}}
            if model[section]:
                VALIDATOR.validate(model)
                count += len(model[section])
    assert count >= 40


def remove(path):
    def change(model):
        *way, last = path
        for key in way:
            model = model[key]
        del model[last]

    return change


def put(path, value):
    def change(model):
        *way, last = path
        for key in way:
            model = model.setdefault(key, {})
        model[last] = value

    return change


WRONG = {
    "no version": remove(["trammel"]),
    "other version": put(["trammel"], 2),
    "no name": remove(["name"]),
    "other kind": put(["kind"], "mechanisms"),
    "equations in a coded model": put(["kind"], "coded"),
    "key of another kind": put(["coordinates"], {"x": {"mass": 1.0}}),
    "no bodies": remove(["bodies"]),
    "body without mass": remove(["bodies", "crank", "mass"]),
    "misspelt key": put(["bodies", "crank", "intertia"], 1.0),
    "inertia of two numbers": put(["bodies", "crank", "inertia"], [1.0, 2.0]),
    "wrong name": put(["bodies", "2x"], {"mass": 1.0, "inertia": 1.0}),
    "unknown joint": put(["joints", "crank_pin", "type"], "revolut"),
    "joint without b": remove(["joints", "crank_pin", "b"]),
    "key of another joint": put(["joints", "crank_pin", "length"], 1.0),
    "motion without value": remove(["joints", "motor", "value"]),
    "spring with two laws": put(["forces", "s"], {"type": "spring", "b": "pen", "stiffness": 1.0, "force": "1"}),
    "force without components": put(["forces", "f"], {"type": "force", "frame": "pen"}),
    "output without quantity": remove(["outputs", "curve", "quantity"]),
    "wrong quantity": put(["outputs", "curve", "quantity"], "place"),
    "tolerance too large": put(["experiment", "tolerance"], 1.0),
    "planar as text": put(["planar"], "yes"),
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG.keys())
def test_the_schema_refuses_wrong_models(change):
    model = copy.deepcopy(read("four_bar"))
    change(model)
    assert not VALIDATOR.is_valid(model)
