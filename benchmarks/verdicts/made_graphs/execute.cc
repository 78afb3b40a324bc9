#include "benchmarks/verdicts/made_graphs/execute.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace gprofhub::benchmarks {
namespace {

constexpr uint32_t kDeepest = 60;
constexpr size_t kCacheHolds = 64;
constexpr uint32_t kLongestList = 30;
constexpr double kCostOfStep = 0.1;  // relative to a call of the function

// Of a counted call: (caller, ordinal of the line, callee) in one number.
uint64_t ArcKey(uint32_t caller, uint32_t line, uint32_t callee) {
  return uint64_t{caller} << 44 | uint64_t{line} << 20 | callee;
}

class Machine {
 public:
  Machine(const Program& program, uint64_t budget)
      : program_(program), left_(budget), sums_(program.kept, 0), caches_(program.kept) {
    run_.calls.assign(program.functions.size(), 0);
    run_.self.assign(program.functions.size(), 0);
    run_.with_children.assign(program.functions.size(), 0);
    open_.assign(program.functions.size(), 0);
  }

  std::optional<Execution> Run(uint32_t test) {
    Call(test, {Mix(test, 7), 8}, 0);
    if (left_ == 0) return std::nullopt;
    run_.test = test;
    for (const auto& [key, count] : arcs_) {
      run_.arcs[{static_cast<uint32_t>(key >> 44), static_cast<uint32_t>(key >> 20 & 0xffffff),
                 static_cast<uint32_t>(key & 0xfffff)}] = count;
    }
    return std::move(run_);
  }

 private:
  void Call(uint32_t index, Value value, uint32_t depth) {
    const Function& function = program_.functions[index];
    ++run_.calls[index];
    const double before = run_.cost;
    Spend(index, function.cost);
    ++open_[index];
    if (depth < kDeepest) Do(index, function.body, value, depth);
    if (--open_[index] == 0) run_.with_children[index] += run_.cost - before;
  }

  void Spend(uint32_t index, double cost) {
    run_.self[index] += cost;
    run_.cost += cost;
  }

  // Whether the function continues.
  bool Do(uint32_t index, const std::vector<Step>& steps, Value value, uint32_t depth) {
    for (const Step& step : steps) {
      if (left_ <= 1) {
        left_ = 0;
        return false;
      }
      --left_;
      Spend(index, kCostOfStep * program_.functions[index].cost);
      if (!DoOne(index, step, value, depth)) return false;
    }
    return true;
  }

  bool DoOne(uint32_t index, const Step& step, Value value, uint32_t depth) {
    switch (step.does) {
      case Does::kCall: {
        const uint32_t callee = step.callees[Mix(value.tag, step.salt) % step.callees.size()];
        ++arcs_[ArcKey(index, step.line, callee)];
        Call(callee, Passed(step, value), depth + 1);
        return true;
      }
      case Does::kLoop: {
        const uint32_t trips = TripsOf(step, value);
        for (uint32_t i = 0; i < trips; ++i) {
          if (!Do(index, step.body, {Mix(value.tag, i), value.size}, depth)) return false;
        }
        return true;
      }
      case Does::kIf:
        return Do(index, Condition(step, value) ? step.body : step.otherwise, value, depth);
      case Does::kReturn:
        return !Condition(step, value);
      case Does::kLookup: {
        std::unordered_set<uint64_t>& cache = caches_[step.kept];
        if (step.limit != 0) {
          if (cache.size() >= kCacheHolds) cache.clear();
          if (!cache.insert(value.tag % step.limit).second) return true;
        }
        return Do(index, step.body, value, depth);
      }
      case Does::kAppend:
        if (Mix(value.tag, step.salt) % 100 < step.limit) {
          sums_[step.kept] = std::min(sums_[step.kept] + 1, kLongestList);
        }
        return true;
    }
    return true;
  }

  static Value Passed(const Step& step, Value value) {
    if (step.pass == Pass::kSame) return value;
    if (step.pass == Pass::kSmaller) return {Mix(value.tag, step.salt), value.size / 2};
    if (step.pass == Pass::kFixed) return {Mix(step.salt), SizeFrom(Mix(~step.salt))};
    return {Mix(value.tag, step.salt), SizeFrom(Mix(value.tag, ~step.salt))};
  }

