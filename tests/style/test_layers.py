"""Who may include whom: the layers of the source tree, read from its #include lines."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Directory -> directories whose headers it may include, itself apart. Tests and benchmarks see everything.
LAYERS = {
    "solver": set(),
    "models": {"solver"},
    "modelDescription": {"models", "solver"},
    "coupling": {"solver"},
    "fmu_src": {"models", "solver", "coupling"},
    "packaging": {"fmu_src", "modelDescription", "coupling", "models", "solver"},
}
# Directory -> libraries it may include besides the standard library. The FMU binary holds solver, models and fmu_src:
# what these use is header-only, so that a compiler for another platform is all it takes to build it there.
LIBRARIES = {
    "solver": {"Eigen"},
    "models": {"Eigen", "toml++"},
    "modelDescription": {"Eigen", "pugixml"},
    "coupling": {"Eigen", "FMI", "POSIX", "Windows", "pugixml", "zip"},
    "fmu_src": {"Eigen", "FMI", "POSIX", "Windows"},
    "packaging": {"Eigen", "POSIX", "Windows", "pugixml", "zip", "CLI11", "libxml2"},
}
LIBRARY_OF_HEADER = [
    (r"(unsupported/)?Eigen/\w+", "Eigen"),
    (r"toml\+\+/.+|toml\+\+\.h", "toml++"),
    (r"fmi[123]\w+\.h", "FMI"),
    (r"pugixml\.hpp|pugiconfig\.hpp", "pugixml"),
    (r"zip\.h|zlib\.h", "zip"),
    (r"libxml/\w+\.h", "libxml2"),
    (r"CLI/\w+\.hpp", "CLI11"),
    (r"windows\.h", "Windows"),
    (r"(dlfcn|link|poll|pthread|sched|unistd|spawn|signal|fcntl|sys/\w+)\.h", "POSIX"),
    (r"[a-z_]+", "standard"),
]
FMI_SOURCE = re.compile(r"fmu_src/fmi[23]_\w+\.(cpp|hpp)|coupling/\w+\.(cpp|hpp)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def includes_of_tree(root):
    """Path from the root -> its includes as pairs (quote or angle bracket, header)."""
    files = sorted(
        path for layer in LAYERS for path in (root / layer).rglob("*") if path.suffix in {".cpp", ".hpp", ".h", ".c"}
    )
    return {str(path.relative_to(root)): INCLUDE.findall(path.read_text()) for path in files}


def library_of(header):
    return next((library for pattern, library in LIBRARY_OF_HEADER if re.fullmatch(pattern, header)), header)


def layer_of(file):
    return file.split("/")[0]


def own_header_violations(root, tree):
    for file, includes in tree.items():
        for bracket, header in includes:
            if bracket != '"' or library_of(header) != header:
                continue
            if not (root / header).exists():
                yield f'{file}: includes "{header}", expected a path from the root of the repository'
            elif layer_of(header) not in LAYERS[layer_of(file)] | {layer_of(file)}:
                yield f'{file}: includes "{header}", expected only {sorted(LAYERS[layer_of(file)])} and its own layer'


def library_violations(tree):
    for file, includes in tree.items():
        for bracket, header in includes:
            library = library_of(header)
            if bracket == '"' and library == header:
                continue
            if library not in LIBRARIES[layer_of(file)] | {"standard"}:
                yield f"{file}: includes <{header}>, expected only {sorted(LIBRARIES[layer_of(file)])} and std"


def fmi_header_violations(tree):
    """FMI headers stay in the C boundary, and so do the headers of ours that include them."""
    carriers = {file for file, includes in tree.items() if any(library_of(header) == "FMI" for _, header in includes)}
    for file in carriers:
        if not FMI_SOURCE.fullmatch(file):
            yield f"{file}: includes an FMI header, expected only in fmu_src/fmi2_*, fmu_src/fmi3_* and coupling/"
    for file, includes in tree.items():
        for _, header in includes:
            if header in carriers and not (FMI_SOURCE.fullmatch(file) and layer_of(file) == layer_of(header)):
                yield f'{file}: includes "{header}" and by it an FMI header'


def toml_violations(tree):
    for file, includes in tree.items():
        reads = any(library_of(header) == "toml++" for _, header in includes)
        if reads and layer_of(file) == "models" and not re.fullmatch(r"models/toml_\w+\.cpp", file):
            yield f"{file}: includes toml++, expected only in models/toml_*.cpp"


def violations(root):
    tree = includes_of_tree(root)
    return [
        *own_header_violations(root, tree),
        *library_violations(tree),
        *fmi_header_violations(tree),
        *toml_violations(tree),
    ]


def test_the_source_tree_keeps_its_layers():
    tree = includes_of_tree(ROOT)
    assert set(map(layer_of, tree)) == set(LAYERS), "a layer of the table has no source file"
    assert violations(ROOT) == []


def write_tree(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


SOUND_TREE = {
    "solver/types.hpp": "#include <vector>\n#include <Eigen/Core>\n",
    "models/model.hpp": '#include "solver/types.hpp"\n',
    "models/toml_document.cpp": "#include <toml++/toml.h>\n",
    "fmu_src/fmi2_functions.cpp": '#include "fmi2Functions.h"\n#include "models/model.hpp"\n',
    "packaging/main.cpp": '#include <CLI/CLI.hpp>\n#include "models/model.hpp"\n',
}


def test_a_sound_tree_has_no_violation(tmp_path):
    write_tree(tmp_path, SOUND_TREE)
    assert violations(tmp_path) == []


@pytest.mark.parametrize(
    "file, text",
    [
        ("solver/newton.cpp", '#include "models/model.hpp"'),
        ("solver/newton.cpp", "#include <toml++/toml.h>"),
        ("solver/newton.cpp", "#include <boost/any.hpp>"),
        ("solver/newton.cpp", '  #  include "packaging/main.cpp"'),
        ("solver/newton.cpp", '#include "types.hpp"'),
        ("models/body.cpp", "#include <toml++/toml.h>"),
        ("models/body.cpp", "#include <fmi3Functions.h>"),
        ("models/body.cpp", '#include "fmi3Functions.h"'),
        ("models/body.cpp", '#include "fmu_src/fmi2_functions.cpp"'),
        ("modelDescription/xml.cpp", '#include "packaging/main.cpp"'),
        ("coupling/master.cpp", '#include "models/model.hpp"'),
        ("fmu_src/instance.hpp", "#include <fmi2Functions.h>"),
        ("fmu_src/instance.cpp", "#include <pugixml.hpp>"),
        ("fmu_src/instance.cpp", '#include "fmu_src/fmi2_functions.cpp"'),
        ("packaging/export.cpp", "#include <fmi3Functions.h>"),
    ],
)
def test_a_forbidden_include_is_reported(tmp_path, file, text):
    write_tree(tmp_path, SOUND_TREE | {file: text + "\n"})
    found = violations(tmp_path)
    assert found and any(file in violation for violation in found)
