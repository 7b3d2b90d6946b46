"""Defects made on purpose in a good FMU: each a name, the rule that must be reported and the change that makes it."""

import io
import struct
import zipfile

from lxml import etree

TERMINALS = """<?xml version="1.0" encoding="UTF-8"?>
<fmiTerminalsAndIcons fmiVersion="{version}.0"><Terminals>
  <Terminal name="slider" matchingRule="plug" terminalKind="mechanics">
    <TerminalMemberVariable variableName="F" memberName="force" variableKind="inflow"/>
    <TerminalMemberVariable variableName="T" memberName="torque" variableKind="inflow"/>
  </Terminal>
</Terminals></fmiTerminalsAndIcons>
"""


BUILD = """<fmiBuildDescription fmiVersion="3.0">
  <BuildConfiguration modelIdentifier="SliderCrank">
    <SourceFileSet language="C99"><SourceFile name="model.c"/></SourceFileSet>
  </BuildConfiguration>
</fmiBuildDescription>
"""


class Parts:
    """The files of an FMU, its description as a tree. A light one has sources instead of its large binaries."""

    def __init__(self, path, version, light=False):
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if not (light and name.startswith("binaries/"))]
            self.files = {name: archive.read(name) for name in names}
        self.version = version
        self.root = etree.fromstring(self.files["modelDescription.xml"])
        if light:
            self.files["sources/model.c"] = b"int model;"
            if version == 3:
                self.files["sources/buildDescription.xml"] = BUILD.encode()
        else:
            binaries = (name for name in names if name.startswith("binaries/") and name.endswith(".so"))
            self.binary = next(name for name in binaries if "x86_64-linux" in name or "linux64" in name)

    def bytes(self):
        self.files["modelDescription.xml"] = self.files.pop("modelDescription.xml", None) and etree.tostring(
            self.root, xml_declaration=True, encoding="UTF-8"
        )
        return zipped({name: content for name, content in self.files.items() if content is not None})

    @property
    def interface(self):
        return self.root.find("CoSimulation")

    def variable(self, name):
        return next(v for v in self.root.find("ModelVariables") if v.get("name") == name)

    def typed(self, name):
        """Where start, unit and the like stand."""
        variable = self.variable(name)
        return variable if self.version == 3 else variable[0]

    def unknowns(self, word):
        """Entries of a list of ModelStructure, by its name in FMI 3."""
        structure = self.root.find("ModelStructure")
        if self.version == 3:
            return structure.findall(word)
        return structure.findall({"Output": "Outputs", "InitialUnknown": "InitialUnknowns"}[word] + "/Unknown")

    def add_variable(self, type3, type2, name, typed=None, **attributes):
        variables = self.root.find("ModelVariables")
        reference = str(max(int(v.get("valueReference")) for v in variables) + 1)
        tag = type3 if self.version == 3 else "ScalarVariable"
        variable = etree.SubElement(variables, tag, name=name, valueReference=reference, **attributes)
        target = variable if self.version == 3 else etree.SubElement(variable, type2)
        for key, value in (typed or {}).items():
            target.set(key, value)
        return variable


def zipped(files, method=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, method)
    return buffer.getvalue()


# (name, rule, versions, change); the change takes the parts and returns the bytes of the zip, or None.
DEFECTS = []


def defect(rule, versions=(2, 3)):
    def register(change):
        DEFECTS.append((change.__name__, rule, versions, change))
        return change

    return register


# The zip file: its rules do not depend on the version of FMI.


def renamed(parts, old, new):
    """Changes a name of equal length in both headers, also to one that no library writes."""
    assert len(old) == len(new)
    parts.files[old] = b"content"
    data = parts.bytes()
    assert data.count(old.encode()) == 2
    return data.replace(old.encode(), new if isinstance(new, bytes) else new.encode())


def records(data):
    """Offsets of the entries' records in the central directory."""
    at, found = 0, []
    while (at := data.find(b"PK\1\2", at)) >= 0:
        found.append(at)
        at += 4
    return found


def patched(data, offset, form, value):
    return data[:offset] + struct.pack(form, value) + data[offset + struct.calcsize(form) :]


@defect("zip-unreadable", (3,))
def truncated(parts):
    return parts.bytes()[:-30]


