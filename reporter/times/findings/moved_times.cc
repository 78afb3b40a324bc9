// Moved time. If a function's self time changed, a neighbour's changed the other way, and their sum
// did not change, the compiler moved the boundary between them. That is SHIFTED and not an alarm. A
// neighbour is a caller, a callee, a function of the same file or class, or one of the functions
// among which calls moved: a function that two callers used to inline and now call took its time
// from both.
#include "reporter/times/findings/moved_times.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "profile/names/qualified_name.h"

namespace gprofhub::reporter {
namespace {

// Minimum effect, in standard errors, of a neighbour's opposite change.
constexpr double kOppositeErrors = 3;
// A sum of neighbours is unchanged if at most this part of the change remains.
constexpr double kRemaining = 0.5;

}  // namespace

double StandardErrorOfChange(const TimeTest& test) {
  const double sampling =
      std::hypot(std::sqrt(std::max(1.0, test.before_samples)) / test.before_exposure,
                 std::sqrt(std::max(1.0, test.after_samples)) / test.after_exposure);
  return std::max(sampling, StandardError(test) * std::min(TimeBefore(test), TimeAfter(test)));
}

MovedTimes::MovedTimes(const MatchedTarget& target, const std::vector<FunctionTime>& self)
    : target_(target) {
  for (const FunctionTime& time : self) self_[time.function] = &time;
}

void MovedTimes::AddShift(const std::vector<uint32_t>& functions) {
  std::vector<uint32_t> all = functions;
  for (const uint32_t function : functions) {
    const auto known = shift_of_.find(function);
    if (known == shift_of_.end()) continue;
    std::vector<uint32_t>& joined = shifts_[known->second];
    all.insert(all.end(), joined.begin(), joined.end());
    joined.clear();
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const uint32_t function : all) shift_of_[function] = shifts_.size();
  shifts_.push_back(std::move(all));
}

std::optional<v1::Shift> MovedTimes::Find(const FunctionTime& time) {
  if (!indexed_) IndexNeighbours();
  for (const std::vector<uint32_t>& neighbours : NeighboursOf(time.function)) {
    std::optional<v1::Shift> shift = FindAmong(time, neighbours);
    if (shift.has_value()) return shift;
  }
  return std::nullopt;
}

std::optional<v1::Shift> MovedTimes::FindAmong(const FunctionTime& time,
                                               const std::vector<uint32_t>& neighbours) const {
  const double change = TimeAfter(time.test) - TimeBefore(time.test);
  double others = 0;
  v1::Shift shift;
  shift.set_kind(v1::Shift::TIME_MOVED);
  for (const uint32_t i : neighbours) {
    const auto found = self_.find(i);
    if (i == time.function || found == self_.end()) continue;
    const TimeTest& test = found->second->test;
    const double moved = TimeAfter(test) - TimeBefore(test);
    others += moved;
    if (moved * change < 0 && std::fabs(moved) >= kOppositeErrors * StandardErrorOfChange(test)) {
      shift.add_with(std::string(target_.functions[i].name));
    }
  }
  const bool made_up =
      std::fabs(change + others) <= kRemaining * std::fabs(change) && others * change <= 0;
  if (shift.with_size() == 0 || !made_up) return std::nullopt;
  return shift;
}

void MovedTimes::IndexNeighbours() {
  indexed_ = true;
  by_neighbour_.resize(target_.functions.size());
  for (const ArcPair& arc : target_.arcs) {
    if (arc.caller == kSpontaneous || arc.caller == arc.callee) continue;
    by_neighbour_[arc.caller].push_back(arc.callee);
    by_neighbour_[arc.callee].push_back(arc.caller);
  }
  for (const auto& [function, time] : self_) {
    const FunctionPair& pair = target_.functions[function];
    const absl::string_view file = pair.after.present() ? pair.after.file : pair.before.file;
    if (!file.empty()) by_file_[file].push_back(function);
    std::string scope = profile::ScopeOf(pair.name);
    if (!scope.empty()) by_scope_[std::move(scope)].push_back(function);
  }
}

std::vector<std::vector<uint32_t>> MovedTimes::NeighboursOf(uint32_t function) const {
  const FunctionPair& pair = target_.functions[function];
  std::vector<std::vector<uint32_t>> groups = {by_neighbour_[function]};
  std::sort(groups[0].begin(), groups[0].end());
  groups[0].erase(std::unique(groups[0].begin(), groups[0].end()), groups[0].end());
  const auto scope = by_scope_.find(profile::ScopeOf(pair.name));
  if (scope != by_scope_.end()) groups.push_back(scope->second);
  const auto file = by_file_.find(pair.after.present() ? pair.after.file : pair.before.file);
  if (file != by_file_.end()) groups.push_back(file->second);
  const auto shift = shift_of_.find(function);
  if (shift != shift_of_.end()) groups.push_back(shifts_[shift->second]);
  return groups;
}

}  // namespace gprofhub::reporter
