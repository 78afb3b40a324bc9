// Rows with a known line are ordered by file and line, all others by address.
// This is not a strict order: a line may precede another line, which precedes an unknown row, which
// precedes the first line by address. The result depends on the algorithm. GNU gprof uses a
// top-down merge sort that halves the list, and so does this code. The list holds the chosen rows,
// used and unused.
#include "analyzer/annotations/execution_counts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gprofhub::analyzer {
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
