#include "reporter/comparison/target_part.h"

#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/utf8.h"
#include "profile/computed.h"
#include "reporter/comparison/machine_kinds.h"
#include "reporter/counts/count_history.h"
#include "reporter/matching/match_target.h"
#include "reporter/times/measure_instructions.h"
#include "reporter/times/measure_times.h"

namespace gprofhub::reporter {
namespace {

using Profiles = std::vector<profile::ComputedProfile>;

SideTimes TimesOf(const Profiles& profiles) {
  SideTimes times;
  times.runs = profiles.size();
  for (const profile::ComputedProfile& profile : profiles) {
    times.samples += profile.total_samples;
    times.measured += profile.complete_stack_samples;
    if (profile.sample_rate <= 0) continue;
    times.overhead += profile.overhead_samples / profile.sample_rate;
    times.seconds += profile.total_samples / profile.sample_rate;
  }
  return times;
}

double TotalSamples(const Profiles& profiles) {
  double samples = 0;
  for (const profile::ComputedProfile& profile : profiles) samples += profile.total_samples;
  return samples;
}

// The dimension that all were sampled in; empty: they differ, or one was not sampled.
std::string CommonDimension(const Profiles& before, const Profiles& after) {
  const std::string& dimension = before.front().dimension;
  for (const auto* side : {&before, &after}) {
    for (const profile::ComputedProfile& profile : *side) {
      if (profile.dimension != dimension || profile.sample_rate <= 0) return "";
    }
  }
  return dimension;
}

void CopyWarnings(const Profiles& profiles, absl::string_view side, const std::string& label,
                  std::vector<std::string>& warnings) {
  std::set<std::string> said;
  for (const profile::ComputedProfile& profile : profiles) {
    for (const std::string& warning : profile.warnings) {
      if (!said.insert(warning).second) continue;
      warnings.push_back(absl::StrCat(label, " (", side, "): ", base::ToUtf8(warning)));
    }
  }
}

double SamplesPerSecond(const Profiles& profiles) {
  const profile::ComputedProfile& first = profiles.front();
  return first.dimension == "seconds" ? first.sample_rate : 0;
}

const Profiles* Find(const std::map<std::string, Profiles>& targets, const std::string& label) {
  const auto found = targets.find(label);
  return found == targets.end() || found->second.empty() ? nullptr : &found->second;
}

// Everything but the verdicts, which need all targets. Both sides have the target.
void WorkOn(const ComparisonSide& base, const ComparisonSide& head, const TimeOptions& options,
            TargetPart& part) {
  const std::string& label = part.label;
  const Profiles& before = base.targets.at(label);
  const Profiles& after = head.targets.at(label);
  TargetWork& work = part.work.emplace();
  work.label = label;
  const absl::string_view machine = HeadMachine(head, label);
  Profiles copies;
  const absl::Span<const profile::ComputedProfile> window =
      ComparableWindow(base, label, machine, copies);
  work.matched = MatchTarget(before, after, window);
  if (ForgetOtherMachines(base, label, machine, work.matched) == before.size()) {
    (window.empty() ? part.incomparable : part.on_older_runs) = true;
  }
  ApplyCountHistory(HistoryOf(base, label), work.matched);
  work.totals = {TotalSamples(before), TotalSamples(after)};
  work.samples_per_second = SamplesPerSecond(after);
  const bool has_times = !CommonDimension(before, after).empty();
  work.groups = FindGroups(work.matched, before, window, after, has_times, options);
  if (has_times) {
    work.times = MeasureTimes(work.matched, before, window, after, options);
  } else if (before.front().dimension != after.front().dimension) {
    part.warnings.push_back(absl::StrCat(
        label, ": the base was sampled in ", base::ToUtf8(before.front().dimension),
        ", the head in ", base::ToUtf8(after.front().dimension), "; times are not compared"));
  }
  MeasureInstructions(work.matched, before, window, after, options, work.times);
  CopyWarnings(before, "base", label, part.warnings);
  CopyWarnings(after, "head", label, part.warnings);
}

}  // namespace

TargetPart PartOf(const std::string& label, const ComparisonSide& base, const ComparisonSide& head,
                  const TimeOptions& options) {
  TargetPart part;
  part.label = label;
  const Profiles* const before = Find(base.targets, label);
  const Profiles* const after = Find(head.targets, label);
  if (before != nullptr) part.base = TimesOf(*before);
  if (after != nullptr) {
    part.head = TimesOf(*after);
    part.head_runs = HeadRunsOf(*after);
  }
  const auto window = base.window.find(label);
  if (window != base.window.end()) part.window_runs = window->second.size();
  if (before != nullptr && after != nullptr) WorkOn(base, head, options, part);
  return part;
}

}  // namespace gprofhub::reporter
