#include "benchmarks/verdicts/made_graphs/plant.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gprofhub::benchmarks {
namespace {

// A step, and the list that it is in.
struct Place {
  uint32_t function;
  std::vector<Step>* list;
  size_t at;

  Step& step() const { return (*list)[at]; }
};

void PlacesIn(uint32_t function, std::vector<Step>& list, std::vector<Place>& places) {
  for (size_t i = 0; i < list.size(); ++i) {
    places.push_back({function, &list, i});
    PlacesIn(function, list[i].body, places);
    PlacesIn(function, list[i].otherwise, places);
  }
}

void Mark(std::vector<Step>& steps) {
  std::vector<Step*> calls;
  CallsIn(steps, calls);
  for (Step* call : calls) call->edited = true;
}

bool IsCall(const Step& step) { return step.does == Does::kCall; }
bool IsLoop(const Step& step) { return step.does == Does::kLoop; }
bool IsIf(const Step& step) { return step.does == Does::kIf && step.holds != Holds::kNowAndThen; }

// Where the loop is that a call can be moved into: right after it.
bool StandsBeforeLoop(const Place& place) {
  return IsCall(place.step()) && place.at + 1 < place.list->size() &&
         IsLoop((*place.list)[place.at + 1]);
}

class Editor {
 public:
  Editor(const Program& program, Random& random) : random_(random) { planted_.program = program; }

  std::optional<Planted> Edit(Plant plant) {
    std::vector<Place> places;
    const bool in_test = plant == Plant::kMoreInput;
    for (uint32_t i = 0; i < functions().size(); ++i) {
      const bool is_test = i < planted_.program.tests.size();
      if (is_test == in_test) PlacesIn(i, functions()[i].body, places);
    }
    std::vector<Place> fit;
    for (const Place& place : places) {
      if (Fits(plant, place)) fit.push_back(place);
    }
    if (fit.empty()) return std::nullopt;
    const Place place = fit[random_.Below(fit.size())];
    planted_.function = place.function;
    Change(plant, place);
    // Most edits change how large the function's code is, and so does the compiler elsewhere,
    // seldom.
    for (uint32_t i = 0; i < functions().size(); ++i) {
      if (random_.Percent(i == place.function ? 90 : 2)) functions()[i].size += 16;
      // In other functions, inlined code may differ.
      if (i == place.function || random_.Percent(1)) ++functions()[i].code;
    }
    NumberLines(planted_.program);
    return std::move(planted_);
  }

 private:
  std::vector<Function>& functions() { return planted_.program.functions; }

  bool Fits(Plant plant, const Place& place) const {
    const Step& step = place.step();
    switch (plant) {
      case Plant::kCallDoubled:
      case Plant::kNewCallee:
        return IsCall(step);
      case Plant::kMovedIntoLoop:
        return StandsBeforeLoop(place);
      case Plant::kLookupSkipped:
        return step.does == Does::kLookup;
      case Plant::kExitRemoved:
        return step.does == Does::kReturn;
      case Plant::kLongerLoop:
      case Plant::kMoreInput:
        return IsLoop(step);
      case Plant::kSeveralSites:
        return (IsLoop(step) || IsIf(step)) && step.body.size() > 1;
      case Plant::kContainer:
        return IsCall(step) && step.callees.size() == 1;
      case Plant::kNarrowed:
        return IsIf(step) || step.does == Does::kReturn;
    }
    return false;
  }

