// Selects the runs of a comparison that are evidence for counts, and those for times, which are
// comparable on one kind of machine only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/computed.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/comparison_side.h"
#include "reporter/counts/count_history.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// The base's runs of the target, then those of its window, as far as their origins are known.
std::vector<CountedRun> HistoryOf(const ComparisonSide& base, const std::string& label);

// The kind of machine that the target's head ran on; empty: unknown.
absl::string_view HeadMachine(const ComparisonSide& head, const std::string& label);

// The window's profiles that were sampled like the base's, on its kind of machine: the span of
// `base` itself, or copies in `storage` if only some qualify. The base has the target.
absl::Span<const profile::ComputedProfile> ComparableWindow(
    const ComparisonSide& base, const std::string& label, absl::string_view machine,
    std::vector<profile::ComputedProfile>& storage);

// Removes the times of base runs on another kind of machine from the comparison. Returns the number
// of these runs.
size_t ForgetOtherMachines(const ComparisonSide& base, const std::string& label,
                           absl::string_view machine, MatchedTarget& matched);

// Warns of targets whose base ran on another kind of machine: those without any run on the head's
// kind, and those that are compared with older runs.
void NoteOtherMachines(size_t incomparable, size_t on_older_runs, v1::Report& report);

}  // namespace gprofhub::reporter
