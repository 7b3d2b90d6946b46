#include "packaging/ssp_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <pugixml.hpp>

#include "coupling/archive.hpp"
#include "coupling/fmu_error.hpp"
#include "models/text.hpp"

namespace trammel::fmi {
namespace {

namespace fs = std::filesystem;
using pugi::xml_node;

constexpr std::string_view annotationType = "trammel.coupling";

/// Name without the prefix of its namespace: files differ in their prefixes.
std::string_view localName(xml_node node) {
  const std::string_view name = node.name();
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

xml_node child(xml_node node, std::string_view name) {
  return node.find_child([&](xml_node c) { return localName(c) == name; });
}

template <class Function>
void forEach(xml_node node, std::string_view name, const Function& function) {
  for (const xml_node c : node.children()) {
    if (localName(c) == name) function(c);
  }
}

/// One XML file, with lines for messages.
class XmlFile {
 public:
  /// `source` names it in messages.
  XmlFile(const fs::path& path, std::string source) : source_(std::move(source)) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream || fs::is_directory(path)) {
      throw ModelError(source_, 0, "cannot be opened, expected a readable file");
    }
    text_.assign(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    const pugi::xml_parse_result result = document_.load_buffer(text_.data(), text_.size());
    if (!result) throw ModelError(source_, lineAt(result.offset), result.description());
  }

  xml_node root(std::string_view name) const {
    const xml_node node = document_.document_element();
    if (localName(node) != name) {
      throw ModelError(
          source_, 1,
          "root element must be " + std::string(name) + ", is " + inQuotes(node.name()));
    }
    return node;
  }
  int line(xml_node node) const { return lineAt(node.offset_debug()); }
  const std::string& source() const { return source_; }

  [[noreturn]] void fail(xml_node node, const std::string& what) const {
    throw ModelError(source_, line(node), what);
  }

  std::string attribute(xml_node node, const char* name) const {
    const pugi::xml_attribute a = node.attribute(name);
    if (!a) {
      fail(node, "attribute " + std::string(name) + " of " + std::string(localName(node)) +
                     " is missing");
    }
    return a.value();
  }

  std::optional<double> number(xml_node node, const char* name) const {
    const pugi::xml_attribute a = node.attribute(name);
    if (!a) return std::nullopt;
    const std::string_view text = a.value();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
      fail(node, std::string(name) + " must be a number, is " + inQuotes(std::string(text)));
    }
    return value;
  }

 private:
  int lineAt(std::ptrdiff_t offset) const {
    const auto end = text_.begin() + std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(text_));
    return 1 + static_cast<int>(std::count(text_.begin(), end, '\n'));
  }

  std::string source_, text_;
  pugi::xml_document document_;
};

class SsdReader {
 public:
  SsdReader(const fs::path& path, const std::string& source)
      : folder_(path.parent_path()), xml_(path, source) {}

  SystemFile read() {
    const xml_node root = xml_.root("SystemStructureDescription");
    const std::string version = xml_.attribute(root, "version");
    if (!version.starts_with("1.")) xml_.fail(root, "version must be 1.0, is " + inQuotes(version));
    const xml_node system = child(root, "System");
    if (!system) xml_.fail(root, "element System is missing");
    file_.source = xml_.source();
    file_.name = root.attribute("name").value();
    readExperiment(child(root, "DefaultExperiment"));
    readElements(child(system, "Elements"));
    if (file_.components.empty())
      xml_.fail(system, "components are missing, expected at least one");
    bindSystemParameters(system);
    forEach(child(system, "Connections"), "Connection", [&](xml_node c) { readConnection(c); });
    return annotated(system);
  }

 private:
  void readExperiment(xml_node node) {
    file_.startTime = xml_.number(node, "startTime").value_or(0);
    file_.stopTime = xml_.number(node, "stopTime").value_or(file_.startTime + 1);
    if (!(file_.stopTime > file_.startTime)) {
      xml_.fail(node, "stopTime must be later than startTime " + numberText(file_.startTime) +
                          " s, is " + numberText(file_.stopTime));
    }
  }

