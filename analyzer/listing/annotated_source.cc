// How GNU gprof 2.40 counts a source line, as observed:
//  - a line whose first piece of code is a function's entry has the calls of all functions that
//    begin on the line, then its blocks' counts;
//  - only the blocks of a line's first piece of code count;
//  - other lines have their blocks' counts;
//  - with all_lines, these lines begin with the last count of the line before, which may be
//    of another file. A line that is one piece of code and begins with a block does not.
//    A count equal to the previous one is omitted;
//  - if the counts together are below the minimum, they are shown as "#####".
// In the summary, a line counts as executed if it has an annotation at all. Only the calls of
// functions are summed.
#include "analyzer/listing/annotated_source.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace gprofhub::analyzer {

BlockCounts AssignBlocks(const ListingInput& input,
                         const std::vector<profile::BasicBlock>& blocks) {
  BlockCounts counts;
  if (!input.rows.by_line()) return counts;
  for (const profile::BasicBlock& block : blocks) {
    const uint32_t row = FindByAddress(input.rows.table(), block.pc);
    if (row != kNoFunction) counts[row].push_back(block);
  }
  return counts;
}

namespace {

constexpr size_t kMarginWidth = 16;

struct SourceLine {
  uint32_t row = 0;          // the row of the lowest address
  bool in_one_piece = true;  // of code
  bool is_function = false;  // a function begins with the first piece of code
  uint64_t calls = 0;        // of all functions that begin here
};

struct SourceFile {
  std::map<uint32_t, SourceLine> lines;  // by number
  uint64_t calls = 0;                    // of the file's functions
};

class Annotator {
 public:
  Annotator(const ListingInput& input, const BlockCounts& blocks, const AnnotationOptions& options)
      : input_(input), blocks_(blocks), options_(options) {}

  // `last_line`: of the file.
  SourceAnnotation Annotate(const SourceFile& file, uint32_t last_line) {
    SourceAnnotation annotation;
    const auto end = file.lines.upper_bound(last_line);
    for (auto line = file.lines.begin(); line != end; ++line) {
      LineCounts counts = Counts(line->second);
      counts.line = line->first;
      if (!counts.counts.empty()) annotation.counts.push_back(std::move(counts));
      ++annotation.executable_lines;
    }
    annotation.executions = file.calls;
    annotation.summary = absl::StrCat(
        TopLines(file), Summary(annotation.executable_lines, annotation.counts.size(), file.calls));
    return annotation;
  }

 private:
  // Returns nullopt if nothing is known of the line.
  LineCounts Counts(const SourceLine& line) {
    const auto found = blocks_.find(line.row);
    if (found == blocks_.end() && !line.is_function && !options_.all_lines) return {};
    LineCounts result;
    std::vector<uint64_t>& counts = result.counts;
    if (line.is_function) {
      counts.push_back(line.calls);
    } else if (options_.all_lines) {
      const bool begins_a_block = found != blocks_.end() && line.in_one_piece &&
                                  found->second.front().pc == input_.rows.Address(line.row);
      if (!begins_a_block) counts.push_back(last_);
    }
    if (found != blocks_.end()) {
      for (const profile::BasicBlock& block : found->second) {
        if (options_.all_lines && !counts.empty() && counts.back() == block.count) continue;
        counts.push_back(block.count);
      }
    }
    last_ = counts.back();
    result.is_below_minimum =
        std::accumulate(counts.begin(), counts.end(), uint64_t{0}) < options_.min_count;
    return result;
  }

