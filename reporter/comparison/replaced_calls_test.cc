#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "profile/computed.h"
#include "reporter/comparison/match_target.h"
#include "reporter/comparison/moved_calls.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

struct Call {
  std::string caller, callee;
  uint64_t count = 0;
  uint32_t line = 1;
};

// A program in which main calls run ten times, and its functions' code has this digest.
profile::ComputedProfile RunThat(const std::vector<Call>& calls, uint32_t code) {
  std::set<std::string> functions = {"main", "run"};
  for (const Call& call : calls) functions.insert({call.caller, call.callee});
  ProfileBuilder builder;
  for (const std::string& function : functions) builder.Function(function).Size(90).Code(code);
  builder.Arc("", "main", 1).Arc("main", "run", 10);
  uint64_t offset = 8;
  for (const Call& call : calls) {
    builder.Arc(call.caller, call.callee, call.count, call.line, offset += 8);
  }
  return builder.Build();
}

// The arcs of which base and head differ once the counts were restored, as "caller → callee 3 4".
std::vector<std::string> ChangedArcs(const std::vector<Call>& before,
                                     const std::vector<Call>& after, uint32_t code_after = 2) {
  const profile::ComputedProfile base = RunThat(before, 1), head = RunThat(after, code_after);
  MatchedTarget target = MatchTarget({&base, 1}, {&head, 1});
  RestoreReplacedCalls(target);
  std::vector<std::string> changed;
  for (const ArcPair& arc : target.arcs) {
    if (arc.before.sum == arc.after.sum) continue;
    changed.push_back(absl::StrCat(target.functions[arc.caller].name, " → ",
                                   target.functions[arc.callee].name, " ", arc.before.sum, " ",
                                   arc.after.sum));
  }
  return changed;
}

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<Call> kReadAndClean = {
    {"run", "read", 10}, {"read", "f", 40}, {"run", "clean", 10}, {"clean", "g", 50}};

TEST(RestoreReplacedCalls, WhatMergedFunctionsCallMoreBeganInTheNewOne) {
  EXPECT_THAT(
      ChangedArcs(kReadAndClean, {{"run", "both", 10}, {"both", "f", 70}, {"both", "g", 50}}),
      ElementsAre("both → f 40 70"));
}

TEST(RestoreReplacedCalls, WhatASplitFunctionCallsMoreBeganInOneOfItsParts) {
  const std::vector<Call> one = {{"run", "both", 10}, {"both", "f", 40}, {"both", "g", 50}};
  EXPECT_THAT(ChangedArcs(one, {{"run", "read", 10},
                                {"read", "f", 40},
                                {"run", "clean", 10},
                                {"clean", "g", 50},
                                {"clean", "f", 30}}),
              ElementsAre("clean → f 0 30"))
      << "read makes exactly the calls of before";
}

TEST(RestoreReplacedCalls, CallsThatTheCallerMakesNowAreItsOwn) {
  EXPECT_THAT(
      ChangedArcs(kReadAndClean, {{"run", "clean", 10}, {"clean", "g", 50}, {"run", "f", 60}}),
      ElementsAre("run → f 0 20"))
      << "read was inlined by hand";
}

TEST(RestoreReplacedCalls, AWrapperCallsWhatItsCallersDid) {
  EXPECT_THAT(ChangedArcs({{"run", "f", 30}}, {{"run", "wrap", 30}, {"wrap", "f", 45}}),
              ElementsAre("wrap → f 30 45"));
  EXPECT_THAT(ChangedArcs({{"run", "wrap", 30}, {"wrap", "f", 30}}, {{"run", "f", 50}}),
              ElementsAre("run → f 0 20"))
      << "the wrapper was removed";
}

TEST(RestoreReplacedCalls, OneOfSeveralCallersMayTakeOverTheWork) {
  const std::vector<Call> was = {{"run", "one", 10},  {"run", "two", 10}, {"one", "part", 10},
                                 {"two", "part", 20}, {"part", "f", 30},  {"part", "g", 60}};
  const std::vector<Call> is = {{"run", "one", 10}, {"run", "two", 10},  {"one", "f", 10},
                                {"one", "g", 20},   {"one", "g", 70, 9}, {"two", "part", 20},
                                {"part", "f", 20},  {"part", "g", 40}};
  EXPECT_THAT(ChangedArcs(was, is), ElementsAre("one → g 0 70"));
}

TEST(RestoreReplacedCalls, AFunctionThatDoesLessOrSomethingElseStaysNew) {
  EXPECT_THAT(
      ChangedArcs(kReadAndClean, {{"run", "both", 10}, {"both", "f", 30}, {"both", "g", 50}}),
      Contains("run → both 0 10"));
  EXPECT_THAT(
      ChangedArcs({{"run", "f", 30}},
                  {{"run", "f", 20}, {"run", "add", 10}, {"add", "f", 10}, {"add", "g", 900}}),
      Contains("run → add 0 10"));
}

TEST(RestoreReplacedCalls, CallersMustHaveBeenEdited) {
  const std::vector<Call> was = {{"run", "f", 30}};
  const std::vector<Call> is = {{"run", "wrap", 30}, {"wrap", "f", 45}};
  EXPECT_THAT(ChangedArcs(was, is, 1), Contains("run → wrap 0 30"))
      << "it was there, and not called";
  EXPECT_THAT(ChangedArcs(was, is, 0), Contains("run → wrap 0 30"));
}

TEST(RestoreReplacedCalls, WithoutAChangeOfTheWorkNothingIsRestored) {
  EXPECT_THAT(
      ChangedArcs(kReadAndClean, {{"run", "both", 10}, {"both", "f", 40}, {"both", "g", 50}}),
      Contains("run → both 0 10"))
      << "that it only moved is found from the counts as they are";
  EXPECT_THAT(ChangedArcs(kReadAndClean, kReadAndClean), IsEmpty());
}

}  // namespace
}  // namespace gprofhub::reporter
