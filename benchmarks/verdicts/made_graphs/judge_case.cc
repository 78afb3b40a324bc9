#include "benchmarks/verdicts/made_graphs/judge_case.h"

#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/verdicts/made_graphs/execute.h"
#include "benchmarks/verdicts/made_graphs/program.h"
#include "benchmarks/verdicts/made_graphs/random.h"
#include "reporter/comparison/choose_reruns.h"
#include "reporter/comparison/compare_sides.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/function_rows.h"

namespace gprofhub::benchmarks {
namespace {

constexpr uint64_t kMostSteps = 60000;
constexpr double kLeastCost = 500;  // below this, the program does nothing
constexpr int kAttempts = 12;
constexpr double kLeastAdded = 0.01;
constexpr size_t kRuns = 2;

// Every test's execution; empty if one exceeds the limit.
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
                                double samples_per_cost, CodeKnown known, Random& random) {
  reporter::ComparisonSide side;
  for (size_t i = 0; i < executions.size(); ++i) {
    const std::string label = "//lib:" + program.functions[program.tests[i]].name;
    for (size_t run = 0; run < kRuns; ++run) {
      profile::ComputedProfile profile =
          ProfileOf(program, executions[i], samples_per_cost, random);
      for (profile::FunctionCost& function : profile.functions) {
        if (known == CodeKnown::kNothing) function.size = 0;
        if (known != CodeKnown::kDigests) function.code = 0;
      }
      side.targets[label].push_back(std::move(profile));
    }
  }
  return side;
}

struct Edit {
  Planted planted;
  std::vector<Execution> executions;
};

// Plants the change, if that costs enough.
std::optional<Edit> EditOnce(const Program& program, const std::vector<Execution>& before,
                             Plant plant, Random& random) {
  std::optional<Planted> planted = PlantChange(program, plant, random);
  if (!planted.has_value()) return std::nullopt;
  auto after = ExecuteAll(planted->program, 10 * kMostSteps);
  if (!after.has_value() || CostOf(*after) < (1 + kLeastAdded) * CostOf(before)) {
    return std::nullopt;
  }
  return Edit{*std::move(planted), *std::move(after)};
}

}  // namespace

std::optional<MadeCase> CompareCase(const Case& made) {
  Random random(Mix(made.seed, Mix(static_cast<uint64_t>(made.family),
                                   static_cast<uint64_t>(made.plant) + (made.twice ? 100 : 0))));
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Program program = MakeProgram(made.family, random);
    const auto before = ExecuteAll(program, kMostSteps);
    if (!before.has_value() || CostOf(*before) < kLeastCost) continue;
    std::optional<Edit> edit = EditOnce(program, *before, made.plant, random);
    if (!edit.has_value()) continue;
    MadeCase result{std::move(edit->planted.program), {edit->planted.function}, {}};
    if (made.twice) {
      const Plant other = kPlants[random.Below(std::size(kPlants))];
      edit = EditOnce(result.program, edit->executions, other, random);
      if (!edit.has_value() || edit->planted.function == result.edited[0]) continue;
      result.program = std::move(edit->planted.program);
      result.edited.push_back(edit->planted.function);
    }
    const double samples_per_cost =
        static_cast<double>(random.Between(200, 20000)) / CostOf(*before);
    const reporter::ComparisonSide head =
        SideOf(result.program, edit->executions, samples_per_cost, made.code_known(), random);
    const reporter::ComparisonSide base =
        SideOf(program, *before, samples_per_cost, made.code_known(), random);
    result.report = reporter::CompareSides(base, head, reporter::CompareOptions());
    return result;
  }
  return std::nullopt;
}

Judged Judge(const MadeCase& made) {
  Judged judged;
  std::map<std::string, std::set<uint32_t>> lines;  // by edited function
  for (const uint32_t index : made.edited) {
    Function edited = made.program.functions[index];
    std::vector<Step*> calls;
    CallsIn(edited.body, calls);
    for (const Step* call : calls) {
      if (call->edited) lines[edited.name].insert(call->line);
    }
  }
  const auto is_cause = [&](const v1::Finding* finding) {
    return finding != nullptr && reporter::IsOrigin(*finding) && finding->material() &&
           lines.contains(finding->caller());
  };
  std::set<std::string> named;
  for (const v1::Finding& finding : made.report.findings()) {
    if (is_cause(&finding)) named.insert(finding.caller());
  }
  judged.all = named.size() == made.edited.size();
  if (made.report.findings_size() > 0) {
    const v1::Finding& first = made.report.findings(0);
    judged.first = is_cause(&first);
    judged.line = judged.first && lines[first.caller()].contains(first.site().line());
  }
  const std::vector<reporter::FunctionRow> rows = reporter::GroupByFunction(made.report);
  judged.first_row = !rows.empty() && is_cause(rows[0].arc);
  for (const reporter::FunctionRow& row : rows) {
    const bool cause = row.kind == reporter::FindingKind::kCause;
    const bool calls = row.calls != nullptr || row.arc != nullptr;
    (calls ? judged.causes : judged.times) += cause;
    if (!calls || (!cause && row.kind != reporter::FindingKind::kFollower)) continue;
    if (is_cause(row.arc)) continue;
    ++judged.followers;
    judged.folded += !cause;
  }
  return judged;
}

}  // namespace gprofhub::benchmarks
