#include "analyzer/tables/index_by_name.h"

#include "absl/strings/str_cat.h"
#include "analyzer/listing/names.h"

namespace gprofhub::analyzer {
namespace {

constexpr size_t kNumberWidth = 6;  // of "[1234]"
constexpr size_t kTraditionalNameWidth = 19;
constexpr size_t kColumns = 3;

class NameIndex {
 public:
  NameIndex(const ListingInput& input, const ListingOptions& options,
            const std::vector<uint32_t>& index_numbers)
      : input_(input), options_(options), index_numbers_(index_numbers) {}

  void Print(TextSink sink) const {
    const std::vector<uint32_t> entries = SortedEntries();
    const size_t rows = (entries.size() + kColumns - 1) / kColumns;
    sink("Index by function name\n\n");
    constexpr size_t kRowsPerPiece = 500;
    FormatInOrder(
        rows, kRowsPerPiece,
        [&](size_t begin, size_t end, TextBuffer& out) {
          for (size_t row = begin; row < end; ++row) PrintRow(entries, row, rows, out);
        },
        sink);
  }

 private:
  void PrintRow(const std::vector<uint32_t>& entries, size_t row, size_t rows,
                TextBuffer& out) const {
    const size_t line_start = out.size();
    for (size_t column = 0; column < kColumns; ++column) {
      const size_t entry = column * rows + row;
      if (entry >= entries.size()) break;
      AppendEntry(entries[entry], line_start + column * ColumnPitch(), out);
    }
    out.Append('\n');
  }

  bool IsCycle(uint32_t node) const { return node >= input_.graph.function_count(); }

  // Distance between the beginnings of columns. The last place of a line stays empty.
  size_t ColumnPitch() const {
    if (options_.traditional) return kNumberWidth + 1 + kTraditionalNameWidth;
    return (options_.width == 0 ? 0 : (options_.width - 1) / kColumns) + 2;
  }

  // Functions by name, then the cycles.
  std::vector<uint32_t> SortedEntries() const {
    const CallGraph& graph = input_.graph;
    std::vector<uint32_t> by_name(input_.rows.size());
    for (uint32_t row = 0; row < by_name.size(); ++row) by_name[input_.name_ranks[row]] = row;
    std::vector<uint32_t> entries;
    for (const uint32_t row : by_name) {
      if (options_.show_unused || graph.nodes[row].IsUsed()) entries.push_back(row);
    }
    for (uint32_t node = static_cast<uint32_t>(by_name.size()); node < graph.nodes.size(); ++node) {
      entries.push_back(node);
    }
    return entries;
  }

  std::string EntryName(uint32_t node) const {
    std::string name;
    if (IsCycle(node)) {
      name = absl::StrCat("<cycle ", node - input_.graph.function_count() + 1, ">");
    } else if (options_.traditional) {
      name = input_.rows.LinkageName(node);
    } else {
      name = std::string(input_.names[node]);
      if (!input_.rows.by_line() && input_.rows.IsLocal(node) && input_.rows.Line(node) != 0) {
        absl::StrAppend(&name, " (", PrintedFile(input_.rows.File(node), options_), ")");
      }
    }
    if (options_.traditional) name.resize(kTraditionalNameWidth, ' ');
    return name;
  }

  // Numbers end in the same column of the text from `column_start` on; a long
  // name pushes the next number along.
  void AppendEntry(uint32_t node, size_t column_start, TextBuffer& out) const {
    const bool is_printed = input_.in_graph[node];
    std::string number =
        absl::StrCat(is_printed ? "[" : "(", index_numbers_[node], is_printed ? "]" : ")");
    // That style keeps its columns: numbers of five digits lose the bracket.
    if (options_.traditional && number.size() > kNumberWidth) number.resize(kNumberWidth);
    const size_t used = out.size() + number.size();
    const size_t end = column_start + kNumberWidth;
    out.Spaces(end > used ? end - used : (options_.traditional ? 0 : 1));
    out.Append(number);
    out.Append(' ');
    out.Append(EntryName(node));
  }

  const ListingInput& input_;
  const ListingOptions& options_;
  const std::vector<uint32_t>& index_numbers_;
};

}  // namespace

void PrintNameIndex(const ListingInput& input, const ListingOptions& options,
                    const std::vector<uint32_t>& index_numbers, TextSink sink) {
  NameIndex(input, options, index_numbers).Print(sink);
}

}  // namespace gprofhub::analyzer