  void Change(Plant plant, const Place& place) {
    std::vector<Step>& list = *place.list;
    Step& step = place.step();
    switch (plant) {
      case Plant::kCallDoubled:
        step.edited = true;
        return Insert(place, step);
      case Plant::kMovedIntoLoop: {
        Step call = step;
        call.edited = true;
        std::vector<Step>& loop = list[place.at + 1].body;
        loop.insert(loop.begin(), std::move(call));
        list.erase(list.begin() + static_cast<int64_t>(place.at));
        return;
      }
      case Plant::kLookupSkipped:
        Mark(step.body);
        step.limit = 0;
        return;
      case Plant::kExitRemoved:
        MarkFrom(place.function, place);
        list.erase(list.begin() + static_cast<int64_t>(place.at));
        return;
      case Plant::kNewCallee:
        return AddCallee(place);
      case Plant::kLongerLoop:
      case Plant::kMoreInput:
        Mark(step.body);
        step.limit = step.limit * random_.Between(2, 4);
        return;
      case Plant::kSeveralSites: {
        Mark(step.body);
        const std::vector<Step> once = step.body;
        step.body.insert(step.body.end(), once.begin(), once.end());
        return;
      }
      case Plant::kContainer:
        return ReplaceCallee(place);
      case Plant::kNarrowed:
        return Narrow(place);
    }
  }

  void Insert(const Place& place, Step step) {
    place.list->insert(place.list->begin() + static_cast<int64_t>(place.at) + 1, std::move(step));
  }

  // All calls of the function from the place on.
  void MarkFrom(uint32_t function, const Place& place) {
    const uint32_t line = place.step().line;
    std::vector<Step*> calls;
    CallsIn(functions()[function].body, calls);
    for (Step* call : calls) call->edited |= call->line > line;
  }

  // A new function that does what functions next to the called one do.
  void AddCallee(const Place& place) {
    Step call = place.step();
    const Function model = functions()[call.callees[0]];
    Function made = model;
    made.name = "new" + std::to_string(functions().size());
    for (Step& step : made.body) {
      if (random_.Percent(30)) step.limit += 1;
    }
    Step again;
    again.callees = {call.callees[0]};
    again.salt = random_.Below(~uint64_t{0});
    made.body.push_back(std::move(again));
    call.callees = {static_cast<uint32_t>(functions().size())};
    call.edited = true;
    Insert(place, std::move(call));
    functions().push_back(std::move(made));
  }

  // Everywhere in the function another one is called, a new one, which does all twice.
  void ReplaceCallee(const Place& place) {
    const uint32_t old = place.step().callees[0];
    Function made = functions()[old];
    made.name = "other" + std::to_string(functions().size());
    const std::vector<Step> once = made.body;
    made.body.insert(made.body.end(), once.begin(), once.end());
    made.cost *= 2;
    std::vector<Step*> calls;
    CallsIn(functions()[place.function].body, calls);
    for (Step* call : calls) {
      if (call->callees != std::vector<uint32_t>{old}) continue;
      call->callees = {static_cast<uint32_t>(functions().size())};
      call->edited = true;
    }
    functions().push_back(std::move(made));
  }

  void Narrow(const Place& place) {
    Step& step = place.step();
    const bool exit = step.does == Does::kReturn;
    if (exit) {
      MarkFrom(place.function, place);
    } else {
      Mark(step.body);
      Mark(step.otherwise);
    }
    const bool holds_more = !exit && (step.otherwise.empty() || random_.Percent(50));
    if (step.holds == Holds::kForSome) {
      step.limit = holds_more ? std::min(100u, step.limit * 3) : step.limit / 3;
    } else {
      step.limit = holds_more ? step.limit / 3 : step.limit * 3;
    }
  }

  Random& random_;
  Planted planted_;
};

}  // namespace

const char* NameOf(Plant plant) {
  switch (plant) {
    case Plant::kCallDoubled:
      return "call doubled";
    case Plant::kMovedIntoLoop:
      return "moved into loop";
    case Plant::kLookupSkipped:
      return "lookup skipped";
    case Plant::kExitRemoved:
      return "exit removed";
    case Plant::kNewCallee:
      return "new callee";
    case Plant::kLongerLoop:
      return "longer loop";
    case Plant::kSeveralSites:
      return "several sites";
    case Plant::kMoreInput:
      return "more input";
    case Plant::kContainer:
      return "container";
    case Plant::kNarrowed:
      return "shortcut narrowed";
  }
  return "";
}

std::optional<Planted> PlantChange(const Program& program, Plant plant, Random& random) {
  return Editor(program, random).Edit(plant);
}

}  // namespace gprofhub::benchmarks
