// Accuracy of the cause on random programs with planted changes, whose truth is known.
//
//   made_graphs [--seeds N] [--format table|json] [--list]
//   made_graphs --explain SEED FAMILY PLANT
//
// --list names the misjudged tuned cases, as arguments of --explain, which prints the findings.
//
// Cases are every family of programs with every kind of change, N seeds each. Rules and numbers of
// the reporter are tuned on the *tuned* cases alone: even seeds of the open families and kinds. The
// *blind* ones are odd seeds of these. The *hidden* ones are those of a family and of two kinds of
// changes that were never examined.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/verdicts/made_graphs/judge_case.h"
#include "benchmarks/verdicts/made_graphs/make_program.h"
#include "benchmarks/verdicts/made_graphs/plant.h"

namespace gprofhub::benchmarks {
namespace {

struct Sums {
  size_t cases = 0, first = 0, line = 0, first_row = 0, all = 0, followers = 0, folded = 0;
  size_t causes = 0, one_cause = 0, times = 0;

  void Add(const Judged& judged) {
    ++cases;
    first += judged.first;
    line += judged.line;
    first_row += judged.first_row;
    all += judged.all;
    followers += judged.followers;
    folded += judged.folded;
    causes += judged.causes;
    one_cause += judged.causes == 1;
    times += judged.times;
  }
};

bool IsHidden(const Case& made) {
  return made.family == Family::kInterpreter || made.plant == Plant::kContainer ||
         made.plant == Plant::kNarrowed;
}

std::string SplitOf(const Case& made) {
  if (IsHidden(made)) return "hidden";
  return made.seed % 2 == 0 ? "tuned" : "blind";
}

using Table = std::map<std::pair<std::string, std::string>, Sums>;  // split, group

double Percent(size_t part, size_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void PrintTable(const Table& table) {
  std::printf(
      "| cases of | group | cases | cause first | and its line | first row | all edits found "
      "| followers | folded | causes per case | one cause | times that are causes |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const auto& [key, sums] : table) {
    std::printf(
        "| %s | %s | %zu | %.1f%% | %.1f%% | %.1f%% | %.1f%% | %zu | %.1f%% | %.2f | %.1f%% | %zu "
        "|\n",
        key.first.c_str(), key.second.c_str(), sums.cases, Percent(sums.first, sums.cases),
        Percent(sums.line, sums.cases), Percent(sums.first_row, sums.cases),
        Percent(sums.all, sums.cases), sums.followers, Percent(sums.folded, sums.followers),
        static_cast<double>(sums.causes) / static_cast<double>(sums.cases),
        Percent(sums.one_cause, sums.cases), sums.times);
  }
}

void PrintJson(const Table& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [key, sums] : table) {
    rows.push_back({{"split", key.first},
                    {"group", key.second},
                    {"cases", sums.cases},
                    {"cause_first", sums.first},
                    {"line_right", sums.line},
                    {"first_row", sums.first_row},
                    {"all_found", sums.all},
                    {"followers", sums.followers},
                    {"folded", sums.folded},
                    {"causes", sums.causes},
                    {"one_cause", sums.one_cause},
                    {"times", sums.times}});
  }
  std::cout << rows.dump(2) << "\n";
}

std::string KnownWords(const Case& made) {
  switch (made.code_known()) {
    case CodeKnown::kNothing:
      return "code unknown";
    case CodeKnown::kSizes:
      return "sizes known";
    case CodeKnown::kDigests:
      return "code known";
  }
  return "";
}

Table Measure(uint64_t seeds, bool list) {
  Table table;
  const auto add = [&](const Case& made) {
    const std::optional<MadeCase> compared = CompareCase(made);
    if (!compared.has_value()) return;
    const Judged judged = Judge(*compared);
    const std::string split = SplitOf(made);
    if (made.twice) {
      return table[{split, "two edits, " + KnownWords(made)}].Add(judged);
    }
    table[{split, ""}].Add(judged);
    table[{split, KnownWords(made)}].Add(judged);
    if (split == "hidden") return;
    table[{split, std::string("program: ") + NameOf(made.family)}].Add(judged);
    table[{split, std::string("change: ") + NameOf(made.plant)}].Add(judged);
    if (list && split == "tuned" && (!judged.first || judged.causes > 1)) {
      std::cerr << "--explain " << made.seed << " " << static_cast<int>(made.family) << " "
                << static_cast<int>(made.plant) << " first " << judged.first << " causes "
                << judged.causes << "\n";
    }
  };
  for (const Family family : kFamilies) {
    for (const Plant plant : kPlants) {
      for (uint64_t seed = 0; seed < seeds; ++seed) {
        add({seed, family, plant, false});
        add({seed, family, plant, true});
      }
    }
  }
  return table;
}

void Explain(const Case& made) {
  const std::optional<MadeCase> compared = CompareCase(made);
  if (!compared.has_value()) {
    std::cout << "this seed has no such case\n";
    return;
  }
  const Function& edited = compared->program.functions[compared->edited[0]];
  std::cout << NameOf(made.family) << ", " << NameOf(made.plant) << " in " << edited.name << " ("
            << edited.file << ":" << edited.line << ")\n";
  for (const v1::Finding& finding : compared->report.findings()) {
    if (finding.verdict() == v1::Finding::CANNOT_TELL) continue;
    std::cout << v1::Finding::Verdict_Name(finding.verdict()) << " "
              << v1::Finding::Metric_Name(finding.metric()) << " "
              << (finding.material() ? "" : "small ") << finding.caller() << " → "
              << finding.function() << " :" << finding.site().line() << " " << finding.before()
              << " → " << finding.after() << ", caller " << finding.caller_calls_before() << " → "
              << finding.caller_calls_after() << ", impact " << finding.impact() << ", follow";
    for (const std::string& name : finding.follows()) std::cout << " " << name;
    std::cout << "\n";
  }
}

}  // namespace
}  // namespace gprofhub::benchmarks

int main(int argc, char** argv) {
  using namespace gprofhub::benchmarks;
  CLI::App app("Causes on random programs with planted changes");
  uint64_t seeds = 60;
  std::string format = "table";
  std::vector<uint64_t> explain;
  bool list = false;
  app.add_option("--seeds", seeds, "of each family and kind of change");
  app.add_option("--format", format)->check(CLI::IsMember({"table", "json"}));
  app.add_option("--explain", explain, "seed, number of family, number of change")->expected(3);
  app.add_flag("--list", list, "name the tuned cases that are judged wrong");
  CLI11_PARSE(app, argc, argv);
  if (!explain.empty()) {
    Explain({explain[0], static_cast<Family>(explain[1]), static_cast<Plant>(explain[2]), false});
    return 0;
  }
  const Table table = Measure(seeds, list);
  format == "json" ? PrintJson(table) : PrintTable(table);
  return 0;
}
