#include "packaging/text_table.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace trammel::fmi {
namespace {

/// Characters of a UTF-8 text.
std::size_t widthOf(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

TextTable::TextTable(std::vector<std::string> heads) { rows_.push_back(std::move(heads)); }

void TextTable::addRow(std::vector<std::string> cells) {
  assert(cells.size() == rows_.front().size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(const std::string& indent) const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], widthOf(row[i]));
  std::string text;
  for (const auto& row : rows_) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - widthOf(row[i]) + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace trammel::fmi
