#include "reporter/comparison/machine_kinds.h"

#include <limits>

#include "absl/strings/str_cat.h"

namespace gprofhub::reporter {
namespace {

// The kind of machine of the side's run `index`, in the order of origins.
absl::string_view MachineOf(const ComparisonSide& side, const std::string& label, size_t index) {
  const auto origins = side.origins.find(label);
  if (origins == side.origins.end() || index >= origins->second.size()) return "";
  return origins->second[index].machine;
}

// An unknown kind matches every kind.
bool SameKind(absl::string_view a, absl::string_view b) { return a.empty() || b.empty() || a == b; }

}  // namespace

std::vector<CountedRun> HistoryOf(const ComparisonSide& base, const std::string& label) {
  std::vector<CountedRun> runs;
  const auto origins = base.origins.find(label);
  if (origins == base.origins.end()) return runs;
  for (const auto* part : {&base.targets, &base.window}) {
    const auto found = part->find(label);
    if (found == part->end()) continue;
    for (const profile::ComputedProfile& profile : found->second) {
      if (runs.size() == origins->second.size()) return runs;
      const ProfileOrigin& origin = origins->second[runs.size()];
      runs.push_back({origin.commit, origin.binary, &profile});
    }
  }
  return runs;
}

absl::string_view HeadMachine(const ComparisonSide& head, const std::string& label) {
  return MachineOf(head, label, 0);
}

absl::Span<const profile::ComputedProfile> ComparableWindow(
    const ComparisonSide& base, const std::string& label, absl::string_view machine,
    std::vector<profile::ComputedProfile>& storage) {
  const auto found = base.window.find(label);
  if (found == base.window.end()) return {};
  const std::vector<profile::ComputedProfile>& window = found->second;
  const std::vector<profile::ComputedProfile>& runs = base.targets.at(label);
  const auto is_comparable = [&](size_t i) {
    return window[i].dimension == runs.front().dimension && window[i].sample_rate > 0 &&
           SameKind(MachineOf(base, label, runs.size() + i), machine);
  };
  size_t comparable = 0;
  for (size_t i = 0; i < window.size(); ++i) comparable += is_comparable(i);
  if (comparable == window.size()) return window;
  for (size_t i = 0; i < window.size(); ++i) {
    if (is_comparable(i)) storage.push_back(window[i]);
  }
  return storage;
}

size_t ForgetOtherMachines(const ComparisonSide& base, const std::string& label,
                           absl::string_view machine, MatchedTarget& matched) {
  size_t forgotten = 0;
  for (size_t run = 0; run < matched.runs_before; ++run) {
    if (SameKind(MachineOf(base, label, run), machine)) continue;
    ++forgotten;
    for (FunctionPair& function : matched.functions) {
      if (function.self_by_run.empty()) continue;
      function.self_by_run[run] = function.child_by_run[run] =
          std::numeric_limits<double>::quiet_NaN();
      if (function.instructions_by_run.empty()) continue;
      function.instructions_by_run[run] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return forgotten;
}

void NoteOtherMachines(size_t incomparable, size_t on_older_runs, v1::Report& report) {
  if (incomparable + on_older_runs == 0) return;
  const v1::Compared& compared = report.compared();
  const std::string& base = compared.base().machine();
  const std::string& head = compared.head().machine();
  // A cached result may have been measured on another machine than the one that uploaded it.
  std::string warning = base == head
                            ? "the base was measured on another kind of machine than the head: "
                            : absl::StrCat("the base ran on another kind of machine (", base,
                                           ") than the head (", head, "): ");
  if (on_older_runs > 0) {
    absl::StrAppend(&warning, "times of ", on_older_runs,
                    on_older_runs == 1 ? " target are" : " targets are",
                    " compared with those of older runs on the head's kind");
  }
  if (incomparable > 0) {
    absl::StrAppend(&warning, on_older_runs > 0 ? "; " : "", "times of ", incomparable,
                    incomparable == 1 ? " target are" : " targets are", " not compared");
  }
  report.add_warnings(warning);
}

}  // namespace gprofhub::reporter
