// Net verdicts: what a comparison means for each test as a whole.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"
#include "reporter/findings/function_rows.h"

namespace gprofhub::reporter {

enum class TestVerdict {
  kSlower,
  kFaster,
  kSame,          // shown to be within the minimum effect
  kUnconfirmed,   // slower in one run
  kInconclusive,  // too few samples or runs
  kCountsOnly,    // no time that can be compared: only counts were
  kNew,           // only the head has it
  kVanished,      // only the base has it
  kNotCompared,   // its data is missing or incomplete
  kUnchanged,     // the base's binary or result: nothing to compare
};

// Whether the row is a cause, and its direction.
bool IsRegression(const FunctionRow& row);
bool IsImprovement(const FunctionRow& row);

// Causes of one direction.
struct Effects {
  size_t count = 0;
  // Of the largest, in percent of the test's time at the base. 0: no share of time is known.
  double largest_percent = 0;

  // Adds a cause (FunctionRow.effect_percent).
  void Add(std::optional<double> percent);
};

// "2 regressions (largest +12%)"; empty without causes.
std::string EffectsWords(const Effects& effects, absl::string_view noun);

// One test of a comparison. Times are per execution.
struct TestSummary {
  std::string target;  // not escaped
  TestVerdict verdict = TestVerdict::kCountsOnly;
  // Seconds of CPU. The head's are divided by speed_factor, so that base, head, change and verdict
  // agree. Unset: not sampled, or sampled in another dimension.
  std::optional<double> base_seconds;
  std::optional<double> head_seconds;
  // Slowdown of the head's machines. 1: unknown, or no difference.
  double speed_factor = 1;
  // Whether the test was sampled in instructions, not in time.
  bool instructions = false;
  // Change of the whole test and its interval, in percent. Set where the verdict is slower, faster,
  // same or inconclusive.
  std::optional<double> change_percent;
  double interval_low_percent = 0;
  double interval_high_percent = 0;
  Effects regressions;
  Effects improvements;
};

// All tests of the report, most important first: slower ones, those with a regression, faster ones,
// then the others.
std::vector<TestSummary> SummarizeTests(const v1::Report& report);

// Time of one side, for a table: "662 ms"; "–" if unknown.
std::string SecondsWords(const std::optional<double>& seconds);

// The verdict without the target: "−23% CPU", "same CPU (−1.0% to +2.0%)", "CPU inconclusive
// (+2.0%)", "new", "only in the base", "not compared", "same binary", "CPU not sampled".
std::string VerdictWords(const TestSummary& test);

// "1 improvement (−20%), 2 regressions (largest +1.8%)"; empty without causes.
std::string CauseCountWords(const TestSummary& test);

// "//query:query_test −23% CPU: 1 improvement (−20%), 1 regression (+1.8%)". The target is not
// escaped.
std::string NetVerdict(const TestSummary& test);

}  // namespace gprofhub::reporter
