#include "analyzer/flat_listing.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/listing_text.h"

namespace gprofhub {
namespace {

// Unit of the per-call columns.
struct CallUnit {
  char prefix;
  double scale;  // units per second
};

// From coarse to fine.
constexpr CallUnit kCallUnits[] = {
    {'T', 1e-12}, {'G', 1e-9}, {'M', 1e-6}, {'K', 1e-3}, {' ', 1},    {'m', 1e3},
    {'u', 1e6},   {'n', 1e9},  {'p', 1e12}, {'f', 1e15}, {'a', 1e18},
};

// The coarsest unit in which the dearest call is at least 1; without any time,
// the coarsest of all.
CallUnit ChooseUnit(const ListingInput& input) {
  double dearest = 0;  // samples
  for (size_t i = 0; i < input.graph.function_count(); ++i) {
    const GraphNode& node = input.graph.nodes[i];
    if (node.calls == 0) continue;
    dearest = std::max(dearest, (node.self + node.child) / static_cast<double>(node.calls));
  }
  if (dearest <= 0) return kCallUnits[0];
  for (const CallUnit& unit : kCallUnits) {
    if (unit.scale * (dearest / input.rate) >= 1) return unit;
  }
  return *std::rbegin(kCallUnits);
}

}  // namespace

std::string PrintFlatListing(const ListingInput& input, const ListingOptions& options) {
  const auto& nodes = input.graph.nodes;
  std::string out = absl::StrFormat("Flat profile:\n\nEach sample counts as %g %s.\n",
                                    1.0 / input.rate, input.dimension);
  double total = input.total_samples;
  if (total <= 0) {
    out += " no time accumulated\n\n";
    total = 1;
  }
  const CallUnit unit = ChooseUnit(input);
  const std::string per_call = absl::StrFormat("%c%c/call", unit.prefix, input.abbreviation);
  absl::StrAppendFormat(&out, "%5.5s %10.10s %8.8s %8.8s %8.8s %8.8s  %-8.8s\n", "%  ",
                        "cumulative", "self  ", "", "self  ", "total ", "");
  absl::StrAppendFormat(&out, "%5.5s %9.9s  %8.8s %8.8s %8.8s %8.8s  %-8.8s\n", "time",
                        input.dimension, input.dimension, "calls", per_call, per_call, "name");

  std::vector<uint32_t> order(input.graph.function_count());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (nodes[a].self != nodes[b].self) return nodes[a].self > nodes[b].self;
    if (nodes[a].calls != nodes[b].calls) return nodes[a].calls > nodes[b].calls;
    return input.linkage_names[a] < input.linkage_names[b];
  });
  double cumulative = 0;
  const double rate = input.rate;
  for (const uint32_t function : order) {
    const GraphNode& node = nodes[function];
    if (!input.is_listed[function]) continue;
    if (!options.show_unused && node.calls == 0 && node.self == 0) continue;
    cumulative += node.self;
    absl::StrAppendFormat(&out, "%6.2f %9.2f %8.2f", 100 * node.self / total, cumulative / rate,
                          node.self / rate);
    if (node.calls != 0) {
      const double calls = static_cast<double>(node.calls);
      absl::StrAppendFormat(&out, " %8d %8.2f %8.2f  ", node.calls,
                            unit.scale * node.self / rate / calls,
                            unit.scale * (node.self + node.child) / rate / calls);
    } else {
      absl::StrAppendFormat(&out, " %8.8s %8.8s %8.8s  ", "", "", "");
    }
    absl::StrAppend(&out, input.names[function], "\n");
  }
  if (options.explain) absl::StrAppend(&out, kFlatExplanation);
  return out;
}

}  // namespace gprofhub
