#include "packaging/check/xml_schema.hpp"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlschemas.h>

#include <algorithm>
#include <climits>
#include <memory>

namespace trammel::fmi::check {
namespace {

template <auto release>
struct Release {
  template <class T>
  void operator()(T* pointer) const {
    release(pointer);
  }
};
using Parser = std::unique_ptr<xmlParserCtxt, Release<xmlFreeParserCtxt>>;
using Document = std::unique_ptr<xmlDoc, Release<xmlFreeDoc>>;
using SchemaParser = std::unique_ptr<xmlSchemaParserCtxt, Release<xmlSchemaFreeParserCtxt>>;
using Schema = std::unique_ptr<xmlSchema, Release<xmlSchemaFree>>;
using Validator = std::unique_ptr<xmlSchemaValidCtxt, Release<xmlSchemaFreeValidCtxt>>;

// No network, no entities, the parser's own limits on (no XML_PARSE_HUGE). Texts with document
// types never come here.
constexpr int parseOptions =
    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES;

std::string messageOf(const xmlError& error) {
  std::string text = error.message != nullptr ? error.message : "unknown";
  std::replace(text.begin(), text.end(), '\n', ' ');
  text.erase(text.find_last_not_of(" .") + 1);
  const std::string shown = inQuotes(text);  // without control characters, not too long
  return shown.substr(1, shown.size() - 2);
}

std::size_t lineOf(const xmlError& error) {
  // With big lines a node knows more than 16 bits.
  const long line =
      error.node != nullptr ? xmlGetLineNo(static_cast<const xmlNode*>(error.node)) : error.line;
  return line > 0 ? static_cast<std::size_t>(line) : 0;
}

struct Collector {
  const std::string& name;
  FindingList& findings;
};

void collect(void* data, xmlErrorPtr error) {
  const auto* collector = static_cast<const Collector*>(data);
  if (error != nullptr)
    collector->findings.add("xml-schema", {collector->name, lineOf(*error)}, messageOf(*error));
}

void ignore(void*, xmlErrorPtr) {}

Document parse(const Parser& parser, std::string_view text) {
  if (!parser || text.size() > INT_MAX) return nullptr;
  return Document(xmlCtxtReadMemory(parser.get(), text.data(), static_cast<int>(text.size()),
                                    nullptr, nullptr, parseOptions));
}

/// A validator follows the places of further schemas that a document names: they are taken out, so
/// that an FMU cannot make the check read files or open connections.
void removeSchemaPlaces(xmlNode* node) {
  static const auto* instance =
      reinterpret_cast<const xmlChar*>("http://www.w3.org/2001/XMLSchema-instance");
  for (; node != nullptr; node = node->next) {
    if (node->type != XML_ELEMENT_NODE) continue;
    for (const char* attribute : {"schemaLocation", "noNamespaceSchemaLocation"}) {
      xmlAttr* found = xmlHasNsProp(node, reinterpret_cast<const xmlChar*>(attribute), instance);
      if (found != nullptr) xmlRemoveProp(found);
    }
    removeSchemaPlaces(node->children);  // nesting is bounded by isSafeXml
  }
}

}  // namespace

bool isWellFormed(const std::string& name, std::string_view text, FindingList& findings) {
  const Parser parser(xmlNewParserCtxt());
  const Document document = parse(parser, text);
  if (document && parser->wellFormed != 0 && parser->nsWellFormed != 0) return true;
  const xmlError* error = parser ? xmlCtxtGetLastError(parser.get()) : nullptr;
  findings.add(
      "xml-malformed",
      {name, error != nullptr && error->line > 0 ? static_cast<std::size_t>(error->line) : 0},
      error != nullptr ? messageOf(*error) : "the text cannot be parsed");
  return false;
}

void checkSchema(const std::string& name, std::string_view text, const std::filesystem::path& xsd,
                 FindingList& findings) {
  const SchemaParser schemaParser(
      std::filesystem::is_regular_file(xsd) ? xmlSchemaNewParserCtxt(xsd.c_str()) : nullptr);
  if (schemaParser) xmlSchemaSetParserStructuredErrors(schemaParser.get(), ignore, nullptr);
  const Schema schema(schemaParser ? xmlSchemaParse(schemaParser.get()) : nullptr);
  if (!schema) {
    findings.add("xml-schema-missing", {name, 0},
                 "the schema " + xsd.filename().string() + " is not installed with this program");
    return;
  }
  const Parser parser(xmlNewParserCtxt());
  const Document document = parse(parser, text);
  const Validator validator(xmlSchemaNewValidCtxt(schema.get()));
  if (!document || !validator) return;
  removeSchemaPlaces(xmlDocGetRootElement(document.get()));
  Collector collector{name, findings};
  xmlSchemaSetValidStructuredErrors(validator.get(), collect, &collector);
  xmlSchemaValidateDoc(validator.get(), document.get());
}

}  // namespace trammel::fmi::check
