"""The documentation page of exported FMUs and the plots of `trammel simulate`, opened in a headless browser from file://."""

import io
import re
import zipfile
from pathlib import Path

import fmpy
import pytest
from browser import Browser, find_chromium
from conftest import ROOT
from lxml import etree
from PIL import Image

CATALOGUE = ROOT / "models" / "catalogue"
MECHANISMS = ["robot_arm", "four_bar"]  # in space, in the plane
LARGEST = 400_000  # bytes


@pytest.fixture(scope="module")
def browser():
    program = find_chromium()
    if program is None:
        pytest.skip("no Chromium: packaging/setup.sh test installs chromium-headless-shell")
    with Browser(program) as started:
        yield started


@pytest.fixture(scope="module")
def page(export, tmp_path_factory):
    """documentation/index.html of a model's FMU, unpacked."""
    folder = tmp_path_factory.mktemp("pages")

    def unpacked(model, version=3):
        path = folder / f"{model}_{version}.html"
        if not path.exists():
            with zipfile.ZipFile(export(CATALOGUE / f"{model}.toml", version)) as fmu:
                path.write_bytes(fmu.read("documentation/index.html"))
        return path

    return unpacked


def inked(canvas):
    """An expression for the number of pixels on a canvas that are not empty."""
    return (f"(c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data"
            f".filter((v, i) => i % 4 == 3 && v > 0).length)({canvas})")


@pytest.mark.parametrize("model", [*MECHANISMS, "pendulum", "wang_hou", "chain"])
def test_opens_without_a_message_and_loads_nothing_else(browser, page, model):
    browser.open(page(model))
    assert browser.problems() == []
    assert [url for url in browser.requests() if not url.startswith(("file:", "data:"))] == []
    assert len([url for url in browser.requests() if url.startswith("file:")]) == 1


@pytest.mark.parametrize("model", [*MECHANISMS, "pendulum", "wang_hou"])
def test_shows_plots_of_the_reference_run(browser, page, model):
    browser.open(page(model))
    assert browser.evaluate("trammelPage.charts.length") > 0
    assert browser.evaluate("trammelPage.charts.every(c => c.chart.numRows() > 50)")
    assert browser.evaluate(inked("document.querySelector('.plot canvas')")) > 200


def test_choosing_a_variable_draws_it(browser, page):
    browser.open(page("pendulum"))
    names = "trammelPage.charts.flatMap(c => c.chart.getLabels().slice(1))"
    assert "der(y)" not in browser.evaluate(names)
    browser.evaluate("[...document.querySelectorAll('#chooser label')]"
                     ".find(l => l.textContent.startsWith('der(y) ')).click()")
    assert "der(y)" in browser.evaluate(names)


def test_a_drag_zooms_all_plots_and_a_button_shows_all_again(browser, page):
    browser.open(page("robot_arm"))
    ranges = "JSON.stringify(trammelPage.charts.map(c => c.chart.xAxisRange()))"
    whole = browser.evaluate(ranges)
    browser.drag(".plot", 200, 0)
    zoomed = browser.evaluate(ranges)
    assert zoomed != whole
    assert browser.evaluate("new Set(trammelPage.charts.map(c => String(c.chart.xAxisRange()))).size") == 1
    browser.evaluate("document.querySelector('input[value=pan]').click()")
    browser.drag(".plot", -60, 0)
    assert browser.evaluate(ranges) not in (whole, zoomed)
    browser.evaluate("document.getElementById('whole').click()")
    assert browser.evaluate(ranges) == whole


@pytest.mark.parametrize("model", MECHANISMS)
def test_the_animation_plays_scrubs_and_turns(browser, page, model):
    browser.open(page(model))
    assert browser.evaluate(inked("document.getElementById('stage')")) > 1000
    picture = "document.getElementById('stage').toDataURL()"
    first = browser.evaluate(picture)
    browser.evaluate("document.getElementById('play').click()")
    browser.wait_until("trammelPage.animation.time > trammelPage.animation.startTime + 0.05")
    browser.evaluate("document.getElementById('play').click()")
    stopped = browser.evaluate("trammelPage.animation.time")
    later = browser.evaluate("new Promise(done => setTimeout(() => done(trammelPage.animation.time), 120))")
    assert later == stopped
    assert browser.evaluate(picture) != first
    browser.evaluate("(s => { s.value = 0.5; s.dispatchEvent(new Event('input')); })(document.getElementById('scrub'))")
    middle = browser.evaluate("(trammelPage.animation.startTime + trammelPage.animation.stopTime) / 2")
    assert browser.evaluate("trammelPage.animation.time") == pytest.approx(middle, rel=1e-9)
    before = browser.evaluate(picture)
    browser.drag("#stage", 80, 30)
    assert browser.evaluate(picture) != before
    browser.evaluate("document.getElementById('front').click()")
    assert browser.evaluate(picture) == before
    assert browser.problems() == []


