#include "cli/gprof/histogram_check.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "profile/histogram_ranges.h"

namespace gprofhub::cli {
namespace {

double BytesPerBin(const HistogramHead& head) {
  return static_cast<double>(head.high_pc - head.low_pc) / static_cast<double>(head.bins);
}

absl::Status Changed(const std::string& program, absl::string_view what, absl::string_view from,
                     absl::string_view to) {
  return absl::InvalidArgumentError(
      absl::StrCat(program, ": dimension ", what, " changed between histogram records\n", program,
                   ": from '", from, "'\n", program, ": to '", to, "'"));
}

bool SameRange(const HistogramHead& a, const HistogramHead& b) {
  return a.low_pc == b.low_pc && a.high_pc == b.high_pc && a.bins == b.bins;
}

// `heads`: the previous ones, one per range, in order.
absl::Status CheckHead(const HistogramHead& head, const HistogramHeads& heads,
                       const std::string& program) {
  const HistogramHead& first = heads.front();
  if (head.is_bsd) {
    if (!head.rate_is_assumed && head.rate != first.rate) {
      return absl::InvalidArgumentError(
          absl::StrCat(head.path, ": profiling rate incompatible with first gmon file"));
    }
    if (!SameRange(head, first)) {
      return absl::InvalidArgumentError(
          absl::StrCat(head.path, ": incompatible with first gmon file"));
    }
  }
  if (head.dimension != first.dimension) {
    return Changed(program, "unit", first.dimension, head.dimension);
  }
  if (head.abbreviation != first.abbreviation) {
    return Changed(program, "abbreviation", absl::string_view(&first.abbreviation, 1),
                   absl::string_view(&head.abbreviation, 1));
  }
  constexpr double kTolerance = 2e-6;
  if (std::abs(BytesPerBin(head) - BytesPerBin(first)) > kTolerance) {
    return absl::InvalidArgumentError(
        absl::StrCat(program, ": different scales in histogram records"));
  }
  for (const HistogramHead& other : heads) {
    if (profile::Overlap(head.low_pc, head.high_pc, other.low_pc, other.high_pc) &&
        !SameRange(head, other)) {
      return absl::InvalidArgumentError(absl::StrCat(program, ": overlapping histogram records"));
    }
  }
  if (!head.rate_is_assumed && head.rate != first.rate) {
    return absl::InvalidArgumentError(
        absl::StrCat(program, ": ", head.path, ": its histogram counts ", head.rate, " per \"",
                     absl::CHexEscape(head.dimension), "\", that of ", first.path, " ", first.rate,
                     ": such samples do not add up; list the two profiles separately"));
  }
  return absl::OkStatus();
}

}  // namespace

HistogramHeads HeadsOf(const profile::RawProfile& profile, const std::string& path) {
  HistogramHeads heads;
  for (const profile::Histogram& histogram : profile.histograms) {
    heads.push_back({path, histogram.low_pc, histogram.high_pc, histogram.bins.size(),
                     histogram.rate, histogram.dimension, histogram.abbreviation,
                     histogram.rate_is_assumed});
  }
  return heads;
}

absl::Status CheckHistograms(absl::Span<const std::optional<HistogramHeads>> profiles,
                             const std::string& program, size_t& checked) {
  HistogramHeads heads;
  for (checked = 0; checked < profiles.size() && profiles[checked]; ++checked) {
    for (const HistogramHead& head : *profiles[checked]) {
      if (!heads.empty()) {
        if (absl::Status status = CheckHead(head, heads, program); !status.ok()) return status;
      }
      const auto same = [&](const HistogramHead& other) { return SameRange(head, other); };
      if (std::none_of(heads.begin(), heads.end(), same)) heads.push_back(head);
    }
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::cli
