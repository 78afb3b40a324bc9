#include "analyzer/tables/call_graph_header.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/tables/expected_error.h"
#include "base/fetch_ahead.h"
#include "base/prefetch.h"

namespace gprofhub::analyzer {
namespace {

// Widths of the columns, including those of expected errors.
std::string ColumnHeads(const ListingOptions& options) {
  return absl::StrFormat("index %% time%8s%*s %*s%*s    called     name\n", "self", kErrorWidth,
                         "error ", ChildrenWidth(options), "children", kErrorWidth, "error ");
}

}  // namespace

// Sums callers before callees, and a cycle's members by descending address, as GNU gprof does: the
// rounding of the sum can change a percentage.
double CountedSamples(const CallGraph& graph) {
  const auto callers_first = graph.callees_first.rbegin();
  const auto node_at = [&](size_t i) { return callers_first[static_cast<ptrdiff_t>(i)]; };
  double total = 0;
  base::ForEachFetched(
      0, graph.callees_first.size(),
      [&](size_t i) {
        const uint32_t node = node_at(i);
        if (node < graph.function_count()) {
          total += graph.nodes[node].propagated_self;
          return;
        }
        std::vector<uint32_t> members = graph.cycles[node - graph.function_count()];
        std::sort(members.rbegin(), members.rend());
        for (const uint32_t member : members) total += graph.nodes[member].propagated_self;
      },
      base::FetchAhead{
          16, [&](size_t i) { base::Prefetch(&graph.nodes[node_at(i)].propagated_self); }});
  return total;
}

std::string CallGraphHeader(const ListingInput& input, const ListingOptions& options,
                            double total) {
  const double rate = std::max(input.rate, 1u);
  std::string out;
  if (!options.traditional) {
    absl::StrAppend(&out, options.explain ? "\t\t     Call graph (explanation follows)\n\n"
                                          : "\t\t\tCall graph\n\n");
  }
  absl::StrAppendFormat(&out, "\ngranularity: each sample hit covers %d byte(s)",
                        input.bytes_per_bin);
  if (total > 0) {
    absl::StrAppendFormat(&out, " for %.2f%% of %.2f %s\n\n", 100.0 / total, total / rate,
                          input.dimension);
  } else {
    absl::StrAppend(&out, " no time propagated\n\n");
  }
  if (!input.quantity_notes.empty()) absl::StrAppend(&out, input.quantity_notes, "\n");
  if (!input.measured_note.empty()) absl::StrAppend(&out, input.measured_note, "\n\n");
  if (options.expected_error) {
    if (options.explain) absl::StrAppend(&out, kErrorExplanation);
    absl::StrAppend(&out, ColumnHeads(options));
  } else if (options.traditional) {
    absl::StrAppend(&out, "                                  called/total       parents \n",
                    "index  %time    self descendants  called+self    name    \tindex\n",
                    "                                  called/total       children\n\n");
  } else {
    absl::StrAppend(&out, "index % time    self  children    called     name\n");
  }
  return out;
}

}  // namespace gprofhub::analyzer
