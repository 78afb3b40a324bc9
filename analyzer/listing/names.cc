#include "analyzer/listing/names.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/two_workers.h"
#include "profile/names/demangle.h"

namespace gprofhub::analyzer {
namespace {

// Fewer are done before a thread has started.
constexpr size_t kNamesWorthAThread = 2000;

bool IsMentioned(const ListingInput& input, const ListingOptions& options, uint32_t row) {
  const CallGraph& graph = input.graph;
  if (options.show_unused || graph.nodes[row].IsUsed()) return true;
  const bool is_in_graph = graph.SpontaneousCalls(row) != 0 || !graph.ArcsFrom(row).empty() ||
                           !graph.ArcsTo(row).empty();
  return is_in_graph && options.tables.graph;
}

std::string PrintedName(const ListingRows& rows, const ListingOptions& options, uint32_t row) {
  const std::string& linkage_name = rows.LinkageName(row);
  std::string name = options.demangling.has_value()
                         ? profile::Demangle(linkage_name, *options.demangling)
                         : linkage_name;
  if ((rows.by_line() || options.inline_file_names) && rows.Line(row) != 0) {
    absl::StrAppend(&name, " (", PrintedFile(rows.File(row), options), ":", rows.Line(row));
    if (rows.by_line()) absl::StrAppend(&name, " @ ", absl::Hex(rows.Address(row)));
    name += ')';
  }
  return name;
}

}  // namespace

PrintedNames PrintNames(const ListingInput& input, const ListingOptions& options) {
  PrintedNames names;
  names.by_row.resize(input.rows.size());
  std::vector<uint32_t> mentioned;
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    if (IsMentioned(input, options, row)) mentioned.push_back(row);
  }
  names.made.resize(2);
  base::ForBothHalves(mentioned.size(), kNamesWorthAThread, [&](size_t begin, size_t end) {
    std::deque<std::string>& made = names.made[begin == 0 ? 0 : 1];
    for (size_t i = begin; i < end; ++i) {
      const uint32_t row = mentioned[i];
      const std::string& linkage_name = input.rows.LinkageName(row);
      std::string name = PrintedName(input.rows, options, row);
      if (name == linkage_name) {
        names.by_row[row] = linkage_name;
      } else {
        names.by_row[row] = made.emplace_back(std::move(name));
      }
    }
  });
  return names;
}

std::vector<uint32_t> RanksByName(const ListingRows& rows) {
  // Names lie in memory in the order of the rows, which mostly agrees with the order of names.
  // Merging follows both.
  struct Named {
    absl::string_view name;
    uint32_t row;
  };
  std::vector<Named> order;
  order.reserve(rows.size());
  for (uint32_t row = 0; row < rows.size(); ++row) order.push_back({rows.LinkageName(row), row});
  std::stable_sort(order.begin(), order.end(),
                   [](const Named& a, const Named& b) { return a.name < b.name; });
  std::vector<uint32_t> ranks(rows.size());
  for (uint32_t rank = 0; rank < order.size(); ++rank) ranks[order[rank].row] = rank;
  return ranks;
}

absl::string_view PrintedFile(const std::string& path, const ListingOptions& options) {
  return options.full_paths ? absl::string_view(path) : WithoutDirectory(path);
}

}  // namespace gprofhub::analyzer