@defect("zip-damaged", (3,))
def checksum_of_an_entry_is_wrong(parts):
    data = parts.bytes()
    central = records(data)[0]
    local = struct.unpack_from("<I", data, central + 42)[0]
    return patched(patched(data, central + 16, "<I", 1), local + 14, "<I", 1)


@defect("zip-parent-path", (3,))
def name_leaves_the_folder(parts):
    return renamed(parts, "extra/q/evil", "../../q/evil")


@defect("zip-absolute-path", (3,))
def name_is_absolute(parts):
    return renamed(parts, "extra/evil", "/etc/evil!")


@defect("zip-backslash", (3,))
def name_has_a_backslash(parts):
    return renamed(parts, "extra/evil", "extra\\evil")


@defect("zip-dot-path", (3,))
def name_has_a_dot(parts):
    return renamed(parts, "extra/q/e", "extra/./e")


@defect("zip-name-encoding", (3,))
def name_is_not_utf8(parts):
    return renamed(parts, "extra/q", b"extra/\xff")


@defect("zip-name", (3,))
def name_has_a_control_character(parts):
    return renamed(parts, "extra/q", b"extra/\n")


@defect("zip-link", (3,))
def entry_is_a_link(parts):
    data = parts.bytes()
    central = records(data)[-1]
    return patched(patched(data, central + 4, "<H", 3 << 8 | 20), central + 38, "<I", 0o120777 << 16)


@defect("zip-special-file", (3,))
def entry_is_a_pipe(parts):
    data = parts.bytes()
    central = records(data)[-1]
    return patched(patched(data, central + 4, "<H", 3 << 8 | 20), central + 38, "<I", 0o010644 << 16)


@defect("zip-duplicate", (3,))
def name_occurs_twice(parts):
    parts.files["resources/model.tomm"] = b""
    return parts.bytes().replace(b"resources/model.tomm", b"resources/model.toml")


@defect("zip-case-duplicate", (3,))
def names_differ_in_case(parts):
    parts.files["resources/MODEL.toml"] = b""


@defect("zip-file-and-folder", (3,))
def file_is_also_a_folder(parts):
    parts.files["resources/model.toml/inside"] = b""


@defect("zip-encrypted", (3,))
def entry_is_encrypted(parts):
    data = parts.bytes()
    central = records(data)[0]
    local = struct.unpack_from("<I", data, central + 42)[0]
    return patched(patched(data, central + 8, "<H", 1), local + 6, "<H", 1)


@defect("zip-method", (3,))
def entry_is_packed_by_bzip2(parts):
    return zipped({**parts.files}, zipfile.ZIP_BZIP2)


@defect("zip-version", (3,))
def entry_needs_a_newer_version(parts):
    data = parts.bytes()
    return patched(data, records(data)[0] + 6, "<H", 45)


@defect("zip-header-mismatch", (3,))
def headers_disagree(parts):
    data = parts.bytes()
    return patched(data, records(data)[0] + 24, "<I", 12345)


@defect("zip-zip64", (3,))
def directory_is_of_zip64(parts):
    data = parts.bytes()
    return patched(data, len(data) - 22 + 16, "<I", 0xFFFFFFFF)


@defect("zip-split", (3,))
def zip_is_split(parts):
    data = parts.bytes()
    return patched(data, len(data) - 22 + 4, "<H", 1)


@defect("zip-extra-data", (3,))
def bytes_follow_the_zip(parts):
    return parts.bytes() + b"tail"


@defect("zip-bomb", (3,))
def entry_claims_a_huge_size(parts):
    data = parts.bytes()
    central = records(data)[0]
    local = struct.unpack_from("<I", data, central + 42)[0]
    return patched(patched(data, central + 24, "<I", 0xF0000000), local + 22, "<I", 0xF0000000)


@defect("zip-overlap", (3,))
def entries_share_their_bytes(parts):
    """Two records of the directory point to one content, as in bombs that do not nest."""
    parts.files["resources/a"] = parts.files["resources/b"] = b"same"
    data = parts.bytes()
    first, second = (c for c in records(data) if data[c + 46 : c + 57] in (b"resources/a", b"resources/b"))
    return patched(data, second + 42, "<I", struct.unpack_from("<I", data, first + 42)[0])


