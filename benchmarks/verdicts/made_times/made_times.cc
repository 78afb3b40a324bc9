// Power and false discoveries of the judgement of times, on simulated samples. made_samples.cc
// lists the assumptions. Prints a table.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "benchmarks/verdicts/made_times/made_samples.h"
#include "reporter/comparison/measure_times.h"

namespace gprofhub::benchmarks {
namespace {

struct Sums {
  size_t cases = 0, found = 0;
};

// One-sided quantile of the normal distribution for a level of 1%.
constexpr double kLevel = 2.326;

// Power of an ideal test of the edited function alone, against zero: it knows which function was
// edited, and how much its time varies. No test of the same samples has more.
double IdealPower(double effect, double error) {
  return std::erfc((kLevel - std::log1p(effect) / error) / std::sqrt(2.0)) / 2;
}

struct Row {
  Sums all;
  double ideal = 0;  // sum over the cases
  std::vector<Sums> by_samples = std::vector<Sums>(4);
  size_t discoveries = 0, false_ones = 0, alarmed = 0;
};

// At a thousand samples a second, for any rate: functions of the same time share a band.
size_t BandOf(double samples_at_1000) {
  return samples_at_1000 >= 1000 ? 0 : samples_at_1000 >= 300 ? 1 : samples_at_1000 >= 100 ? 2 : 3;
}

void Add(uint64_t seed, double effect, const Design& design, Row& row) {
  MadeTimes made;
  MakeTimes(seed, effect, design, made);
  std::vector<reporter::TargetTimes*> targets;
  for (reporter::TargetTimes& target : made.targets) targets.push_back(&target);
  reporter::JudgeTimes(targets, reporter::TimeOptions());
  bool found = false, alarmed = false;
  for (const reporter::TargetTimes& target : made.targets) {
    for (const reporter::FunctionTime& time : target.self) {
      if (!time.test.changed) continue;
      alarmed = true;
      ++row.discoveries;
      if (time.function == 0 && time.test.effect > 0 && effect > 0) {
        found = true;
      } else {
        ++row.false_ones;
      }
    }
  }
  row.alarmed += alarmed;
  row.ideal += IdealPower(effect, made.least_error);
  Sums& band = row.by_samples[BandOf(made.samples * 1000 / design.rate)];
  for (Sums* sums : {&row.all, &band}) {
    ++sums->cases;
    sums->found += found;
  }
}

double Percent(size_t part, size_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string Cell(const Sums& sums) {
  char text[40];
  std::snprintf(text, sizeof text, "%.0f%%", Percent(sums.found, sums.cases));
  return sums.cases == 0 ? "–" : text;
}

struct Seeds {
  uint64_t first = 0, count = 1000;
};

const char* NameOf(Code code) {
  switch (code) {
    case Code::kUnknown:
      return "not known";
    case Code::kChanged:
      return "of three functions";
    case Code::kSame:
      return "of none";
  }
  return "";
}

void Print(const Seeds& seeds, double effect, const Design& design) {
  Row row;
  for (uint64_t i = 0; i < seeds.count; ++i) Add(seeds.first + i, effect, design, row);
  std::printf("| %.0f%% | %zu v %zu | %.0f Hz | %s | %zu |", 100 * effect, design.base_runs,
              design.head_runs, design.rate, NameOf(design.code), design.targets);
  if (effect > 0) {
    for (const Sums& band : row.by_samples) std::printf(" %s |", Cell(band).c_str());
    std::printf(" %s | %.0f%% | %.1f%% |\n", Cell(row.all).c_str(),
                100 * row.ideal / static_cast<double>(row.all.cases),
                Percent(row.false_ones, row.discoveries));
  } else {
    std::printf(" | | | | | | alarms in %zu of %llu |\n", row.alarmed,
                static_cast<unsigned long long>(seeds.count));
  }
}

}  // namespace
}  // namespace gprofhub::benchmarks

int main(int argc, char** argv) {
  using gprofhub::benchmarks::Code;
  using gprofhub::benchmarks::Design;
  CLI::App app("Power of the judgement of times on samples that are drawn");
  gprofhub::benchmarks::Seeds seeds;
  app.add_option("--cases", seeds.count, "of each row");
  app.add_option("--first-seed", seeds.first, "others draw other programs and runs");
  CLI11_PARSE(app, argc, argv);
  std::printf(
      "| slower by | runs | rate | changed code | tests | 1 s a run or more | 0.3 s to 1 s | 0.1 s "
      "to "
      "0.3 s | less | all of 2%% and more | ideal | false "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  const Design designs[] = {{250, 5, 5, 1, Code::kUnknown},   {1000, 5, 5, 1, Code::kUnknown},
                            {1000, 5, 5, 1, Code::kChanged},  {2000, 5, 5, 1, Code::kChanged},
                            {4000, 5, 5, 1, Code::kUnknown},  {4000, 5, 5, 1, Code::kChanged},
                            {4000, 5, 8, 1, Code::kChanged},  {4000, 8, 8, 1, Code::kChanged},
                            {4000, 30, 3, 1, Code::kChanged}, {4000, 5, 5, 4, Code::kChanged}};
  for (const double effect : {0.0, 0.05, 0.1, 0.2, 0.5}) {
    for (const Design& design : designs) gprofhub::benchmarks::Print(seeds, effect, design);
  }
  for (const double rate : {1000, 2000, 4000}) {
    gprofhub::benchmarks::Print(seeds, 0, {rate, 5, 5, 1, Code::kSame});
  }
  gprofhub::benchmarks::Print(seeds, 0, {4000, 5, 5, 4, Code::kSame});
  return 0;
}
