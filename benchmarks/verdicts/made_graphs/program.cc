#include "benchmarks/verdicts/made_graphs/program.h"

#include <map>

namespace gprofhub::benchmarks {
namespace {

void NumberSteps(std::vector<Step>& steps, uint32_t& line) {
  for (Step& step : steps) {
    step.line = line++;
    NumberSteps(step.body, line);
    NumberSteps(step.otherwise, line);
  }
}

}  // namespace

void NumberLines(Program& program) {
  std::map<std::string, uint32_t> next;
  for (Function& function : program.functions) {
    uint32_t& line = next.try_emplace(function.file, 10).first->second;
    function.line = line++;
    NumberSteps(function.body, line);
    line += 3;
  }
}

void CallsIn(std::vector<Step>& steps, std::vector<Step*>& calls) {
  for (Step& step : steps) {
    if (step.does == Does::kCall) calls.push_back(&step);
    CallsIn(step.body, calls);
    CallsIn(step.otherwise, calls);
  }
}

}  // namespace gprofhub::benchmarks