  void readElements(xml_node elements) {
    for (const xml_node node : elements.children()) {
      if (node.type() != pugi::node_element) continue;
      if (localName(node) != "Component") {
        xml_.fail(node, "element " + std::string(localName(node)) +
                            " is not supported, expected components in one system");
      }
      readComponent(node);
    }
  }

  void readComponent(xml_node node) {
    ComponentEntry component;
    component.name = xml_.attribute(node, "name");
    component.line = xml_.line(node);
    const std::string what = "component " + inQuotes(component.name) + ": ";
    if (!isName(component.name) || component.name.find('.') != std::string::npos ||
        component.name == "ground") {
      xml_.fail(node, what + "its name must be an identifier other than ground");
    }
    const std::string type = node.attribute("type").as_string("application/x-fmu-sharedlibrary");
    if (type != "application/x-fmu-sharedlibrary") {
      xml_.fail(node, what + "type must be application/x-fmu-sharedlibrary, is " + inQuotes(type));
    }
    if (std::string_view(node.attribute("implementation").value()) == "ModelExchange") {
      xml_.fail(node, what + "implementation is ModelExchange, expected CoSimulation");
    }
    const fs::path fmu = folder_ / relativePath(node, xml_.attribute(node, "source"));
    component.file = {fs::absolute(fmu).string(), component.line};
    if (!fs::is_regular_file(fmu)) {
      xml_.fail(node, what + "source " + inQuotes(node.attribute("source").value()) +
                          " is no file of the package");
    }
    forEach(child(node, "ParameterBindings"), "ParameterBinding",
            [&](xml_node b) { bind(b, component); });
    file_.components.push_back(std::move(component));
  }

  /// A URI reference that stays below the folder of the description, percent-decoded.
  fs::path relativePath(xml_node node, const std::string& uri) const {
    std::string path;
    for (std::size_t i = 0; i < uri.size(); ++i) {
      unsigned code = 0;
      const char* begin = uri.data() + i + 1;
      const bool isCode = uri[i] == '%' && i + 2 < uri.size() &&
                          std::from_chars(begin, begin + 2, code, 16).ptr == begin + 2;
      path += isCode ? static_cast<char>(code) : uri[i];
      if (isCode) i += 2;
    }
    fs::path relative = fs::path(path).lexically_normal();
    const bool leaves = relative.empty() || relative.is_absolute() || *relative.begin() == ".." ||
                        path.find(':') != std::string::npos || path.find('\0') != std::string::npos;
    if (leaves) {
      xml_.fail(node, "source must be a path below the description, is " + inQuotes(uri));
    }
    return relative;
  }

  /// Calls `take(name, value, node, file)` for every parameter of a binding, inline or in a file.
  template <class Take>
  void forEachParameter(xml_node binding, const Take& take) const {
    if (child(binding, "ParameterMapping")) {
      xml_.fail(child(binding, "ParameterMapping"), "ParameterMapping is not supported");
    }
    const std::string prefix = binding.attribute("prefix").value();
    const auto read = [&](const XmlFile& xml, xml_node set) {
      forEach(child(set, "Parameters"), "Parameter", [&](xml_node p) {
        take(prefix + xml.attribute(p, "name"), parameterValue(xml, p), xml, p);
      });
    };
    if (const xml_node values = child(binding, "ParameterValues")) {
      return read(xml_, child(values, "ParameterSet"));
    }
    const std::string source = xml_.attribute(binding, "source");
    const XmlFile values(folder_ / relativePath(binding, source), xml_.source() + ": " + source);
    read(values, values.root("ParameterSet"));
  }

  void bind(xml_node binding, ComponentEntry& component) const {
    forEachParameter(binding, [&](const std::string& name, double value, const XmlFile&, xml_node) {
      component.parameters.emplace_back(name, value);
    });
  }

