// Calls into libraries are not counted. So if an exception is thrown where a value was returned,
// all counts are equal, and the time of libgcc_s, libstdc++ and libc grows. A library does not
// change with the program: it works more because changed code of the program asks for more.
//
// The sum over all uncounted code is tested, because one change has its cost in several libraries,
// and may move time from one to another. A library whose own time changed is judged alone only if
// the sum changed the same way, by half as much or more.
//
// The changed functions that run may be the reason. They are ordered by evidence:
//
// - it is not an instance of a template of a library's headers, which changes with its users;
// - a change of calls the same way began in the function;
// - where most samples have call stacks, half of the change or more was inherited by the function;
// - it calls no other changed function: a caller is changed by its callees' interface;
// - its code changed by a tenth in size or more: neighbours of an edit differ by a few bytes of
//   padding, or of inlined callees;
// - it has more calls.
//
// The first one gets the finding, the others are named as possible. If no code changed, the library
// or its environment did, and the library itself has the finding. The line is that of the largest
// change of calls that began in the function; without one, that of its changed code
// (source_lines.cc).
//
// Changed calls explain the time if their material findings of the same direction cost half of it
// or more. Material calls of the same direction that began in the function are the same edit: they
// explain the time whatever they cost, and their finding has both costs. Otherwise the time is more
// than a side effect, and is a finding of its own.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/names.h"
#include "reporter/comparison/code_evidence.h"
#include "reporter/comparison/measure_times.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/comparison/time_findings.h"
#include "reporter/comparison/time_model.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {

namespace {

// Part of a change that evidence must account for.
constexpr double kMostOfChange = 0.5;
// Part of a function's code by which an edit mostly changes its size.
constexpr double kResized = 0.1;
constexpr size_t kMostOthersNamed = 3;
constexpr size_t kMostParts = 3;

double ChangeOf(const TimeTest& test) { return TimeAfter(test) - TimeBefore(test); }

class LibraryAttribution {
 public:
  LibraryAttribution(const JudgedTimes& judged, absl::Span<const v1::Finding> calls)
      : judged_(judged), target_(judged.target), calls_(calls) {}

  std::optional<v1::Finding> Run() {
    if (!target_.toolchain_changes.empty()) return std::nullopt;
    const FunctionTime* const changed = Changed();
    if (changed == nullptr) return std::nullopt;
    time_ = *changed;
    const std::vector<uint32_t> candidates = Candidates();
    if (candidates.empty()) return std::nullopt;
    time_.function = candidates.front();
    time_.metric = v1::Finding::LIBRARY_TIME;
    v1::Finding finding = DescribeTime(judged_, time_);
    for (size_t i = 1; i < std::min(candidates.size(), kMostOthersNamed + 1); ++i) {
      finding.add_edited(std::string(target_.functions[candidates[i]].name));
    }
    SetSite(finding);
    AddParts(finding);
    finding.set_explained(IsExplained(finding.impact()));
    return finding;
  }

 private:
  // The sum, or the largest changed part of it; null: none changed.
  const FunctionTime* Changed() const {
    const FunctionTime& all = judged_.times.libraries;
    if (all.test.before_runs == 0 || all.test.changed) return all.test.changed ? &all : nullptr;
    const FunctionTime* largest = nullptr;
    for (const FunctionTime& time : judged_.times.self) {
      if (!time.test.changed || !IsUncounted(target_.functions[time.function])) continue;
      const double change = ChangeOf(time.test);
      if (ChangeOf(all.test) * (change > 0 ? 1 : -1) < kMostOfChange * std::fabs(change)) continue;
      if (largest == nullptr || std::fabs(change) > std::fabs(ChangeOf(largest->test))) {
        largest = &time;
      }
    }
    return largest;
  }

  bool Grew() const { return time_.test.effect > 0; }

  // Whether calls changed in the direction of the time.
  bool HasItsDirection(const v1::Finding& calls) const {
    return reporter::Changed(calls) && (calls.after() > calls.before()) == Grew();
  }
  bool Agrees(const v1::Finding& calls) const { return calls.material() && HasItsDirection(calls); }

  void SetSite(v1::Finding& finding) const {
    const v1::Finding* largest = nullptr;
    for (const v1::Finding& calls : calls_) {
      const bool began_here = IsOrigin(calls) && calls.caller() == finding.function();
      if (!began_here || !HasItsDirection(calls) || calls.site().line() == 0) continue;
      if (largest == nullptr || calls.impact() > largest->impact()) largest = &calls;
    }
    if (largest != nullptr) *finding.mutable_site() = largest->site();
  }

