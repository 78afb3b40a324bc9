#include "cli/gprof/traces/sample_trace.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/functions/assign_samples.h"
#include "cli/gprof/options/debug_levels.h"

namespace gprofhub::cli {
namespace {

class SampleTrace {
 public:
  SampleTrace(const analyzer::ListingInput& input, const SymspecSearches& searches, unsigned levels)
      : input_(input), searches_(searches), levels_(levels) {}

  std::string Run(const std::vector<profile::Histogram>& histograms) {
    for (const profile::Histogram& histogram : histograms) AddHistogram(histogram);
    return std::move(out_);
  }

 private:
  template <typename... Values>
  void Append(const absl::FormatSpec<Values...>& format, const Values&... values) {
    if ((levels_ & kTraceSamples) != 0) absl::StrAppendFormat(&out_, format, values...);
  }

  // As AssignSamples (assign_samples.h) shares bins out for GNU gprof's rows.
  void AddHistogram(const profile::Histogram& histogram) {
    const std::vector<analyzer::TableFunction>& rows = input_.rows.table().functions;
    const uint64_t low = histogram.low_pc / analyzer::kUnitBytes;
    const double scale = static_cast<double>(histogram.high_pc / analyzer::kUnitBytes - low) /
                         static_cast<double>(histogram.bins.size());
    size_t first = 0;
    for (size_t i = 0; i < histogram.bins.size(); ++i) {
      if (histogram.bins[i] == 0) continue;
      const double count = static_cast<double>(histogram.bins[i]);
      const uint64_t bin_low = low + static_cast<uint64_t>(scale * static_cast<double>(i));
      const uint64_t bin_high = low + static_cast<uint64_t>(scale * static_cast<double>(i + 1));
      total_ += count;
      Append("[assign_samples] bin_low_pc=0x%x, bin_high_pc=0x%x, bin_count=%d\n",
             bin_low * analyzer::kUnitBytes, bin_high * analyzer::kUnitBytes, histogram.bins[i]);
      while (first < rows.size() && rows[first].end / analyzer::kUnitBytes <= bin_low) ++first;
      for (size_t row = first; row < rows.size(); ++row) {
        const uint64_t row_low = rows[row].address / analyzer::kUnitBytes;
        const uint64_t row_end = rows[row].end / analyzer::kUnitBytes;
        if (row_low >= bin_high) break;
        const uint64_t from = std::max(bin_low, row_low);
        const uint64_t to = std::min(bin_high, row_end);
        if (to <= from) continue;
        AddCredit(static_cast<uint32_t>(row), row_end * analyzer::kUnitBytes,
                  static_cast<double>(to - from) * count / scale, to - from);
      }
    }
    Append("[assign_samples] total_time %f\n", total_);
  }

  void AddCredit(uint32_t row, uint64_t end, double credit, uint64_t overlap) {
    const uint64_t address = input_.rows.Address(row);
    Append("[assign_samples] [0x%x,0x%x) %s gets %f ticks %d overlap\n", address, end,
           input_.rows.LinkageName(row), credit, overlap);
    if ((levels_ & kTraceLookups) != 0)
      out_ += searches_.Trace(analyzer::Choice::kFlat, address, false);
    if (!input_.Chosen(analyzer::Choice::kFlat).Contains(row)) total_ -= credit;
  }

  const analyzer::ListingInput& input_;
  const SymspecSearches& searches_;
  const unsigned levels_;
  double total_ = 0;
  std::string out_;
};

}  // namespace

std::string TraceSamples(const analyzer::ListingInput& input,
                         const std::vector<profile::Histogram>& histograms,
                         const SymspecSearches& searches, unsigned levels) {
  return SampleTrace(input, searches, levels).Run(histograms);
}

}  // namespace gprofhub::cli
