#include "analyzer/listing_names.h"

#include "absl/strings/str_cat.h"
#include "analyzer/halves.h"
#include "profile/demangle.h"

namespace gprofhub {
namespace {

// Fewer are done before a thread has started.
constexpr size_t kNamesWorthAThread = 2000;

bool IsMentioned(const ListingInput& input, const ListingOptions& options, uint32_t row) {
  const CallGraph& graph = input.graph;
  const GraphNode& node = graph.nodes[row];
  return options.show_unused || node.self != 0 || node.spontaneous != 0 ||
         !graph.ArcsFrom(row).empty() || !graph.ArcsTo(row).empty();
}

std::string PrintedName(const ListingRows& rows, const ListingOptions& options, uint32_t row) {
  const std::string& linkage_name = rows.LinkageName(row);
  std::string name =
      options.demangling.has_value() ? Demangle(linkage_name, *options.demangling) : linkage_name;
  if ((rows.by_line() || options.inline_file_names) && rows.Line(row) != 0) {
    absl::StrAppend(&name, " (", PrintedFile(rows.File(row), options), ":", rows.Line(row));
    if (rows.by_line()) absl::StrAppend(&name, " @ ", absl::Hex(rows.Address(row)));
    name += ')';
  }
  return name;
}

}  // namespace

std::vector<std::string> PrintedNames(const ListingInput& input, const ListingOptions& options) {
  std::vector<std::string> names(input.rows.size());
  std::vector<uint32_t> mentioned;
  for (uint32_t row = 0; row < names.size(); ++row) {
    if (IsMentioned(input, options, row)) mentioned.push_back(row);
  }
  InHalves(mentioned.size(), kNamesWorthAThread, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      names[mentioned[i]] = PrintedName(input.rows, options, mentioned[i]);
      if (!input.name_ends.empty()) names[mentioned[i]] += input.name_ends[mentioned[i]];
    }
  });
  return names;
}

absl::string_view PrintedFile(const std::string& path, const ListingOptions& options) {
  return options.full_paths ? absl::string_view(path) : WithoutDirectory(path);
}

}  // namespace gprofhub
