#include "cli/bisect/count_calls.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "profile/names/clone_names.h"

namespace gprofhub::cli {
namespace {

absl::string_view FamilyOf(absl::string_view name) {
  return profile::WithoutCloneSuffixes(name, profile::CloneKinds::kAll);
}

// Of each function, whether it is `name` or a clone of it.
std::vector<bool> FamilyRows(const profile::ComputedProfile& profile, absl::string_view name) {
  std::vector<bool> rows;
  rows.reserve(profile.functions.size());
  for (const profile::FunctionCost& function : profile.functions) {
    rows.push_back(FamilyOf(profile.strings[function.name]) == FamilyOf(name));
  }
  return rows;
}

uint64_t CallsFromEverywhere(const profile::ComputedProfile& profile,
                             const std::vector<bool>& callees) {
  uint64_t calls = 0;
  for (size_t row = 0; row < callees.size(); ++row) {
    if (callees[row]) calls += profile.functions[row].calls + profile.functions[row].self_calls;
  }
  for (const profile::ArcCost& arc : profile.arcs) {
    const bool within = callees[arc.callee] && arc.caller < callees.size() && callees[arc.caller] &&
                        arc.caller != arc.callee;
    if (within) calls -= std::min(calls, arc.count);
  }
  return calls;
}

uint64_t CallsFrom(const profile::ComputedProfile& profile, const std::vector<bool>& callees,
                   const std::string& caller) {
  const std::vector<bool> callers = FamilyRows(profile, caller);
  uint64_t calls = 0;
  for (const profile::ArcCost& arc : profile.arcs) {
    if (!callees[arc.callee]) continue;
    const bool is_outside = arc.caller >= callers.size();
    if (is_outside ? caller == kOutside : callers[arc.caller]) calls += arc.count;
  }
  return calls;
}

}  // namespace

double CountCalls(const profile::ComputedProfile& profile, const Question& question) {
  const std::vector<bool> callees = FamilyRows(profile, question.function);
  const uint64_t calls = question.caller.empty() ? CallsFromEverywhere(profile, callees)
                                                 : CallsFrom(profile, callees, question.caller);
  return static_cast<double>(calls) / std::max(1u, profile.repetitions);
}

}  // namespace gprofhub::cli
