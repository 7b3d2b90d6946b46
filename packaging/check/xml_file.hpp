#pragma once

#include <filesystem>
#include <memory>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "packaging/check/finding.hpp"

namespace trammel::fmi::check {

/// An XML file of the FMU that was found safe and well-formed.
class XmlFile final {
 public:
  /// Reports what is wrong with the text; null where it is refused or cannot be read.
  static std::unique_ptr<XmlFile> read(std::string name, std::string text, FindingList& findings);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  pugi::xml_node root() const { return document_.document_element(); }
  Place at(pugi::xml_node node) const;

 private:
  XmlFile(std::string name, std::string text);

  std::string name_;
  std::string text_;
  std::vector<std::size_t> lineBegins_;
  pugi::xml_document document_;
};

/// Refuses what makes parsers dangerous: other encodings than UTF-8, document types and entities,
/// deep nesting, sheer size. True where the text may be given to a parser.
bool isSafeXml(const std::string& name, std::string_view text, FindingList& findings);

}  // namespace trammel::fmi::check