  // Most are small, a few are large.
  static uint32_t SizeFrom(uint64_t draw) {
    const uint64_t most = draw % 100 < 85 ? 8 : 50;
    return static_cast<uint32_t>(1 + draw / 100 % most);
  }

  uint32_t TripsOf(const Step& step, Value value) const {
    if (step.trips == Trips::kConstant) return step.limit;
    if (step.trips == Trips::kSize) return value.size * step.limit;
    if (step.trips == Trips::kList) return sums_[step.kept] * step.limit;
    return static_cast<uint32_t>(1 + Mix(value.tag, step.salt) % step.limit);
  }

  bool Condition(const Step& step, Value value) {
    if (step.holds == Holds::kForSome) return Mix(value.tag, step.salt) % 100 < step.limit;
    if (step.holds == Holds::kIfLarger) return value.size > step.limit;
    sums_[step.kept] += value.size + 1;
    if (sums_[step.kept] < step.limit) return false;
    sums_[step.kept] = 0;
    return true;
  }

  const Program& program_;
  uint64_t left_;
  std::vector<uint32_t> sums_;
  std::vector<std::unordered_set<uint64_t>> caches_;
  std::unordered_map<uint64_t, uint64_t> arcs_;
  std::vector<uint32_t> open_;  // calls of each function that have not returned
  Execution run_;
};

// Knuth's for small means, else the normal distribution's.
double Poisson(double mean, Random& random) {
  if (mean > 50) {
    double normal = -6;
    for (int i = 0; i < 12; ++i) normal += random.Unit();
    return std::max(0.0, std::floor(mean + std::sqrt(mean) * normal + 0.5));
  }
  double count = 0;
  for (double p = random.Unit(); p > std::exp(-mean); p *= random.Unit()) ++count;
  return count;
}

class Profiler {
 public:
  uint32_t String(const std::string& text) {
    const auto [entry, inserted] =
        strings_.try_emplace(text, static_cast<uint32_t>(profile.strings.size()));
    if (inserted) profile.strings.push_back(text);
    return entry->second;
  }
  profile::ComputedProfile profile;

 private:
  std::unordered_map<std::string, uint32_t> strings_ = {{"", 0}};
};

}  // namespace

std::optional<Execution> Execute(const Program& program, uint32_t test, uint64_t budget) {
  return Machine(program, budget).Run(test);
}

profile::ComputedProfile ProfileOf(const Program& program, const Execution& execution,
                                   double samples_per_cost, Random& random) {
  Profiler made;
  made.profile.sample_rate = 1000;
  made.profile.profiles = 1;
  std::vector<uint32_t> rows(program.functions.size(), 0);
  for (size_t i = 0; i < program.functions.size(); ++i) {
    const Function& function = program.functions[i];
    if (execution.calls[i] == 0) continue;
    profile::FunctionCost cost;
    cost.name = made.String(function.name);
    cost.file = made.String(function.file);
    cost.line = function.line;
    cost.size = function.size;
    cost.code = function.code;
    const double self = execution.self[i];
    cost.self_samples = Poisson(self * samples_per_cost, random);
    cost.child_samples = std::max(0.0, execution.with_children[i] - self) * samples_per_cost;
    made.profile.total_samples += cost.self_samples;
    rows[i] = static_cast<uint32_t>(made.profile.functions.size());
    made.profile.functions.push_back(cost);
  }
  for (const auto& [key, count] : execution.arcs) {
    const auto& [caller, line, callee] = key;
    profile::ArcCost arc;
    arc.caller = rows[caller];
    arc.callee = rows[callee];
    arc.count = count;
    arc.site_file = made.profile.functions[arc.caller].file;
    arc.site_line = line;
    arc.site_offset = 16 * uint64_t{line - program.functions[caller].line};
    profile::FunctionCost& called = made.profile.functions[arc.callee];
    (caller == callee ? called.self_calls : called.calls) += count;
    made.profile.arcs.push_back(arc);
  }
  profile::ArcCost start;
  start.caller = static_cast<uint32_t>(made.profile.functions.size());
  start.callee = rows[execution.test];
  start.count = 1;
  ++made.profile.functions[start.callee].calls;
  made.profile.arcs.push_back(start);
  return std::move(made.profile);
}

}  // namespace gprofhub::benchmarks
