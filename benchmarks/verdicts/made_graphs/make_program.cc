// A program has layers: tests at the top, functions that call lower ones, and utilities at the
// bottom, which all layers call. A family is a set of odds: how many layers, how often a call goes
// straight to a utility or back up, how often it is virtual, lies in a loop, under a condition or
// behind a cache. The effect of a step depends on its argument, so calls per call are means over
// the arguments, and differ from caller to caller.
#include "benchmarks/verdicts/made_graphs/make_program.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

namespace gprofhub::benchmarks {
namespace {

struct Odds {                                         // in percent, unless noted
  uint32_t layers, least_wide, most_wide, utilities;  // numbers
  uint32_t to_utility, is_virtual, loop, condition, cache, list, collect, exit, back;
};

Odds OddsOf(Family family) {
  switch (family) {
    case Family::kLayers:
      return {5, 4, 10, 8, 30, 5, 20, 30, 6, 2, 1, 12, 0};
    case Family::kEvents:
      return {4, 6, 14, 8, 30, 45, 15, 25, 5, 4, 2, 12, 2};
    case Family::kRecursion:
      return {4, 3, 7, 6, 30, 8, 12, 35, 4, 2, 1, 15, 30};
    case Family::kKept:
      return {4, 4, 9, 8, 35, 8, 18, 20, 15, 12, 6, 10, 1};
    case Family::kPipelines:
      return {11, 1, 3, 6, 35, 8, 14, 30, 6, 2, 1, 12, 1};
    case Family::kInterpreter:
      return {3, 8, 20, 10, 45, 35, 12, 30, 6, 6, 6, 10, 12};
  }
  return {};
}

class Maker {
 public:
  Maker(Family family, Random& random) : odds_(OddsOf(family)), random_(random) {}

  Program Make() {
    const uint32_t tests = random_.Between(1, 3);
    AddLayer(tests, "test");
    for (uint32_t layer = 1; layer <= odds_.layers; ++layer) {
      AddLayer(random_.Between(odds_.least_wide, odds_.most_wide), "f");
    }
    AddLayer(odds_.utilities, "utility");
    AddLayer(odds_.utilities, "leaf");
    for (uint32_t layer = 0; layer < begins_.size(); ++layer) {
      for (uint32_t i = begins_[layer]; i < End(layer); ++i) {
        program_.functions[i].body = BodyOf(layer);
      }
    }
    for (uint32_t i = 0; i < tests; ++i) {
      program_.tests.push_back(i);
      Step loop;
      loop.does = Does::kLoop;
      loop.limit = random_.Between(5, 60);
      loop.salt = random_.Below(~uint64_t{0});
      loop.body = std::move(program_.functions[i].body);
      program_.functions[i].body = {std::move(loop)};
    }
    NumberLines(program_);
    return std::move(program_);
  }

 private:
  void AddLayer(uint32_t count, const std::string& kind) {
    begins_.push_back(static_cast<uint32_t>(program_.functions.size()));
    for (uint32_t i = 0; i < count; ++i) {
      Function function;
      const std::string number = std::to_string(program_.functions.size());
      function.name = kind + number;
      function.file = kind == "test" ? "lib/lib" + number + "_test.cc"
                                     : "lib/part" + std::to_string(random_.Below(6)) + ".cc";
      // From one to fifty, mostly small.
      function.cost = std::exp(random_.Unit() * 4);
      function.size = 32 + 16 * random_.Below(60);
      program_.functions.push_back(std::move(function));
    }
  }

  uint32_t End(uint32_t layer) const {
    return layer + 1 < begins_.size() ? begins_[layer + 1]
                                      : static_cast<uint32_t>(program_.functions.size());
  }
  uint32_t AnyOf(uint32_t layer) {
    return begins_[layer] + static_cast<uint32_t>(random_.Below(End(layer) - begins_[layer]));
  }
  uint32_t Utilities() const { return odds_.layers + 1; }

  std::vector<Step> BodyOf(uint32_t layer) {
    const uint32_t leaves = Utilities() + 1;
    if (layer == leaves) return {};
    const uint32_t most = layer == 0 ? 6 : layer >= Utilities() ? 2 : 5;
    std::vector<Step> body;
    const uint32_t steps = random_.Between(layer == 0 ? 2 : 1, most);
    for (uint32_t i = 0; i < steps; ++i) AddStep(layer, 0, body);
    return body;
  }

  Step Make(Does does) {
    Step step;
    step.does = does;
    step.salt = random_.Below(~uint64_t{0});
    step.holds = random_.Percent(65) ? Holds::kForSome : Holds::kIfLarger;
    step.limit = step.holds == Holds::kForSome ? random_.Between(3, 90) : random_.Between(1, 7);
    return step;
  }