  /// Parameters of the system are named `component.parameter`.
  void bindSystemParameters(xml_node system) {
    const auto bindOne = [&](const std::string& name, double value, const XmlFile& xml,
                             xml_node p) {
      const std::size_t dot = name.find('.');
      const auto component =
          std::find_if(file_.components.begin(), file_.components.end(),
                       [&](const ComponentEntry& c) { return c.name == name.substr(0, dot); });
      if (dot == std::string::npos || component == file_.components.end()) {
        xml.fail(p, "parameter " + inQuotes(name) + " must be component.parameter");
      }
      component->parameters.emplace_back(name.substr(dot + 1), value);
    };
    forEach(child(system, "ParameterBindings"), "ParameterBinding",
            [&](xml_node b) { forEachParameter(b, bindOne); });
  }

  static double parameterValue(const XmlFile& xml, xml_node parameter) {
    const std::string what = "parameter " + inQuotes(xml.attribute(parameter, "name"));
    for (const xml_node node : parameter.children()) {
      const std::string_view type = localName(node);
      if (type == "Boolean") return node.attribute("value").as_bool() ? 1 : 0;
      if (type == "Real" || type == "Integer") {
        const auto value = xml.number(node, "value");
        if (!value) xml.fail(node, what + ": value is missing");
        return *value;
      }
    }
    xml.fail(parameter, what + " must be Real, Integer or Boolean");
  }

  void readConnection(xml_node node) {
    ConnectionEntry connection{end(node, "startElement", "startConnector"),
                               end(node, "endElement", "endConnector")};
    if (const xml_node t = child(node, "LinearTransformation")) {
      connection.factor = xml_.number(t, "factor").value_or(1);
      connection.offset = xml_.number(t, "offset").value_or(0);
    } else if (node.attribute("suppressUnitConversion").as_bool()) {
      connection.factor = 1;
    }
    for (const char* other : {"BooleanMappingTransformation", "IntegerMappingTransformation",
                              "EnumerationMappingTransformation"}) {
      if (child(node, other)) xml_.fail(node, std::string(other) + " is not supported");
    }
    file_.connections.push_back(std::move(connection));
  }

  ComponentPart end(xml_node node, const char* element, const char* connector) const {
    ComponentPart part{node.attribute(element).value(), xml_.attribute(node, connector),
                       xml_.line(node)};
    const bool isKnown =
        std::any_of(file_.components.begin(), file_.components.end(),
                    [&](const ComponentEntry& c) { return c.name == part.component; });
    if (!isKnown) {
      xml_.fail(node, std::string("connection: ") + element + " must be a component, is " +
                          inQuotes(part.component));
    }
    return part;
  }

  /// The text of our annotation is read as a system file, on the lines where it stands.
  SystemFile annotated(xml_node system) {
    std::string text = "trammel_system = 1\n";
    forEach(child(system, "Annotations"), "Annotation", [&](xml_node annotation) {
      if (annotation.attribute("type").value() != annotationType) return;
      const xml_node coupling = child(annotation, "Coupling");
      if (!coupling) xml_.fail(annotation, "element Coupling is missing");
      const xml_node first = coupling.first_child();
      text = std::string(static_cast<std::size_t>(std::max(xml_.line(first) - 1, 0)), '\n');
      for (const xml_node part : coupling.children()) text += part.value();
    });
    const std::string source = file_.source;
    return parseSystem(text, source, std::move(file_));
  }

  fs::path folder_;
  XmlFile xml_;
  SystemFile file_;
};

}  // namespace

SystemFile readSsd(const fs::path& path) { return SsdReader(path, path.string()).read(); }

SystemFile readSsp(const fs::path& path, const fs::path& directory) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    throw ModelError(path.string(), 0, "cannot be opened, expected a readable file");
  }
  coupling::unpackArchive(path, directory);
  const fs::path ssd = directory / "SystemStructure.ssd";
  if (!fs::is_regular_file(ssd)) {
    throw ModelError(path.string(), 0, "SystemStructure.ssd is missing at the root of the package");
  }
  return SsdReader(ssd, path.string() + ": SystemStructure.ssd").read();
}

SystemFile readSystem(const fs::path& path, const fs::path& directory) {
  if (path.extension() == ".ssp") return readSsp(path, directory);
  if (path.extension() == ".ssd") return readSsd(path);
  return readSystemFile(path);
}

}  // namespace trammel::fmi
