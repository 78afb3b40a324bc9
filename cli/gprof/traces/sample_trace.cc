#include "cli/gprof/traces/sample_trace.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "analyzer/assign_samples.h"

namespace gprofhub {
namespace {

// As AssignSamples (assign_samples.h) shares bins out for GNU gprof's rows.
void TraceHistogram(const ListingInput& input, const Histogram& histogram, double& total,
                    std::string& out) {
  const std::vector<TableFunction>& rows = input.rows.table().functions;
  const uint64_t low = histogram.low_pc / kUnitBytes;
  const double scale = static_cast<double>(histogram.high_pc / kUnitBytes - low) /
                       static_cast<double>(histogram.bins.size());
  size_t first = 0;
  for (size_t i = 0; i < histogram.bins.size(); ++i) {
    if (histogram.bins[i] == 0) continue;
    const double count = static_cast<double>(histogram.bins[i]);
    const uint64_t bin_low = low + static_cast<uint64_t>(scale * static_cast<double>(i));
    const uint64_t bin_high = low + static_cast<uint64_t>(scale * static_cast<double>(i + 1));
    total += count;
    absl::StrAppendFormat(&out,
                          "[assign_samples] bin_low_pc=0x%x, bin_high_pc=0x%x, bin_count=%d\n",
                          bin_low * kUnitBytes, bin_high * kUnitBytes, histogram.bins[i]);
    while (first < rows.size() && rows[first].end / kUnitBytes <= bin_low) ++first;
    for (size_t row = first; row < rows.size(); ++row) {
      const uint64_t row_low = rows[row].address / kUnitBytes;
      const uint64_t row_end = rows[row].end / kUnitBytes;
      if (row_low >= bin_high) break;
      const uint64_t from = std::max(bin_low, row_low);
      const uint64_t to = std::min(bin_high, row_end);
      if (to <= from) continue;
      const double credit = static_cast<double>(to - from) * count / scale;
      absl::StrAppendFormat(&out, "[assign_samples] [0x%x,0x%x) %s gets %f ticks %d overlap\n",
                            rows[row].address, row_end * kUnitBytes,
                            input.rows.LinkageName(static_cast<uint32_t>(row)), credit, to - from);
      if (!input.Chosen(Choice::kFlat).Contains(static_cast<uint32_t>(row))) total -= credit;
    }
  }
  absl::StrAppendFormat(&out, "[assign_samples] total_time %f\n", total);
}

}  // namespace

std::string TraceSamples(const ListingInput& input, const std::vector<Histogram>& histograms) {
  std::string out;
  double total = 0;
  for (const Histogram& histogram : histograms) TraceHistogram(input, histogram, total, out);
  return out;
}

}  // namespace gprofhub
