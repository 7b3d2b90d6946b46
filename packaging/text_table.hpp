#pragma once

#include <string>
#include <vector>

namespace trammel::fmi {

/// Columns of text, each as wide as its widest cell; a line of heads above.
class TextTable final {
 public:
  explicit TextTable(std::vector<std::string> heads);

  void addRow(std::vector<std::string> cells);  // as many as heads
  bool empty() const { return rows_.size() == 1; }
  std::string text(const std::string& indent = "") const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the first are the heads
};

}  // namespace trammel::fmi
