// Histograms count in units of two bytes. Bin i of a histogram whose bins are
// `scale` units wide covers [low + floor(scale * i), low + floor(scale * (i+1)))
// units. GNU gprof credits a function that overlaps it with
// count * overlap / scale; as the bounds are rounded down but the scale is not,
// the credits of one bin need not sum to its count. Dividing by the bin's true
// width instead, as kExact does, loses nothing.
#include "analyzer/functions/assign_samples.h"

#include <algorithm>

namespace gprofhub::analyzer {
namespace {

void AssignHistogram(const FunctionTable& table, const profile::Histogram& histogram,
                     SymbolPolicy policy, AssignedSamples& assigned) {
  if (histogram.bins.empty() || histogram.high_pc <= histogram.low_pc) return;
  const std::vector<TableFunction>& rows = table.functions;
  const uint64_t low = histogram.low_pc / kUnitBytes;
  const double scale = static_cast<double>(histogram.high_pc / kUnitBytes - low) /
                       static_cast<double>(histogram.bins.size());
  size_t first = 0;  // first row that may overlap the current bin
  for (size_t i = 0; i < histogram.bins.size(); ++i) {
    if (histogram.bins[i] == 0) continue;
    const double count = static_cast<double>(histogram.bins[i]);
    const uint64_t bin_low = low + static_cast<uint64_t>(scale * static_cast<double>(i));
    const uint64_t bin_high = low + static_cast<uint64_t>(scale * static_cast<double>(i + 1));
    const double width =
        policy == SymbolPolicy::kGnu ? scale : static_cast<double>(bin_high - bin_low);
    assigned.total += count;
    while (first < rows.size() && rows[first].end / kUnitBytes <= bin_low) ++first;
    for (size_t row = first; row < rows.size(); ++row) {
      const uint64_t row_low = rows[row].address / kUnitBytes;
      if (row_low >= bin_high) break;
      const uint64_t from = std::max(bin_low, row_low);
      const uint64_t to = std::min(bin_high, rows[row].end / kUnitBytes);
      if (to <= from) continue;
      assigned.by_function[row] += static_cast<double>(to - from) * count / width;
    }
  }
}

}  // namespace

AssignedSamples AssignSamples(const FunctionTable& table,
                              const std::vector<profile::Histogram>& histograms,
                              SymbolPolicy policy) {
  AssignedSamples assigned;
  assigned.by_function.resize(table.functions.size());
  for (const profile::Histogram& histogram : histograms) {
    AssignHistogram(table, histogram, policy, assigned);
  }
  return assigned;
}

}  // namespace gprofhub::analyzer