  void AddStep(uint32_t layer, int depth, std::vector<Step>& body) {
    uint64_t draw = random_.Below(100);
    const auto chosen = [&draw](uint32_t odds) {
      const bool is = draw < odds;
      draw -= is ? 0 : odds;
      return is;
    };
    if (depth > 1) return body.push_back(Call(layer));
    if (chosen(odds_.loop)) return AddLoop(layer, depth, body);
    if (chosen(odds_.condition)) {
      Step step = Make(Does::kIf);
      AddStep(layer, depth + 1, step.body);
      if (random_.Percent(40)) AddStep(layer, depth + 1, step.otherwise);
      return body.push_back(std::move(step));
    }
    if (chosen(odds_.cache)) {
      Step step = Make(Does::kLookup);
      step.limit = random_.Between(5, 200);
      step.kept = program_.kept++;
      step.body.push_back(Call(layer));
      return body.push_back(std::move(step));
    }
    if (chosen(odds_.list)) return AddList(layer, body);
    if (chosen(odds_.collect)) {
      Step step = Make(Does::kIf);
      step.holds = Holds::kNowAndThen;
      step.limit = random_.Between(50, 1000);
      step.kept = program_.kept++;
      step.body.push_back(Call(layer));
      return body.push_back(std::move(step));
    }
    if (chosen(odds_.exit) && !body.empty()) body.push_back(Make(Does::kReturn));
    body.push_back(Call(layer));
  }

  void AddLoop(uint32_t layer, int depth, std::vector<Step>& body) {
    Step step = Make(Does::kLoop);
    const uint64_t trips = random_.Below(3);
    step.trips = trips == 0 ? Trips::kConstant : trips == 1 ? Trips::kSize : Trips::kByValue;
    step.limit = step.trips == Trips::kSize ? 1 : random_.Between(2, 6);
    const uint32_t inside = random_.Between(1, 2);
    for (uint32_t i = 0; i < inside; ++i) AddStep(layer, depth + 1, step.body);
    body.push_back(std::move(step));
  }

  // A function appends to a list, and maybe it or another one iterates over a list.
  void AddList(uint32_t layer, std::vector<Step>& body) {
    Step step = Make(random_.Percent(50) || lists_ == 0 ? Does::kAppend : Does::kLoop);
    if (step.does == Does::kAppend) {
      step.kept = program_.kept++;
      last_list_ = step.kept;
      ++lists_;
      step.limit = random_.Between(3, 60);
    } else {
      step.trips = Trips::kList;
      step.kept = last_list_;
      step.limit = 1;
      step.body.push_back(Call(layer));
    }
    body.push_back(std::move(step));
  }

  Step Call(uint32_t layer) {
    Step call = Make(Does::kCall);
    constexpr Pass kPasses[] = {Pass::kSame,  Pass::kSame,  Pass::kSmaller, Pass::kOther,
                                Pass::kOther, Pass::kOther, Pass::kFixed};
    call.pass = kPasses[random_.Below(std::size(kPasses))];
    if (layer >= Utilities()) {
      call.callees = {AnyOf(layer + 1)};
      return call;
    }
    if (layer > 1 && random_.Percent(odds_.back)) return Guarded(std::move(call), layer);
    const bool to_utility = random_.Percent(odds_.to_utility) && layer > 0;
    uint32_t to = to_utility ? Utilities() : layer + 1;
    if (!to_utility && layer + 2 <= odds_.layers && random_.Percent(15)) ++to;
    call.callees = {AnyOf(to)};
    if (!to_utility && random_.Percent(odds_.is_virtual)) {
      for (uint32_t more = random_.Between(1, 4); more > 0; --more) {
        const uint32_t callee = AnyOf(to);
        if (std::find(call.callees.begin(), call.callees.end(), callee) == call.callees.end()) {
          call.callees.push_back(callee);
        }
      }
    }
    return call;
  }

  // A call of a function above, which terminates because its argument gets smaller.
  Step Guarded(Step call, uint32_t layer) {
    call.pass = Pass::kSmaller;
    call.callees = {AnyOf(random_.Between(1, layer))};
    Step guard = Make(Does::kIf);
    guard.holds = Holds::kIfLarger;
    guard.limit = 1;
    guard.body.push_back(std::move(call));
    return guard;
  }

  const Odds odds_;
  Random& random_;
  Program program_;
  std::vector<uint32_t> begins_;  // by layer
  uint32_t lists_ = 0, last_list_ = 0;
};

}  // namespace

const char* NameOf(Family family) {
  switch (family) {
    case Family::kLayers:
      return "layers";
    case Family::kEvents:
      return "events";
    case Family::kRecursion:
      return "recursion";
    case Family::kKept:
      return "kept";
    case Family::kPipelines:
      return "pipelines";
    case Family::kInterpreter:
      return "interpreter";
  }
  return "";
}

Program MakeProgram(Family family, Random& random) { return Maker(family, random).Make(); }

}  // namespace gprofhub::benchmarks
