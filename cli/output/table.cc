#include "cli/output/table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/printable.h"

namespace gprofhub::cli {
namespace {

constexpr char kBetween[] = "  ";

// Characters of UTF-8: all bytes but those that continue one.
size_t Width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

void Table::AddRow(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = base::Printable(cell);
  lines_.push_back({std::move(cells), ""});
}

void Table::AddNote(const std::string& text) { lines_.push_back({{}, base::Printable(text)}); }

std::string Table::Text() const {
  std::vector<size_t> widths(columns_.size());
  for (const Line& line : lines_) {
    for (size_t i = 0; i < line.cells.size(); ++i) {
      widths[i] = std::max(widths[i], Width(line.cells[i]));
    }
  }
  std::string text;
  for (const Line& line : lines_) {
    std::string shown = line.note;
    for (size_t i = 0; i < line.cells.size(); ++i) {
      const std::string padding(widths[i] - Width(line.cells[i]), ' ');
      const bool right = columns_[i] == Align::kRight;
      absl::StrAppend(&shown, i == 0 ? "" : kBetween, right ? padding : "", line.cells[i],
                      right ? "" : padding);
    }
    shown.erase(shown.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, shown, "\n");
  }
  return text;
}

}  // namespace gprofhub::cli
