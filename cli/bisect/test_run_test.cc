#include "cli/bisect/test_run.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/testing/parser_runs.h"
#include "profile/names.h"

namespace gprofhub::cli {

namespace {

// main calls parse, and parse calls next: from its own code and from a clone.
profile::ComputedProfile Program() {
  profile::ComputedProfile profile;
  profile.strings = {"", "main", "parse", "next", "next.constprop.0", "parse.part.0"};
  for (uint32_t name = 1; name < 6; ++name) {
    profile::FunctionCost function;
    function.name = name;
    profile.functions.push_back(function);
  }
  const auto call = [&](uint32_t caller, uint32_t callee, uint64_t count) {
    profile::ArcCost arc;
    arc.caller = caller;
    arc.callee = callee;
    arc.count = count;
    profile.arcs.push_back(arc);
    (caller == callee ? profile.functions[callee].self_calls : profile.functions[callee].calls) +=
        count;
  };
  const uint32_t kNobody = 5;
  call(0, 1, 2);        // main, parse
  call(1, 2, 30);       // parse, next
  call(1, 3, 4);        // parse, next's clone
  call(1, 4, 6);        // parse, its own part
  call(4, 2, 10);       // parse's part, next
  call(2, 2, 1);        // next, itself
  call(kNobody, 0, 1);  // main, from outside
  return profile;
}

TEST(CountCalls, SumsAFunctionAndItsClones) {
  EXPECT_EQ(CountCalls(Program(), {"t", "next", ""}), 45);
  EXPECT_EQ(CountCalls(Program(), {"t", "next.constprop.0", ""}), 45);
}

TEST(CountCalls, LeavesOutCallsToAFunctionsOwnClones) {
  EXPECT_EQ(CountCalls(Program(), {"t", "parse", ""}), 2);
}

TEST(CountCalls, OfOneCallerCountsThatCallersOnly) {
  EXPECT_EQ(CountCalls(Program(), {"t", "next", "parse"}), 44);
  EXPECT_EQ(CountCalls(Program(), {"t", "next", "main"}), 0);
  EXPECT_EQ(CountCalls(Program(), {"t", "main", std::string(profile::kSpontaneousName)}), 1);
}

TEST(CountCalls, IsZeroOfWhatIsNotThere) { EXPECT_EQ(CountCalls(Program(), {"t", "gone", ""}), 0); }

TEST(CountCalls, IsPerExecution) {
  profile::ComputedProfile twice = Program();
  twice.repetitions = 2;
  EXPECT_EQ(CountCalls(twice, {"t", "next", "parse"}), 22);
}

TEST(RunProgram, RunsInTheFolderAndLogsBothStreams) {
  const std::filesystem::path folder = EmptyTestFolder();
  const auto code = RunProgram({"sh", "-c", "pwd; echo oops >&2; exit 7"}, folder, folder / "log");
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_EQ(*code, 7);
  EXPECT_EQ(ReadTestFile(folder / "log"), std::filesystem::canonical(folder).string() + "\noops\n");
}

TEST(RunProgram, SaysWhichProgramIsNotThere) {
  const std::filesystem::path folder = EmptyTestFolder();
  const auto code = RunProgram({"no-such-program"}, folder, folder / "log");
  ASSERT_TRUE(absl::IsNotFound(code.status()));
  EXPECT_NE(code.status().message().find("no-such-program"), std::string::npos);
}

TEST(RunProgram, IsCancelledByASignal) {
  const std::filesystem::path folder = EmptyTestFolder();
  EXPECT_TRUE(absl::IsCancelled(
      RunProgram({"sh", "-c", "kill -TERM $$"}, folder, folder / "log").status()));
}

}  // namespace

}  // namespace gprofhub::cli