  bool IsExplained(double impact) const {
    double cost = 0;
    for (const v1::Finding& finding : calls_) {
      if (IsOrigin(finding) && Agrees(finding)) cost += finding.impact();
    }
    return cost >= kMostOfChange * impact;
  }

  bool MayBeReason(const FunctionPair& function) const {
    const bool is_edited = function.code == CodeChange::kChanged;
    const bool runs = (Grew() ? function.after : function.before).calls.sum > 0;
    return is_edited && runs && !function.is_module;
  }

  static bool IsResized(const FunctionPair& function) {
    const auto before = static_cast<double>(function.before.size);
    const auto after = static_cast<double>(function.after.size);
    return before > 0 && after > 0 && std::fabs(after - before) >= kResized * before;
  }

  // The change of the time that the function inherits.
  double Inherited(const FunctionPair& function) const {
    return function.after.child_samples / time_.test.after_exposure -
           function.before.child_samples / time_.test.before_exposure;
  }

  // The most likely one first.
  std::vector<uint32_t> Candidates() const {
    std::vector<uint32_t> candidates;
    for (uint32_t i = 0; i < target_.functions.size(); ++i) {
      if (MayBeReason(target_.functions[i])) candidates.push_back(i);
    }
    absl::flat_hash_set<absl::string_view> origins;
    for (const v1::Finding& finding : calls_) {
      if (IsOrigin(finding) && Agrees(finding)) origins.insert(finding.caller());
    }
    // Those that call another one, or a function that does.
    const std::vector<bool> is_outer = FunctionsReached(target_, candidates, /*to_callers=*/true);
    const double change = ChangeOf(time_.test);
    const auto key = [&](uint32_t i) {
      const FunctionPair& function = target_.functions[i];
      const bool inherits =
          judged_.times.totals_measured && Inherited(function) / change >= kMostOfChange;
      const uint64_t calls = (Grew() ? function.after : function.before).calls.sum;
      return std::make_tuple(profile::IsLibraryFile(function.Latest().file),
                             !origins.contains(function.name), !inherits, bool{is_outer[i]},
                             !IsResized(function), ~calls, function.name);
    };
    std::sort(candidates.begin(), candidates.end(),
              [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    return candidates;
  }

  // The uncounted functions whose times changed most, in the direction of the sum.
  void AddParts(v1::Finding& finding) const {
    std::vector<std::pair<double, const FunctionTime*>> parts;
    for (const FunctionTime& time : judged_.times.self) {
      if (!IsUncounted(target_.functions[time.function])) continue;
      const double change = ChangeOf(time.test);
      if (change * ChangeOf(time_.test) > 0) parts.emplace_back(-std::fabs(change), &time);
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    parts.resize(std::min(parts.size(), kMostParts));
    for (const auto& [change, time] : parts) {
      v1::LibraryPart& part = *finding.add_libraries();
      part.set_name(std::string(time->name));
      part.set_before(TimeBefore(time->test));
      part.set_after(TimeAfter(time->test));
    }
  }

  const JudgedTimes& judged_;
  const MatchedTarget& target_;
  const absl::Span<const v1::Finding> calls_;
  FunctionTime time_;
};

}  // namespace

std::optional<v1::Finding> FindLibraryTime(const JudgedTimes& judged,
                                           absl::Span<const v1::Finding> calls) {
  return LibraryAttribution(judged, calls).Run();
}

void AddLibraryTimeToItsCalls(absl::Span<v1::Finding> findings) {
  for (v1::Finding& time : findings) {
    if (time.metric() != v1::Finding::LIBRARY_TIME || !time.material()) continue;
    v1::Finding* largest = nullptr;
    for (v1::Finding& calls : findings) {
      const bool began_here = IsOrigin(calls) && calls.caller() == time.function();
      if (!began_here || !calls.material() || !Changed(calls)) continue;
      if ((calls.after() > calls.before()) != (time.after() > time.before())) continue;
      if (largest == nullptr || calls.impact() > largest->impact()) largest = &calls;
    }
    if (largest == nullptr) continue;
    time.set_explained(true);
    for (v1::Finding& calls : findings) {
      const bool of_function = calls.metric() == v1::Finding::CALLS && calls.caller().empty() &&
                               calls.function() == largest->function();
      if (&calls != largest && !of_function) continue;
      calls.set_impact(std::min(1.0, calls.impact() + time.impact()));
      calls.set_weight(std::max(calls.weight(), calls.impact()));
    }
  }
}

}  // namespace gprofhub::reporter
