#include "reporter/matching/side_runs.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "profile/names/clone_names.h"
#include "profile/names/quantities.h"
#include "reporter/matching/same_ratio.h"

namespace gprofhub::reporter {

namespace {

// By row: there are fewer rows than arcs, and looking up a name is a cache miss.
std::vector<bool> MeasuredRows(const profile::ComputedProfile& profile) {
  std::vector<bool> measured;
  measured.reserve(profile.functions.size());
  for (const profile::FunctionCost& function : profile.functions) {
    measured.push_back(profile::IsMeasuredQuantity(profile.strings[function.name]));
  }
  return measured;
}

bool IsWithinFamily(const profile::ComputedProfile& profile, const RowMap& rows,
                    const profile::ArcCost& arc) {
  if (arc.caller >= rows.size() || arc.caller == arc.callee) return false;
  if (rows[arc.caller] != rows[arc.callee]) return false;
  const absl::string_view name = profile.strings[profile.functions[arc.callee].name];
  return profile::WithoutCloneSuffixes(name, profile::CloneKinds::kAll).size() != name.size();
}

}  // namespace

FunctionSide& SideOf(FunctionPair& pair, bool after) { return after ? pair.after : pair.before; }

std::vector<ArcKind> KindsOfArcs(const profile::ComputedProfile& profile, const RowMap& rows) {
  const std::vector<profile::ArcCost>& arcs = profile.arcs;
  std::vector<ArcKind> kinds(arcs.size(), ArcKind::kCall);
  const std::vector<bool> is_measured = MeasuredRows(profile);
  // Arcs with the same call site are adjacent.
  for (size_t begin = 0, end = 0; begin < arcs.size(); begin = end) {
    const auto is_here = [&](const profile::ArcCost& arc) {
      return arc.caller == arcs[begin].caller && arc.site_offset == arcs[begin].site_offset;
    };
    for (end = begin + 1; end < arcs.size() && is_here(arcs[end]);) ++end;
    for (size_t i = begin; i < end; ++i) {
      if (IsWithinFamily(profile, rows, arcs[i])) kinds[i] = ArcKind::kWithinFamily;
      if (is_measured[arcs[i].callee]) kinds[i] = ArcKind::kMeasured;
      if (arcs[i].site_offset == 0) continue;
      for (size_t other = begin; other < end && kinds[i] == ArcKind::kCall; ++other) {
        if (other == i || rows[arcs[other].callee] != rows[arcs[i].callee]) continue;
        if (arcs[i].count < arcs[other].count ||
            (arcs[i].count == arcs[other].count && other < i)) {
          kinds[i] = ArcKind::kJump;
        }
      }
    }
  }
  return kinds;
}

uint64_t RepetitionsOf(const profile::ComputedProfile& profile) {
  return std::max<uint64_t>(1, profile.repetitions);
}

uint64_t RepetitionsOf(absl::Span<const profile::ComputedProfile> profiles) {
  uint64_t repetitions = 0;
  for (const profile::ComputedProfile& profile : profiles) repetitions += RepetitionsOf(profile);
  return repetitions;
}

void AddRun(uint64_t sum, uint64_t repetitions, uint64_t all_before, Count& count) {
  const bool first = count.runs == 0;
  const bool agrees =
      sum % repetitions == 0 && (first || SameRatio(sum, repetitions, count.sum, all_before));
  if (count.repeats && !agrees) {
    count.repeats = false;
    if (!first) {
      count.by_run.assign(count.runs,
                          static_cast<double>(count.sum) / static_cast<double>(all_before));
    }
  }
  if (!count.repeats) {
    count.by_run.push_back(static_cast<double>(sum) / static_cast<double>(repetitions));
  }
  ++count.runs;
  count.sum += sum;
}

}  // namespace gprofhub::reporter
