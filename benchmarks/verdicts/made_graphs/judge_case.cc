#include "benchmarks/verdicts/made_graphs/judge_case.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/verdicts/made_graphs/execute.h"
#include "benchmarks/verdicts/made_graphs/program.h"
#include "benchmarks/verdicts/made_graphs/random.h"
#include "reporter/comparison/compare_sides.h"
#include "reporter/comparison/comparison_side.h"
#include "reporter/findings/findings.h"
#include "reporter/rendering/function_rows.h"

namespace gprofhub::benchmarks {
namespace {

constexpr uint64_t kMostSteps = 60000;
constexpr double kLeastSteps = 200;  // of calls: a program that does nothing is none
constexpr int kAttempts = 12;
constexpr double kLeastAdded = 0.01;
constexpr size_t kRuns = 2;

// Every test's execution; none if one does too much.
std::optional<std::vector<Execution>> ExecuteAll(const Program& program, uint64_t budget) {
  std::vector<Execution> executions;
  for (const uint32_t test : program.tests) {
    std::optional<Execution> execution = Execute(program, test, budget);
    if (!execution.has_value()) return std::nullopt;
    executions.push_back(*std::move(execution));
  }
  return executions;
}

double CostOf(const std::vector<Execution>& executions) {
  double cost = 0;
  for (const Execution& execution : executions) cost += execution.cost;
  return cost;
}

reporter::ComparisonSide SideOf(const Program& program, const std::vector<Execution>& executions,
                                double samples_per_cost, bool with_sizes, Random& random) {
  reporter::ComparisonSide side;
  for (size_t i = 0; i < executions.size(); ++i) {
    const std::string label = "//lib:" + program.functions[program.tests[i]].name;
    for (size_t run = 0; run < kRuns; ++run) {
      profile::ComputedProfile profile =
          ProfileOf(program, executions[i], samples_per_cost, random);
      for (profile::FunctionCost& function : profile.functions) {
        if (!with_sizes) function.size = 0;
      }
      side.targets[label].push_back(std::move(profile));
    }
  }
  return side;
}

}  // namespace

std::optional<MadeCase> CompareCase(const Case& made) {
  Random random(Mix(made.seed, Mix(static_cast<uint64_t>(made.family),
                                   static_cast<uint64_t>(made.plant))));
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Program program = MakeProgram(made.family, random);
    const auto before = ExecuteAll(program, kMostSteps);
    if (!before.has_value()) continue;
    if (CostOf(*before) < kLeastSteps) continue;
    std::optional<Planted> planted = PlantChange(program, made.plant, random);
    if (!planted.has_value()) continue;
    const auto after = ExecuteAll(planted->program, 10 * kMostSteps);
    if (!after.has_value() || CostOf(*after) < (1 + kLeastAdded) * CostOf(*before)) continue;
    const double samples_per_cost =
        static_cast<double>(random.Between(200, 20000)) / CostOf(*before);
    MadeCase result{*std::move(planted), {}};
    const reporter::ComparisonSide base =
        SideOf(program, *before, samples_per_cost, made.with_sizes(), random);
    const reporter::ComparisonSide head =
        SideOf(result.planted.program, *after, samples_per_cost, made.with_sizes(), random);
    result.report = reporter::CompareSides(base, head, reporter::CompareOptions());
    return result;
  }
  return std::nullopt;
}

Judged Judge(const MadeCase& made) {
  Judged judged;
  Function edited = made.planted.program.functions[made.planted.function];
  std::vector<Step*> calls;
  CallsIn(edited.body, calls);
  const auto is_cause = [&](const v1::Finding* finding) {
    return finding != nullptr && reporter::IsOrigin(*finding) && finding->material() &&
           finding->caller() == edited.name;
  };
  if (made.report.findings_size() > 0) {
    const v1::Finding& first = made.report.findings(0);
    judged.first = is_cause(&first);
    judged.line = judged.first && std::any_of(calls.begin(), calls.end(), [&](const Step* call) {
                    return call->edited && call->line == first.site().line();
                  });
  }
  const std::vector<reporter::FunctionRow> rows = reporter::GroupByFunction(made.report);
  judged.first_row = !rows.empty() && is_cause(rows[0].arc);
  for (const reporter::FunctionRow& row : rows) {
    const bool cause = row.kind == reporter::FindingKind::kCause;
    judged.causes += cause;
    if (!cause && row.kind != reporter::FindingKind::kFollower) continue;
    if (is_cause(row.arc)) continue;
    ++judged.followers;
    judged.folded += !cause;
  }
  return judged;
}

}  // namespace gprofhub::benchmarks
