// Tables for people.
#pragma once

#include <string>
#include <vector>

namespace gprofhub::cli {

// Rows of cells, each column as wide as its widest cell. Cells are made printable
// (base/printable.h).
class Table {
 public:
  enum class Align { kLeft, kRight };

  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}

  // Headings are a row, too. Columns without a cell stay empty.
  void AddRow(std::vector<std::string> cells);

  // A line of its own below the last row, made printable.
  void AddNote(const std::string& text);

  std::string Text() const;

 private:
  struct Line {
    std::vector<std::string> cells;
    std::string note;  // replaces the cells, unless empty
  };

  std::vector<Align> columns_;
  std::vector<Line> lines_;
};

}  // namespace gprofhub::cli