def test_equations_have_plots_and_no_animation(browser, page):
    browser.open(page("pendulum"))
    assert browser.evaluate("document.getElementById('stage')") is None
    assert browser.evaluate("trammelPage.animation") is None


def test_the_search_leaves_the_variables_that_fit(browser, page):
    browser.open(page("robot_arm"))
    browser.evaluate("(s => { s.value = 'payload'; s.dispatchEvent(new Event('input')); })"
                     "(document.getElementById('variable-search'))")
    shown = browser.evaluate("[...document.querySelectorAll('#variables tbody tr')].filter(r => r.offsetParent)"
                             ".map(r => r.firstChild.textContent)")
    assert shown == ["payload"]


def test_without_scripts_the_page_still_has_sketch_and_tables(browser, page):
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(page("four_bar"))
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.evaluate("document.querySelector('.sketch svg').getBoundingClientRect().height") > 50
    assert browser.evaluate("getComputedStyle(document.querySelector('.controls')).display") == "none"
    assert browser.evaluate("document.querySelectorAll('#variables tbody tr').length") > 10


def test_the_plot_of_a_simulation_opens_too(browser, trammel, tmp_path):
    run = trammel("simulate", "pendulum", "--plot", tmp_path / "plot.html", "-o", tmp_path / "plot.csv")
    assert run.returncode == 0, run.stderr
    browser.open(tmp_path / "plot.html")
    assert browser.problems() == []
    assert browser.evaluate("trammelPage.charts.length") > 0


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("path", sorted(CATALOGUE.glob("*.toml")), ids=lambda path: path.stem)
def test_pages_are_small_and_name_every_variable(page, path, version):
    html = page(path.stem, version).read_bytes()
    assert len(html) <= LARGEST
    text = html.decode()
    assert not re.search(r"\{\{\w+\}\}", text), "a placeholder was left"
    assert "http-equiv=\"Content-Security-Policy\"" in text
    for name in re.findall(r"^\[outputs\.(\w+)\]", path.read_text(), re.M):
        assert f">{name}" in text


@pytest.mark.parametrize("model", ["pendulum", "robot_arm"])
def test_icons_are_pictures_and_announced_as_the_schema_asks(export, model):
    with zipfile.ZipFile(export(CATALOGUE / f"{model}.toml", 3)) as fmu:
        picture = Image.open(io.BytesIO(fmu.read("terminalsAndIcons/icon.png")))
        announced = etree.fromstring(fmu.read("terminalsAndIcons/terminalsAndIcons.xml"))
        assert etree.fromstring(fmu.read("terminalsAndIcons/icon.svg")).tag.endswith("svg")
    assert picture.format == "PNG" and min(picture.size) >= 100  # as FMI 3.0 asks
    assert len(picture.convert("RGB").getcolors(1 << 16)) > 10, "nothing is drawn"
    schema = Path(fmpy.__file__).parent / "schema" / "fmi3" / "fmi3TerminalsAndIcons.xsd"
    etree.XMLSchema(etree.parse(str(schema))).assertValid(announced)
    assert announced.find("GraphicalRepresentation/Icon") is not None
    with zipfile.ZipFile(export(CATALOGUE / f"{model}.toml", 2)) as fmu:
        assert Image.open(io.BytesIO(fmu.read("model.png"))).size == picture.size


def test_names_from_the_model_cannot_break_the_page(browser, trammel, tmp_path):
    model = (CATALOGUE / "pendulum.toml").read_text()
    model = re.sub(r'^name = .*$', 'name = "</script><script>throw 1</script>&amp;"', model, flags=re.M)
    model = re.sub(r'^description = .*$', 'description = "<img src=x onerror=alert(1)> {{data}}"', model, count=1, flags=re.M)
    (tmp_path / "evil.toml").write_text(model)
    run = trammel("export", "evil.toml", "-o", "evil.fmu", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    with zipfile.ZipFile(tmp_path / "evil.fmu") as fmu:
        (tmp_path / "evil.html").write_bytes(fmu.read("documentation/index.html"))
    browser.open(tmp_path / "evil.html")
    assert browser.problems() == []
    assert browser.evaluate("document.querySelector('h1').textContent") == "</script><script>throw 1</script>&amp;"
    assert "{{data}}" in browser.evaluate("document.querySelector('.lead').textContent")
