// Groups findings by cause. A change of the source is one place, but seldom one arc: a copied
// struct calls four copy constructors, a longer loop calls everything in it. So findings of one
// direction (more or less) have one cause if
//
// - they are about one function, in any target;
// - the calls to blame are in the same caller, within a screen of each other, or at the same place
//   of the source: a template's code is in each of its instances;
// - one caller makes exactly the same number of calls more (or less): they are in one line or
//   block, and one of them may have the line of what was inlined there;
// - the caller to blame is itself called more (or less) because of the cause, and its own change
//   may be a side effect of that (Finding.may_follow, which reporter/counts/forks.cc decides).
//
// Only the first arc of each function counts, the one with the largest share: otherwise a utility
// that is called from everywhere would merge all causes.
#include "reporter/findings/causes.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "reporter/findings/findings.h"

namespace gprofhub::reporter {
namespace {

// Maximum distance in lines between two calls of one caller that one change may cover.
constexpr int64_t kNear = 40;

using FunctionThatWay = std::pair<std::string, bool>;  // name, whether it went worse
// Target, caller, number of additional calls, whether it went worse.
using CallsThatWay = std::tuple<std::string, std::string, double, bool>;
using PlaceThatWay = std::tuple<std::string, uint32_t, bool>;

bool GotWorse(const v1::Finding& finding) {
  return finding.verdict() == v1::Finding::REGRESSED || finding.verdict() == v1::Finding::NEW;
}

class Causes {
 public:
  explicit Causes(const v1::Report& report) : report_(report) {
    for (int i = 0; i < report.findings_size(); ++i) first_.push_back(static_cast<size_t>(i));
    for (int i = 0; i < report.findings_size(); ++i) JoinFunction(i);
    for (const auto& [function, arc] : main_arcs_) JoinPlace(arc);
    for (const auto& [function, arc] : main_arcs_) JoinCaller(arc);
  }

  std::vector<size_t> Take() {
    for (size_t i = 0; i < first_.size(); ++i) first_[i] = Find(i);
    return std::move(first_);
  }

 private:
  const v1::Finding& At(size_t i) const { return report_.findings(static_cast<int>(i)); }

  size_t Find(size_t i) {
    while (first_[i] != i) i = first_[i] = first_[first_[i]];
    return i;
  }
  void Join(size_t a, size_t b) {
    a = Find(a);
    b = Find(b);
    first_[std::max(a, b)] = std::min(a, b);
  }

  void JoinFunction(int index) {
    const v1::Finding& finding = report_.findings(index);
    if (!Changed(finding)) return;
    const size_t i = static_cast<size_t>(index);
    const FunctionThatWay key = {finding.function(), GotWorse(finding)};
    Join(functions_.try_emplace(key, i).first->second, i);
    if (!IsOrigin(finding)) return;
    main_arcs_.try_emplace(key, i);
    // Its side effects belong to it, as far as they have findings.
    for (const std::string& name : finding.follows()) {
      followed_.try_emplace({name, GotWorse(finding)}, i);
    }
  }

  void JoinPlace(size_t i) {
    const v1::Finding& arc = At(i);
    const bool worse = GotWorse(arc);
    if (arc.caller() != "<spontaneous>") {
      if (arc.exact() && arc.after() != arc.before()) {
        const CallsThatWay calls = {arc.target(), arc.caller(), arc.after() - arc.before(), worse};
        Join(numbers_.try_emplace(calls, i).first->second, i);
      }
      std::map<int64_t, size_t>& lines = callers_[{arc.caller(), arc.site().file(), worse}];
      const int64_t line = arc.site().line();
      const auto next = lines.lower_bound(line);
      if (next != lines.end() && next->first - line <= kNear) Join(next->second, i);
      if (next != lines.begin() && line - std::prev(next)->first <= kNear) {
        Join(std::prev(next)->second, i);
      }
      lines.emplace_hint(next, line, i);
    }
    if (arc.site().line() == 0) return;
    Join(places_.try_emplace({arc.site().file(), arc.site().line(), worse}, i).first->second, i);
  }

  void JoinCaller(size_t i) {
    const v1::Finding& arc = At(i);
    if (!arc.may_follow()) return;
    const FunctionThatWay caller = {arc.caller(), GotWorse(arc)};
    for (const auto* known : {&main_arcs_, &followed_}) {
      const auto cause = known->find(caller);
      if (cause == known->end()) continue;
      Join(cause->second, i);
      return;
    }
  }

  const v1::Report& report_;
  std::vector<size_t> first_;                    // union-find forest: by finding, an earlier one
  std::map<FunctionThatWay, size_t> functions_;  // the function's first finding
  std::map<FunctionThatWay, size_t> main_arcs_;  // the function's first arc
  std::map<FunctionThatWay, size_t> followed_;   // the arc that it is a side effect of
  // By caller, file and direction: arcs by line.
  std::map<std::tuple<std::string, std::string, bool>, std::map<int64_t, size_t>> callers_;
  std::map<PlaceThatWay, size_t> places_;
  std::map<CallsThatWay, size_t> numbers_;
};

}  // namespace

std::vector<size_t> CausesOf(const v1::Report& report) { return Causes(report).Take(); }

}  // namespace gprofhub::reporter
