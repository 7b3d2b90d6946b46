#include "packaging/check/xml_file.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "packaging/check/check_zip.hpp"
#include "packaging/check/xml_schema.hpp"

namespace trammel::fmi::check {
namespace {

constexpr std::size_t largestXml = std::size_t{256} << 20;  // [byte]
constexpr std::size_t deepest = 100;                        // the schemas of FMI nest below 10

/// Walks over the markup of a text, without interpreting names or values.
class MarkupScan {
 public:
  explicit MarkupScan(std::string_view text) : text_(text) {}

  std::size_t maxDepth() const { return maxDepth_; }
  std::size_t deepestAt() const { return deepestAt_; }
  std::size_t declarationAt() const { return declarationAt_; }  // npos: none

  void run() {
    for (std::size_t at = text_.find('<'); at != std::string_view::npos; at = text_.find('<', at))
      at = skipMarkup(at);
  }

 private:
  std::size_t behind(std::string_view tail, std::size_t from) const {
    const std::size_t at = text_.find(tail, from);
    return at == std::string_view::npos ? text_.size() : at + tail.size();
  }

  /// Returns the position behind the markup that begins here.
  std::size_t skipMarkup(std::size_t at) {
    const std::string_view rest = text_.substr(at);
    if (rest.starts_with("<!--")) return behind("-->", at + 4);
    if (rest.starts_with("<![CDATA[")) return behind("]]>", at + 9);
    if (rest.starts_with("<?")) return behind("?>", at + 2);
    if (rest.starts_with("<!")) {
      declarationAt_ = std::min(declarationAt_, at);
      return at + 2;
    }
    const std::size_t end = endOfTag(at + 1);
    if (rest.starts_with("</")) {
      depth_ -= depth_ > 0 ? 1 : 0;
    } else if (end < 2 || text_[end - 2] != '/') {
      if (++depth_ > maxDepth_) {
        maxDepth_ = depth_;
        deepestAt_ = at;
      }
    }
    return end;
  }

  std::size_t endOfTag(std::size_t at) const {
    char quote = 0;
    for (; at < text_.size(); ++at) {
      const char c = text_[at];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '>') {
        return at + 1;
      }
    }
    return text_.size();
  }

  std::string_view text_;
  std::size_t depth_ = 0, maxDepth_ = 0, deepestAt_ = 0;
  std::size_t declarationAt_ = std::string_view::npos;
};

std::size_t lineOf(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// The encoding in the XML declaration, empty: not given.
std::string declaredEncoding(std::string_view text) {
  if (!text.starts_with("<?xml")) return {};
  const std::string_view declaration = text.substr(0, text.find("?>"));
  std::size_t at = declaration.find("encoding");
  if (at == std::string_view::npos) return {};
  at = declaration.find_first_of("\"'", at);
  if (at == std::string_view::npos) return {};
  std::string word(declaration.substr(at + 1, declaration.find(declaration[at], at + 1) - at - 1));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return word;
}

constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";

}  // namespace

bool isSafeXml(const std::string& name, std::string_view text, FindingList& findings) {
  if (text.size() > largestXml) {
    findings.add("xml-size", {name, 0},
                 "the file has " + std::to_string(text.size()) + " bytes, expected at most " +
                     std::to_string(largestXml));
    return false;
  }
  if (text.starts_with(byteOrderMark)) text.remove_prefix(byteOrderMark.size());
  if (!isUtf8(text) || text.find('\0') != std::string_view::npos) {
    findings.add("xml-encoding", {name, 0}, "the text is not UTF-8");
    return false;
  }
  const std::string encoding = declaredEncoding(text);
  if (!encoding.empty() && encoding != "UTF-8" && encoding != "US-ASCII") {
    findings.add("xml-encoding", {name, 1},
                 "the encoding is " + inQuotes(encoding) + ", expected \"UTF-8\"");
    return false;
  }
  MarkupScan scan(text);
  scan.run();
  if (scan.declarationAt() != std::string_view::npos) {
    findings.add("xml-doctype", {name, lineOf(text, scan.declarationAt())},
                 "a document type or entity is declared, expected elements only");
    return false;
  }
  if (scan.maxDepth() > deepest) {
    findings.add("xml-nesting", {name, lineOf(text, scan.deepestAt())},
                 "elements nest " + std::to_string(scan.maxDepth()) + " deep, expected at most " +
                     std::to_string(deepest));
    return false;
  }
  return true;
}

XmlFile::XmlFile(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
  lineBegins_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') lineBegins_.push_back(i + 1);
  }
}

std::unique_ptr<XmlFile> XmlFile::read(std::string name, std::string text, FindingList& findings) {
  if (!isSafeXml(name, text, findings)) return nullptr;
  if (text.starts_with(byteOrderMark)) text.erase(0, byteOrderMark.size());
  if (!isWellFormed(name, text, findings)) return nullptr;
  std::unique_ptr<XmlFile> file(new XmlFile(std::move(name), std::move(text)));
  const pugi::xml_parse_result result = file->document_.load_buffer(
      file->text_.data(), file->text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result || !file->root()) {
    findings.add("xml-malformed", {file->name_, 0}, result.description());
    return nullptr;
  }
  return file;
}

Place XmlFile::at(pugi::xml_node node) const {
  const std::ptrdiff_t offset = node.offset_debug();
  if (offset < 0) return {name_, 0};
  const auto next =
      std::upper_bound(lineBegins_.begin(), lineBegins_.end(), static_cast<std::size_t>(offset));
  return {name_, static_cast<std::size_t>(next - lineBegins_.begin())};
}

}  // namespace trammel::fmi::check
