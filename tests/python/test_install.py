"""The installed tree: found from wherever it lies, packed by CPack, used by CMake projects."""

import os
import shutil
import subprocess
import tarfile

import fmpy
import fmpy.validation
import pytest
from conftest import PROGRAM, ROOT

BUILD = PROGRAM.parent
COMMANDS_WITH_HELP = ["export", "simulate", "inspect", "models", "couple", "check"]


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """The build installed, then moved to another place whose name has a space."""
    folder = tmp_path_factory.mktemp("install")
    run("cmake", "--install", BUILD, "--prefix", folder / "first")
    return (folder / "first").rename(folder / "moved here")


def test_the_moved_program_exports_and_simulates(prefix, tmp_path):
    program = prefix / "bin" / "trammel"
    run(program, "export", "pendulum", cwd=tmp_path)
    run(program, "simulate", "Pendulum.fmu", "-o", "out.csv", cwd=tmp_path)
    assert (tmp_path / "out.csv").stat().st_size > 1000
    # A link to it, as in ~/bin, finds the same.
    (tmp_path / "link").symlink_to(program)
    assert "four_bar" in run(tmp_path / "link", "models")


def test_the_man_page_says_what_help_says(prefix):
    page = (prefix / "share" / "man" / "man1" / "trammel.1").read_text()
    page = page.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
    program = prefix / "bin" / "trammel"
    for command in [[], *([name] for name in COMMANDS_WITH_HELP)]:
        assert run(program, *command, "--help") in page
    assert run(program, "--version").strip() in page


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is missing")
@pytest.mark.parametrize(
    "words, expected",
    [
        (["expo"], {"export"}),
        (["export", "four"], {"four_bar"}),
        (["export", "--f"], {"--fmi", "--force"}),
        (["export", "pendulum", "--fmi", ""], {"2", "3", "both"}),
    ],
)
def test_bash_completes_commands_options_and_models(prefix, tmp_path, words, expected):
    completion = prefix / "share" / "bash-completion" / "completions" / "trammel"
    script = (
        f"source '{completion}'; COMP_WORDS=(trammel {' '.join(w or chr(39) * 2 for w in words)}); "
        f"COMP_CWORD={len(words)}; _trammel; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    environment = dict(os.environ, PATH=f"{prefix / 'bin'}:{os.environ['PATH']}")
    assert set(run("bash", "-c", script, cwd=tmp_path, env=environment).split()) == expected


def test_a_cmake_project_exports_fmus_and_links_the_libraries(prefix, tmp_path):
    """A project of its own: a model file, a model of the catalogue in both versions, the solver from C++."""
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(User CXX)\nfind_package(Trammel 0.1 REQUIRED)\n"
        "trammel_add_fmu(short MODEL my.toml SET L=0.25)\ntrammel_add_fmu(crane MODEL crane FMI both)\n"
        "add_executable(count main.cpp)\ntarget_link_libraries(count PRIVATE Trammel::models Trammel::solver)\n"
    )
    shutil.copy(ROOT / "models" / "catalogue" / "pendulum.toml", tmp_path / "my.toml")
    (tmp_path / "main.cpp").write_text(
        '#include <iostream>\n#include "models/compiled_model.hpp"\n'
        "int main(int, char** argv) {\n"
        "  std::cout << trammel::compile(trammel::readModelFile(argv[1])).constraintCount();\n}\n"
    )
    build = tmp_path / "build"
    run("cmake", "-S", tmp_path, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    description = fmpy.read_model_description(str(build / "short.fmu"))
    assert {v.name: v.start for v in description.modelVariables}["L"] == "0.25"
    for version in (2, 3):
        description = fmpy.read_model_description(str(build / f"crane_fmi{version}.fmu"))
        assert description.fmiVersion == f"{version}.0"
    assert run(build / "count", tmp_path / "my.toml") == "1"


def test_the_example_of_a_model_in_cpp_builds_and_runs(prefix, tmp_path):
    """The same pendulum as equations of a model file is the yardstick; both run with a tolerance of 1e-8."""
    example, build = ROOT / "examples" / "cpp_model", tmp_path / "build"
    run("cmake", "-S", example, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    text = (example / "damped_pendulum.toml").read_text().replace('kind = "coded"', 'kind = "equations"')
    drag = "-c*sqrt(der(x)^2 + der(y)^2)"
    for old, new in [
        ("x = { unit", f'x = {{ mass = "m", force = "F {drag}*der(x)", unit'),
        ("y = { unit", f'y = {{ mass = "m", force = "-m*g {drag}*der(y)", unit'),
        ("rod = { unit", 'rod = { expression = "(x^2 + y^2 - L^2)/2", unit'),
        ("energy = { unit", 'energy = { expression = "m*(der(x)^2 + der(y)^2)/2 + m*g*y", unit'),
        ("drag_power = { unit", 'drag_power = { expression = "-c*(der(x)^2 + der(y)^2)^1.5", unit'),
    ]:
        assert old in text
        text = text.replace(old, new, 1)
    (tmp_path / "same.toml").write_text(text)
    run(prefix / "bin" / "trammel", "export", "same.toml", "-o", "same.fmu", "--set", "m=2", cwd=tmp_path)
    names = ["x", "y", "der(x)", "der(y)", "energy", "drag_power"]
    options = dict(stop_time=5.0, step_size=0.01, output_interval=0.01, output=names)
    wanted = fmpy.simulate_fmu(str(tmp_path / "same.fmu"), **options)
    for version in (2, 3):
        fmu = build / f"damped_pendulum_fmi{version}.fmu"
        assert fmpy.validation.validate_fmu(str(fmu)) == []
        result = fmpy.simulate_fmu(str(fmu), start_values={"m": 2.0}, **options)
        for name in names:
            # Two runs at a tolerance of 1e-8 that take different steps: both are within 1e-5 of the motion.
            assert abs(result[name] - wanted[name]).max() < 1e-5, name
        assert result["drag_power"].max() <= 0
    symbols = run("nm", "-D", "--defined-only", build / "damped_pendulum_binary.so")
    assert all(line.split()[-1].startswith(("fmi2", "fmi3")) for line in symbols.splitlines())


def test_cpack_makes_a_tar_gz_that_runs_where_it_is_unpacked(tmp_path):
    run("cpack", "-G", "TGZ", "-B", tmp_path / "packed", cwd=BUILD)
    (archive,) = (tmp_path / "packed").glob("trammel-*.tar.gz")
    with tarfile.open(archive) as content:
        content.extractall(tmp_path)
    (folder,) = tmp_path.glob("trammel-*")
    run(folder / "bin" / "trammel", "export", "pendulum", cwd=tmp_path)
    assert (tmp_path / "Pendulum.fmu").exists()
