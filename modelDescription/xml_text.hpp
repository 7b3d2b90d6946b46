#pragma once

#include <cmath>
#include <optional>
#include <pugixml.hpp>
#include <sstream>
#include <string>

#include "models/text.hpp"

namespace trammel::fmi {

/// XML 1.0 has no way to write control characters besides tab and line ends; they become spaces.
inline std::string xmlText(std::string text) {
  for (char& c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 && c != '\t' && c != '\n' && c != '\r') c = ' ';
  }
  return text;
}

inline void add(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(xmlText(value).c_str());
}

inline void add(pugi::xml_node node, const char* name, const char* value) {
  add(node, name, std::string(value));
}

inline void add(pugi::xml_node node, const char* name, double value) {
  add(node, name, numberText(value));
}

/// FMI 2 forbids infinity and NaN in attributes and FMI 3 gains nothing by them: a bound at
/// infinity is no bound.
inline void add(pugi::xml_node node, const char* name, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) add(node, name, *value);
}

/// A document with its declaration.
inline pugi::xml_node startDocument(pugi::xml_document& document, const char* root) {
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  add(declaration, "version", "1.0");
  add(declaration, "encoding", "UTF-8");
  return document.append_child(root);
}

inline std::string textOf(const pugi::xml_document& document) {
  std::ostringstream stream;
  document.save(stream, "  ", pugi::format_default, pugi::encoding_utf8);
  return stream.str();
}

}  // namespace trammel::fmi