@defect("zip-data-descriptor", (3,))
def size_of_a_stored_entry_follows_it(parts):
    data = parts.bytes()
    central = records(data)[0]
    local = struct.unpack_from("<I", data, central + 42)[0]
    return patched(patched(data, central + 8, "<H", 8), local + 6, "<H", 8)


@defect("zip-entry-count", (3,))
def zip_has_too_many_entries(parts):
    return zipped({f"resources/{i}": b"" for i in range(20001)})


@defect("zip-header-size", (3,))
def extra_field_is_huge(parts):
    data, extra = parts.bytes(), bytes(30000)
    central = records(data)[-1]
    end = central + 46 + struct.unpack_from("<H", data, central + 28)[0]
    data = patched(data[:end] + extra + data[end:], central + 30, "<H", len(extra))
    size = struct.unpack_from("<I", data, len(data) - 22 + 12)[0]
    return patched(data, len(data) - 22 + 12, "<I", size + len(extra))


@defect("zip-extension", (3,))
def file_is_called_zip(parts):
    return parts.bytes()


# What lies where.


@defect("layout-description")
def description_is_missing(parts):
    del parts.files["modelDescription.xml"]


@defect("layout-description")
def description_is_in_a_folder(parts):
    parts.files["FMU/modelDescription.xml"] = parts.files.pop("modelDescription.xml")


@defect("layout-root")
def root_has_a_strange_folder(parts):
    parts.files["libraries/notes.txt"] = b""


@defect("layout-implementation")
def implementation_is_missing(parts):
    parts.files = {name: content for name, content in parts.files.items() if not name.startswith("sources/")}


@defect("layout-documentation")
def documentation_has_no_index(parts):
    parts.files.pop("documentation/index.html")


@defect("layout-license")
def licenses_have_no_entry(parts):
    parts.files.pop("documentation/licenses/license.txt")
    parts.files["documentation/licenses/other.md"] = b""


@defect("layout-icon")
def icon_has_no_png(parts):
    parts.files.pop("terminalsAndIcons/icon.png", None)
    parts.files["terminalsAndIcons/icon.svg"] = b"<svg/>"


@defect("layered-manifest", (3,))
def manifest_has_no_name(parts):
    parts.files["extra/org.example/fmi-ls-manifest.xml"] = b"<fmiLayeredStandardManifest/>"


@defect("source-missing", (2,))
def listed_source_is_missing(parts):
    sources = etree.SubElement(parts.interface, "SourceFiles")
    etree.SubElement(sources, "File", name="other.c")


@defect("source-missing", (3,))
def built_source_is_missing(parts):
    parts.files["sources/buildDescription.xml"] = BUILD.replace("model.c", "other.c").encode()


@defect("source-identifier", (3,))
def build_is_of_another_model(parts):
    parts.files["sources/buildDescription.xml"] = BUILD.replace("SliderCrank", "Other").encode()


# XML.


def with_text(parts, change):
    text = change(parts.files["modelDescription.xml"])
    parts.files["modelDescription.xml"] = text
    return zipped(parts.files)


def with_doctype(parts, doctype):
    return with_text(parts, lambda text: text.replace(b"<fmiModelDescription", doctype + b"<fmiModelDescription", 1))