  std::string TopLines(const SourceFile& file) const {
    if (options_.table_length == 0) return "";
    std::vector<std::pair<uint64_t, uint32_t>> called;  // calls, line
    for (const auto& [number, line] : file.lines) {
      if (line.calls != 0) called.emplace_back(line.calls, number);
    }
    std::stable_sort(called.begin(), called.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    if (called.size() > options_.table_length) called.resize(options_.table_length);
    std::string out =
        absl::StrFormat("\n\nTop %d Lines:\n\n     Line      Count\n\n", options_.table_length);
    for (const auto& [calls, line] : called) absl::StrAppendFormat(&out, "%9d %10d\n", line, calls);
    return out;
  }

  static std::string Summary(uint64_t code_lines, uint64_t executed_lines, uint64_t calls) {
    const double lines = static_cast<double>(code_lines);
    return absl::StrFormat(
        "\nExecution Summary:\n\n"
        "%9d   Executable lines in this file\n"
        "%9d   Lines executed\n"
        "%9.2f   Percent of the file executed\n\n"
        "%9d   Total number of line executions\n"
        "%9.2f   Average executions per line\n",
        code_lines, executed_lines,
        code_lines == 0 ? 100.0 : 100.0 * static_cast<double>(executed_lines) / lines, calls,
        code_lines == 0 ? 0.0 : static_cast<double>(calls) / lines);
  }

  const ListingInput& input_;
  const BlockCounts& blocks_;
  const AnnotationOptions& options_;
  uint64_t last_ = 0;  // the last count of the previous line, in any file
};

}  // namespace

void AnnotateSources(const ListingInput& input, const BlockCounts& blocks,
                     const AnnotationOptions& options, FindSourceLines find_lines,
                     VisitAnnotation visit) {
  const ListingRows& rows = input.rows;
  const std::vector<uint32_t> order = rows.FilesInOrder();
  absl::flat_hash_map<uint32_t, SourceFile> files;
  for (uint32_t row = 0; row < rows.size(); ++row) {
    if (rows.Line(row) == 0 || !input.Chosen(Choice::kAnnotate).Contains(row)) continue;
    SourceFile& file = files[rows.FileIndex(row)];
    const auto [entry, is_new] = file.lines.try_emplace(rows.Line(row));
    SourceLine& line = entry->second;
    if (is_new) {
      line.row = row;
      line.is_function = rows.IsFunction(row);
    } else {
      line.in_one_piece = false;
    }
    line.calls += input.graph.nodes[row].calls;
    file.calls += input.graph.nodes[row].calls;
  }
  Annotator annotator(input, blocks, options);
  for (auto index = order.rbegin(); index != order.rend(); ++index) {
    const auto file = files.find(*index);
    if (file == files.end()) continue;
    if (file->second.calls == 0 && !options.show_unused) continue;
    const std::string& path = rows.FileName(*index);
    const std::optional<uint32_t> last_line = find_lines(path);
    if (!last_line) continue;
    SourceAnnotation annotation = annotator.Annotate(file->second, *last_line);
    annotation.path = path;
    visit(std::move(annotation));
  }
}

std::string PrintAnnotatedSource(const SourceAnnotation& annotation, absl::string_view text) {
  std::string out;
  auto next = annotation.counts.begin();
  for (uint32_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    std::string margin;
    if (next != annotation.counts.end() && next->line == number) {
      margin = absl::StrFormat("%12s -> ",
                               next->is_below_minimum ? "#####" : absl::StrJoin(next->counts, ","));
      ++next;
    }
    margin.resize(kMarginWidth, ' ');
    absl::StrAppend(&out, margin, text.substr(0, end));
    text.remove_prefix(end);
  }
  absl::StrAppend(&out, annotation.summary);
  return out;
}

// Rows with a known line are ordered by file and line, all others by address.
// This is not a strict order: a line may precede another line, which precedes an unknown row, which
// precedes the first line by address. The result depends on the algorithm. GNU gprof uses a
// top-down merge sort that halves the list, and so does this code. The list holds the chosen rows,
// used and unused.

namespace {

class RowSort {
 public:
  explicit RowSort(const ListingRows& rows) : rows_(rows), merged_(rows.size()) {}

  // `order` ascends by address.
  std::vector<uint32_t> Sorted(std::vector<uint32_t> order) {
    Sort(order.data(), order.size());
    return order;
  }

 private:
  bool IsAfter(uint32_t a, uint32_t b) const {
    if (rows_.Line(a) == 0 || rows_.Line(b) == 0) return rows_.Address(a) > rows_.Address(b);
    if (rows_.FileIndex(a) != rows_.FileIndex(b)) return rows_.File(a) > rows_.File(b);
    if (rows_.Line(a) != rows_.Line(b)) return rows_.Line(a) > rows_.Line(b);
    return rows_.Address(a) > rows_.Address(b);
  }

  void Sort(uint32_t* rows, size_t count) {
    if (count < 2) return;
    const size_t half = count / 2;
    Sort(rows, half);
    Sort(rows + half, count - half);
    size_t left = 0;
    size_t right = half;
    uint32_t* out = merged_.data();
    while (left < half && right < count) {
      *out++ = IsAfter(rows[left], rows[right]) ? rows[right++] : rows[left++];
    }
    out = std::copy(rows + left, rows + half, out);
    std::copy(merged_.data(), out, rows);
  }

  const ListingRows& rows_;
  std::vector<uint32_t> merged_;
};

}  // namespace

std::vector<ExecutionCount> CountExecutions(const ListingInput& input,
                                            const ListingOptions& options,
                                            const BlockCounts& blocks) {
  const ListingRows& rows = input.rows;
  std::vector<ExecutionCount> executions;
  std::vector<uint32_t> chosen;
  for (uint32_t row = 0; row < rows.size(); ++row) {
    if (input.Chosen(Choice::kCounts).Contains(row)) chosen.push_back(row);
  }
  for (const uint32_t row : RowSort(rows).Sorted(std::move(chosen))) {
    const uint64_t calls = input.graph.nodes[row].calls;
    if (calls != 0 || options.show_unused) {
      executions.push_back({row, rows.Address(row), calls});
    }
    const auto found = blocks.find(row);
    if (found == blocks.end()) continue;
    for (const profile::BasicBlock& block : found->second) {
      if (block.count != 0) executions.push_back({row, block.pc, block.count});
    }
  }
  return executions;
}

std::string PrintExecutionCounts(const ListingInput& input, const ListingOptions& options,
                                 const BlockCounts& blocks) {
  const ListingRows& rows = input.rows;
  std::string out;
  for (const auto& [row, address, count] : CountExecutions(input, options, blocks)) {
    absl::StrAppend(&out, rows.Line(row) == 0 ? "<unknown>" : rows.File(row), ":", rows.Line(row),
                    ": (", rows.LinkageName(row), ":0x", absl::Hex(address), ") ", count,
                    " executions\n");
  }
  return out;
}

}  // namespace gprofhub::analyzer