@defect("xml-doctype")
def entities_expand(parts):
    return with_doctype(parts, b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;">]>\n')


@defect("xml-doctype")
def entity_is_external(parts):
    return with_doctype(parts, b'<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n')


@defect("xml-nesting")
def elements_nest_deeply(parts):
    return with_text(parts, lambda text: b"<a>" * 100000 + b"</a>" * 100000)


@defect("xml-encoding")
def encoding_is_another(parts):
    return with_text(parts, lambda text: text.decode().replace("UTF-8", "UTF-16", 1).encode("utf-16"))


@defect("xml-malformed")
def tag_is_not_closed(parts):
    return with_text(parts, lambda text: text.replace(b"</ModelVariables>", b"", 1))


@defect("xml-malformed")
def entity_is_unknown(parts):
    return with_text(parts, lambda text: text.replace(b'modelName="', b'modelName="&unknown;', 1))


@defect("xml-root")
def root_element_is_another(parts):
    return with_text(parts, lambda text: text.replace(b"fmiModelDescription", b"modelDescription"))


@defect("xml-schema")
def element_is_unknown(parts):
    etree.SubElement(parts.root, "Extension")


@defect("xml-schema")
def attribute_is_unknown(parts):
    parts.variable("F").set("colour", "blue")


@defect("xml-schema")
def lists_are_in_another_order(parts):
    parts.root.append(parts.root.find("ModelVariables"))


# Description and interfaces.


@defect("description-unknown")
def version_is_of_fmi_1(parts):
    parts.root.set("fmiVersion", "1.0")


@defect("description-version", (3,))
def version_is_a_patch_release(parts):
    parts.root.set("fmiVersion", "3.0.2")


@defect("description-token")
def token_is_empty(parts):
    parts.root.set("guid" if parts.version == 2 else "instantiationToken", "")


@defect("description-date")
def date_is_local(parts):
    parts.root.set("generationDateAndTime", "2024-05-01T12:00:00+02:00")


@defect("interface-missing")
def interface_is_missing(parts):
    parts.root.remove(parts.interface)


@defect("interface-attribute")
def flag_is_misspelt(parts):
    """The spelling of the other version."""
    old, new = ("canGetAndSetFMUState", "canGetAndSetFMUstate")[:: 1 if parts.version == 3 else -1]
    parts.interface.set(new, parts.interface.attrib.pop(old))


@defect("interface-identifier")
def identifier_has_a_dash(parts):
    parts.interface.set("modelIdentifier", "Slider-Crank")


@defect("interface-tool")
def tool_is_needed(parts):
    parts.interface.set("needsExecutionTool", "true")


@defect("interface-flags")
def state_is_serialized_but_not_saved(parts):
    parts.interface.attrib.pop("canGetAndSetFMUState" if parts.version == 3 else "canGetAndSetFMUstate")


@defect("interface-step", (3,))
def internal_step_is_zero(parts):
    parts.interface.set("fixedInternalStepSize", "0")


@defect("experiment-times")
def experiment_stops_before_it_starts(parts):
    parts.root.find("DefaultExperiment").set("startTime", "100")


@defect("experiment-tolerance")
def tolerance_is_negative(parts):
    parts.root.find("DefaultExperiment").set("tolerance", "-1e-6")


@defect("experiment-number")
def stop_time_is_infinite(parts):
    parts.root.find("DefaultExperiment").set("stopTime", "INF")


@defect("log-category-duplicate")
def category_occurs_twice(parts):
    for category in parts.root.find("LogCategories")[:2]:
        category.set("name", "logEvents")


@defect("description-name")
def model_name_is_empty(parts):
    parts.root.set("modelName", "")


@defect("experiment-step")
def step_size_is_zero(parts):
    parts.root.find("DefaultExperiment").set("stepSize", "0")


@defect("annotation-type", (3,))
def annotation_has_no_domain(parts):
    annotations = etree.SubElement(parts.root, "Annotations")
    etree.SubElement(annotations, "Annotation", type="example")


@defect("annotation-duplicate", (3,))
def annotation_occurs_twice(parts):
    annotations = etree.SubElement(parts.root, "Annotations")
    for _ in range(2):
        etree.SubElement(annotations, "Annotation", type="org.example")


@defect("annotation-duplicate", (2,))
def tool_occurs_twice(parts):
    annotations = etree.Element("VendorAnnotations")
    parts.root.find("DefaultExperiment").addnext(annotations)
    for _ in range(2):
        etree.SubElement(annotations, "Tool", name="example")


# Units and types.


@defect("unit-undefined")
def unit_is_undefined(parts):
    parts.typed("F").set("unit", "kN")


@defect("unit-display-undefined")
def display_unit_is_undefined(parts):
    parts.typed("F").set("displayUnit", "kN")


@defect("unit-missing")
def display_unit_has_no_unit(parts):
    typed = parts.typed("F")
    typed.attrib.pop("unit")
    typed.set("displayUnit", "kN")


@defect("unit-duplicate")
def unit_is_defined_twice(parts):
    units = parts.root.find("UnitDefinitions")
    units[1].set("name", units[0].get("name"))


@defect("unit-factor")
def factor_is_zero(parts):
    parts.root.find("UnitDefinitions")[0][0].set("factor", "0")


def add_type(parts, name):
    types = etree.Element("TypeDefinitions")
    parts.root.insert(list(parts.root).index(parts.root.find("UnitDefinitions")) + 1, types)
    if parts.version == 3:
        return etree.SubElement(types, "Int32Type", name=name)
    simple = etree.SubElement(types, "SimpleType", name=name)
    return etree.SubElement(simple, "Integer")


@defect("type-undefined")
def type_is_undefined(parts):
    parts.typed("F").set("declaredType", "Force")


@defect("type-mismatch")
def type_is_of_another_base(parts):
    add_type(parts, "Force")
    parts.typed("F").set("declaredType", "Force")


@defect("type-name")
def type_has_the_name_of_a_variable(parts):
    add_type(parts, "F")


@defect("unit-inverse", (3,))
def inverse_unit_has_an_offset(parts):
    unit = parts.root.find("UnitDefinitions")[0]
    etree.SubElement(unit, "DisplayUnit", name="q", inverse="true", offset="1")


@defect("type-duplicate")
def type_is_defined_twice(parts):
    definition = add_type(parts, "Count") if parts.version == 3 else add_type(parts, "Count").getparent()
    etree.SubElement(definition.getparent(), definition.tag, name="Count")
    if parts.version == 2:
        etree.SubElement(definition.getparent()[1], "Integer")


def add_enumeration(parts, *values):
    definition = add_type(parts, "Gear") if parts.version == 3 else add_type(parts, "Gear").getparent()
    parent = definition.getparent()
    parent.remove(definition)
    if parts.version == 3:
        enumeration = etree.SubElement(parent, "EnumerationType", name="Gear")
    else:
        enumeration = etree.SubElement(etree.SubElement(parent, "SimpleType", name="Gear"), "Enumeration")
    for i, value in enumerate(values):
        etree.SubElement(enumeration, "Item", name=f"gear{i}", value=str(value))


@defect("type-item")
def items_have_the_same_value(parts):
    add_enumeration(parts, 1, 1)


@defect("start-item")
def start_is_no_item(parts):
    add_enumeration(parts, 1, 3)
    attributes = {"causality": "parameter", "variability": "fixed"}
    parts.add_variable("Enumeration", "Enumeration", "gear", {"declaredType": "Gear", "start": "2"}, **attributes)


@defect("type-enumeration")
def enumeration_has_no_type(parts):
    attributes = {"causality": "parameter", "variability": "fixed"}
    parts.add_variable("Enumeration", "Enumeration", "gear", {"start": "2"}, **attributes)


# Variables.


@defect("variable-duplicate")
def variable_name_occurs_twice(parts):
    parts.variable("T").set("name", "F")


@defect("variable-duplicate", (3,))
def alias_has_the_name_of_a_variable(parts):
    etree.SubElement(parts.variable("F"), "Alias", name="T")


@defect("variable-name")
def variable_name_is_not_structured(parts):
    parts.variable("T").set("name", "2 torque")


@defect("reference-duplicate", (3,))
def value_reference_occurs_twice(parts):
    parts.variable("T").set("valueReference", parts.variable("F").get("valueReference"))


@defect("alias-settable", (2,))
def both_aliases_can_be_set(parts):
    parts.variable("T").set("valueReference", parts.variable("F").get("valueReference"))


@defect("alias-unit", (2,))
def aliases_have_different_units(parts):
    parts.variable("T").set("valueReference", parts.variable("F").get("valueReference"))


@defect("variable-causality")
def input_is_fixed(parts):
    parts.variable("F").set("variability", "fixed")


@defect("variable-initial")
def parameter_is_calculated(parts):
    parts.variable("solver.tolerance").set("initial", "calculated")


@defect("variable-initial", (2,))
def input_has_an_initial(parts):
    parts.variable("F").set("initial", "exact")


@defect("variable-continuous")
def integer_is_continuous(parts):
    parts.variable("solver.steps").set("variability", "continuous")


@defect("variable-continuous", (2,))
def integer_is_continuous_by_default(parts):
    parts.variable("solver.steps").attrib.pop("variability")


@defect("variable-independent", (3,))
def independent_variable_is_missing(parts):
    variables = parts.root.find("ModelVariables")
    variables.remove(parts.variable("time"))


@defect("variable-independent")
def independent_variable_occurs_twice(parts):
    parts.add_variable("Float64", "Real", "time2", causality="independent", variability="continuous")


@defect("variable-multiple-set")
def output_can_be_set_many_times(parts):
    parts.variable("power").set("canHandleMultipleSetPerTimeInstant", "true")


@defect("variable-intermediate", (3,))
def parameter_is_updated_within_steps(parts):
    parts.variable("solver.tolerance").set("intermediateUpdate", "true")


@defect("start-missing")
def input_has_no_start(parts):
    parts.typed("F").attrib.pop("start")


@defect("start-forbidden")
def calculated_output_has_a_start(parts):
    parts.typed("power").set("start", "0")


@defect("start-forbidden")
def independent_variable_has_a_start(parts):
    parts.typed("time").set("start", "0")


@defect("start-range")
def start_is_below_min(parts):
    parts.typed("F").set("min", "1")


@defect("start-number")
def start_is_no_number(parts):
    parts.typed("F").set("start", "zero")


@defect("start-size", (3,))
def array_has_too_few_starts(parts):
    variable = parts.add_variable("Float64", "Real", "array", causality="input", start="1 2")
    etree.SubElement(variable, "Dimension", start="3")


@defect("number-finite", (2,))
def start_is_infinite(parts):
    parts.typed("F").set("start", "INF")


@defect("range-order")
def min_is_above_max(parts):
    parts.typed("F").set("min", "0")
    parts.typed("F").set("max", "-1")


@defect("range-nominal")
def nominal_is_zero(parts):
    parts.typed("F").set("nominal", "0")


@defect("derivative-link")
def derivative_is_of_nothing(parts):
    next(v for v in parts.root.iter() if v.get("derivative")).set("derivative", "99999")


@defect("dimension-link", (3,))
def dimension_is_taken_from_a_real(parts):
    variable = parts.add_variable("Float64", "Real", "array", causality="input", start="1")
    etree.SubElement(variable, "Dimension", valueReference=parts.variable("F").get("valueReference"))


@defect("dimension-size", (3,))
def dimension_is_zero(parts):
    variable = parts.add_variable("Float64", "Real", "array", causality="input", start="1")
    etree.SubElement(variable, "Dimension", start="0")


@defect("dimension-form", (3,))
def dimension_has_no_size(parts):
    variable = parts.add_variable("Float64", "Real", "array", causality="input", start="1")
    etree.SubElement(variable, "Dimension")


@defect("clock-link", (3,))
def clock_is_none(parts):
    parts.variable("solver.steps").set("clocks", parts.variable("F").get("valueReference"))


@defect("clock-interval", (3,))
def clock_has_no_interval(parts):
    parts.add_variable("Clock", "", "clock", causality="input", variability="discrete", intervalVariability="fixed")


@defect("previous-link", (3,))
def previous_of_an_unclocked_variable(parts):
    parts.variable("solver.steps").set("previous", parts.variable("solver.residuals").get("valueReference"))


@defect("variable-none")
def variables_are_missing(parts):
    variables = parts.root.find("ModelVariables")
    for variable in list(variables):
        variables.remove(variable)


@defect("alias-start", (2,))
def both_aliases_have_a_start(parts):
    first = parts.add_variable("", "Real", "a", {"start": "1"}, initial="exact")
    parts.add_variable("", "Real", "b", {"start": "1"}, initial="exact").set(
        "valueReference", first.get("valueReference")
    )


@defect("alias-constant", (2,))
def constant_is_an_alias_of_a_variable(parts):
    first = parts.add_variable("", "Real", "a", {"start": "1"}, variability="constant")
    parts.add_variable("", "Real", "b").set("valueReference", first.get("valueReference"))


@defect("clock-priority", (3,))
def clock_of_scheduled_execution_has_no_priority(parts):
    parts.interface.addnext(etree.Element("ScheduledExecution", modelIdentifier="SliderCrank"))
    parts.add_variable("Clock", "", "clock", causality="input", variability="discrete", intervalVariability="triggered")


# Structure.


@defect("structure-output-missing")
def output_is_not_listed(parts):
    entry = parts.unknowns("Output")[0]
    entry.getparent().remove(entry)


@defect("structure-output")
def input_is_listed_as_output(parts):
    entry, name = parts.unknowns("Output")[0], "valueReference" if parts.version == 3 else "index"
    variables = list(parts.root.find("ModelVariables"))
    link = parts.variable("F").get("valueReference") if parts.version == 3 else variables.index(parts.variable("F")) + 1
    entry.set(name, str(link))


@defect("structure-duplicate")
def output_is_listed_twice(parts):
    first, second = parts.unknowns("Output")[:2]
    name = "valueReference" if parts.version == 3 else "index"
    second.set(name, first.get(name))


@defect("structure-link")
def unknown_is_no_variable(parts):
    parts.unknowns("Output")[0].set("valueReference" if parts.version == 3 else "index", "99999")


@defect("structure-initial-missing")
def initial_unknown_is_not_listed(parts):
    entry = parts.unknowns("InitialUnknown")[0]
    entry.getparent().remove(entry)


@defect("structure-initial-extra")
def input_is_an_initial_unknown(parts):
    entry, name = parts.unknowns("InitialUnknown")[0], "valueReference" if parts.version == 3 else "index"
    entry.set(name, "1")


@defect("structure-dependency")
def dependency_is_no_variable(parts):
    parts.unknowns("Output")[0].set("dependencies", "99999")


@defect("structure-kind")
def kinds_are_too_few(parts):
    entry = next(u for u in parts.unknowns("Output") if len((u.get("dependencies") or "").split()) > 1)
    entry.set("dependenciesKind", "dependent")


@defect("structure-kind")
def initial_kind_is_fixed(parts):
    entry = parts.unknowns("InitialUnknown")[0]
    entry.set("dependencies", "2")
    entry.set("dependenciesKind", "fixed")


@defect("structure-order", (2,))
def dependencies_descend(parts):
    entry = next(u for u in parts.unknowns("Output") if len((u.get("dependencies") or "").split()) > 1)
    entry.set("dependencies", " ".join(reversed(entry.get("dependencies").split())))


@defect("structure-missing")
def structure_is_missing(parts):
    parts.root.remove(parts.root.find("ModelStructure"))


def insert_unknown(parts, word, link, **attributes):
    """An entry of a list of FMI 3 that stands behind the outputs."""
    last = parts.unknowns("Output")[-1]
    last.addnext(etree.Element(word, valueReference=link, **attributes))


@defect("structure-derivative", (3,))
def state_derivative_is_none(parts):
    insert_unknown(parts, "ContinuousStateDerivative", parts.variable("F").get("valueReference"))


@defect("structure-clocked", (3,))
def clocked_state_has_no_previous_value(parts):
    insert_unknown(parts, "ClockedState", parts.variable("solver.steps").get("valueReference"))


@defect("structure-indicator", (3,))
def event_indicator_is_an_integer(parts):
    link = parts.variable("solver.steps").get("valueReference")
    etree.SubElement(parts.root.find("ModelStructure"), "EventIndicator", valueReference=link)


@defect("structure-state", (3,))
def state_is_an_input(parts):
    parts.interface.addprevious(etree.Element("ModelExchange", modelIdentifier="SliderCrank"))
    rate = parts.add_variable("Float64", "Real", "rate", {"derivative": parts.variable("F").get("valueReference")})
    insert_unknown(parts, "ContinuousStateDerivative", rate.get("valueReference"))


@defect("structure-known", (3,))
def dependency_is_constant(parts):
    constant = parts.add_variable("Float64", "Real", "constant", {"start": "1"}, variability="constant")
    parts.unknowns("Output")[0].set("dependencies", constant.get("valueReference"))


# Terminals.


def with_terminals(parts, old, new):
    text = TERMINALS.format(version=parts.version)
    assert old in text
    parts.files["terminalsAndIcons/terminalsAndIcons.xml"] = text.replace(old, new).encode()


@defect("terminal-variable")
def terminal_has_an_unknown_variable(parts):
    with_terminals(parts, 'variableName="F"', 'variableName="force"')


@defect("terminal-member")
def member_of_a_terminal_occurs_twice(parts):
    with_terminals(parts, '"torque"', '"force"')


@defect("terminal-version")
def terminals_are_of_another_version(parts):
    with_terminals(parts, 'fmiVersion="', 'fmiVersion="3.0-')


@defect("terminal-icon")
def icon_of_a_terminal_is_missing(parts):
    icon = '<TerminalGraphicalRepresentation x1="0" y1="0" x2="1" y2="1" iconBaseName="pin"/></Terminal>'
    with_terminals(parts, "</Terminal>", icon)


@defect("terminal-duplicate")
def terminal_occurs_twice(parts):
    with_terminals(parts, "</Terminals>", '<Terminal name="slider" matchingRule="none"/></Terminals>')


# Binaries.


@defect("binary-folder")
def folder_is_of_no_platform(parts):
    parts.files["binaries/linux-x64/SliderCrank.so"] = parts.files[parts.binary]


@defect("binary-missing")
def binary_has_another_name(parts):
    parts.files[parts.binary.replace("SliderCrank", "Slider")] = parts.files.pop(parts.binary)


@defect("binary-format")
def binary_is_for_another_system(parts):
    folder = "win64" if parts.version == 2 else "x86_64-windows"
    parts.files[f"binaries/{folder}/SliderCrank.dll"] = parts.files[parts.binary]


@defect("binary-machine")
def binary_is_for_another_machine(parts):
    parts.files[parts.binary] = patched(parts.files[parts.binary], 18, "<H", 183)  # aarch64


@defect("binary-shared")
def binary_is_a_program(parts):
    parts.files[parts.binary] = patched(parts.files[parts.binary], 16, "<H", 2)


@defect("binary-damaged")
def binary_is_cut(parts):
    parts.files[parts.binary] = parts.files[parts.binary][:10000]


@defect("binary-export")
def function_is_not_exported(parts):
    name = b"fmi%dDoStep\0" % parts.version
    parts.files[parts.binary] = parts.files[parts.binary].replace(name, name.replace(b"Step", b"Stop"))


@defect("binary-stack")
def stack_is_executable(parts):
    data = parts.files[parts.binary]
    begin, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    stack = next(at for at in range(begin, begin + 56 * count, 56) if data[at : at + 4] == b"\x51\xe5\x74\x64")
    parts.files[parts.binary] = patched(data, stack + 4, "<I", 7)


@defect("binary-library")
def binary_needs_a_strange_library(parts):
    parts.files[parts.binary] = parts.files[parts.binary].replace(b"libm.so.6\0", b"libq.so.6\0")


@defect("binary-glibc")
def binary_needs_a_new_glibc(parts):
    parts.files[parts.binary] = parts.files[parts.binary].replace(b"GLIBC_2.2.5\0", b"GLIBC_2.38\0\0")


@defect("binary-export-all", (3,))
def function_of_another_interface_is_not_exported(parts):
    data = parts.files[parts.binary]
    parts.files[parts.binary] = data.replace(b"fmi3ActivateModelPartition\0", b"fmi3ActivateModelPartitioq\0")


def dynamic_entries(data):
    """Offsets of the dynamic section's entries."""
    begin, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    segment = next(at for at in range(begin, begin + 56 * count, 56) if data[at : at + 4] == b"\2\0\0\0")
    offset, size = struct.unpack_from("<Q", data, segment + 8)[0], struct.unpack_from("<Q", data, segment + 32)[0]
    return range(offset, offset + size, 16)


def with_dynamic_tag(parts, tag):
    """The first needed library becomes something else."""
    data = parts.files[parts.binary]
    entry = next(at for at in dynamic_entries(data) if struct.unpack_from("<Q", data, at)[0] == 1)
    parts.files[parts.binary] = patched(data, entry, "<Q", tag)


@defect("binary-text")
def code_is_relocated(parts):
    with_dynamic_tag(parts, 22)


@defect("binary-search-path")
def search_path_is_fixed(parts):
    with_dynamic_tag(parts, 29)
