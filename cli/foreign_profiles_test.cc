// glibc's own profiles, names of local functions, and functions that a linker folded: the same
// calls in `gprof`, in local comparisons and on the server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/client/profiles.h"
#include "cli/testing/parser_runs.h"
#include "profile/gmon/reader.h"
#include "profile/gmon/writer.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

constexpr char kCallers[] = "cli/testdata/callers";
constexpr char kDotted[] = "cli/testdata/dotted";

// Counts by caller and callee.
using Calls = std::map<std::pair<std::string, std::string>, uint64_t>;

const Calls kOfCallers = {
    {{"main", "before"}, 1},   {{"main", "last"}, 1},    {{"main", "through"}, 1},
    {{"early", "work"}, 100},  {{"last", "work"}, 1},    {{"next", "other"}, 7},
    {{"aligned", "other"}, 5}, {{"pointed", "work"}, 3},
};

std::string RunGprof(const std::vector<std::string>& words) {
  std::string command = "cli/gprofhub gprof";
  for (const std::string& word : words) absl::StrAppend(&command, " '", word, "'");
  FILE* const output = popen(command.c_str(), "r");
  EXPECT_NE(output, nullptr);
  std::string text;
  char part[4096];
  while (const size_t size = fread(part, 1, sizeof part, output)) text.append(part, size);
  EXPECT_EQ(pclose(output), 0) << command;
  return text;
}

Calls CallsIn(const std::string& json) {
  const auto profile = nlohmann::json::parse(json);
  std::map<int, std::string> names;
  for (const auto& function : profile["functions"]) names[function["id"]] = function["name"];
  Calls calls;
  for (const auto& call : profile["calls"]) {
    calls[{names[call["caller"]], names[call["callee"]]}] += call["count"].get<uint64_t>();
  }
  return calls;
}

Calls LocalCalls(const std::string& gmon, const std::string& image) {
  const auto runs = ReadLocalRuns(gmon, image);
  EXPECT_TRUE(runs.ok()) << runs.status();
  if (!runs.ok()) return {};
  const profile::ComputedProfile& run = runs->front();
  const auto name = [&](uint32_t row) {
    return row < run.functions.size() ? std::string(run.strings[run.functions[row].name]) : "";
  };
  Calls calls;
  for (const profile::ArcCost& arc : run.arcs)
    calls[{name(arc.caller), name(arc.callee)}] += arc.count;
  return calls;
}

TEST(GlibcProfiles, CallsAreOfTheFunctionsThatMadeThem) {
  const std::string gmon = absl::StrCat(kCallers, ".gmon");
  EXPECT_EQ(CallsIn(RunGprof({"--format=json", kCallers, gmon})), kOfCallers);
  EXPECT_EQ(LocalCalls(gmon, kCallers), kOfCallers);
  EXPECT_THAT(RunGprof({"-b", "-q", kCallers, gmon}), HasSubstr("100/104         early"));
}

// Writes a file as glibc does, with one of the calls.
void WriteOneCall(const std::string& gmon, const profile::RawArc& arc, bool is_exact) {
  profile::RawProfile profile;
  profile.arcs = {arc};
  std::string bytes = profile::WriteGmon(profile, {}).value_or("");
  if (!is_exact) bytes.replace(8, 12, 12, '\0');
  std::ofstream(gmon, std::ios::binary) << bytes;
}

TEST(GlibcProfiles, OneCallIsEnough) {
  const std::string one = (EmptyTestFolder() / "gmon.one").string();
  const auto all = profile::ReadGmon(ReadTestFile(absl::StrCat(kCallers, ".gmon")), "gmon");
  ASSERT_TRUE(all.ok());
  Calls calls;
  for (const profile::RawArc& arc : all->arcs) {
    WriteOneCall(one, arc, /*is_exact=*/false);
    const Calls local = LocalCalls(one, kCallers);
    EXPECT_EQ(CallsIn(RunGprof({"--format=json", kCallers, one})), local);
    calls.insert(local.begin(), local.end());
  }
  EXPECT_EQ(calls, kOfCallers);
}

TEST(GlibcProfiles, AnExactCallIsNotMoved) {
  const std::string one = (EmptyTestFolder() / "gmon.one").string();
  const auto all = profile::ReadGmon(ReadTestFile(absl::StrCat(kCallers, ".gmon")), "gmon");
  ASSERT_TRUE(all.ok());
  for (const profile::RawArc& arc : all->arcs) {
    if (arc.count != 100) continue;
    WriteOneCall(one, arc, /*is_exact=*/true);
    const Calls exact = {{{"before", "work"}, 100}};
    EXPECT_EQ(LocalCalls(one, kCallers), exact);
    EXPECT_EQ(CallsIn(RunGprof({"--format=json", kCallers, one})), exact);
  }
}

class ForeignProfilesOnServer : public UploadsTest {};

TEST_F(ForeignProfilesOnServer, HaveTheSameCalls) {
  const CommandResult sent =
      Upload("//:callers_test", kCallers, 'a', {absl::StrCat(kCallers, ".gmon")});
  ASSERT_EQ(sent.exit_code, kExitOk) << sent.err;
  const CommandResult listing = Ask({"listing", "--format=json"});
  ASSERT_EQ(listing.exit_code, kExitOk) << listing.err;
  EXPECT_EQ(CallsIn(listing.out), kOfCallers);
}

TEST(DottedNames, AreFunctionsOfTheirOwnInExports) {
  const std::string gmon = absl::StrCat(kDotted, ".gmon");
  const Calls calls = {{{"main", "main._omp_fn.0"}, 1},
                       {{"main", "task.actor"}, 2},
                       {{"main", "task.destroy"}, 3},
                       {{"main", "task.resume"}, 4},
                       {{"main", "sum.avx2"}, 5},
                       {{"main", "sum.default"}, 6},
                       {{"main", "read.lto_priv.0"}, 7},
                       {{"main", "read.isra.0"}, 8},
                       {{"main", "read.part.0"}, 9},
                       {{"main", "read.cold"}, 10},
                       {{"main", "read.llvm.123"}, 11},
                       {{"main", "read.__uniq.71"}, 12},
                       {{"main", "work() [clone .constprop.0]"}, 13},
                       {{"main", "task() [clone .actor]"}, 14}};
  EXPECT_EQ(CallsIn(RunGprof({"--format=json", kDotted, gmon})), calls);
  const std::string callgrind = RunGprof({"--format=callgrind", kDotted, gmon});
  for (const auto& [ends, count] : calls) EXPECT_THAT(callgrind, HasSubstr(ends.second));
  EXPECT_THAT(RunGprof({"-b", "-q", kDotted, gmon}), Not(HasSubstr("task.actor")))
      << "as in GNU gprof";
}

TEST(FoldedFunctions, AreOneFunctionUnderAllTheirNames) {
  const fs::path folder = EmptyTestFolder();
  std::vector<std::string> runs;
  for (const std::string program : {"unfolded", "folded_by_lld", "folded_by_gold"}) {
    const fs::path run = folder / program;
    fs::create_directories(run);
    fs::copy_file(absl::StrCat("cli/testdata/", program), run / "program");
    fs::copy_file(absl::StrCat("cli/testdata/", program, ".gmon"), run / "gmon.out");
    runs.push_back(run.string());
  }
  for (const std::string& base : runs) {
    for (const std::string& head : runs) {
      const CommandResult diff = AskForProfiles({"diff", base, head, "--format=json"});
      ASSERT_EQ(diff.exit_code, kExitOk) << diff.err;
      for (const auto& finding : nlohmann::json::parse(diff.out)["findings"]) {
        EXPECT_NE(finding["metric"], "calls") << base << " " << head << " " << finding.dump(1);
      }
    }
  }
}

TEST(FoldedFunctions, HaveAllTheirNamesInListings) {
  constexpr char kProgram[] = "cli/testdata/folded_by_lld";
  const std::string gmon = absl::StrCat(kProgram, ".gmon");
  EXPECT_THAT(RunGprof({"-b", "-p", "--exact-clones", kProgram, gmon}),
              HasSubstr("add_a (also add_b)\n"));
  EXPECT_THAT(RunGprof({"-b", "-p", kProgram, gmon}), Not(HasSubstr("also"))) << "as in GNU gprof";
}

TEST_F(ForeignProfilesOnServer, FoldedFunctionsHaveAllTheirNames) {
  constexpr char kProgram[] = "cli/testdata/folded_by_lld";
  const CommandResult sent =
      Upload("//:folded_test", kProgram, 'a', {absl::StrCat(kProgram, ".gmon")});
  ASSERT_EQ(sent.exit_code, kExitOk) << sent.err;
  EXPECT_THAT(Ask({"listing", "-p", "-b"}).out, HasSubstr("add_a (also add_b)\n"));
}

TEST(FoldedFunctions, HaveAllTheirNamesInJson) {
  const auto profile = nlohmann::json::parse(
      RunGprof({"--format=json", "cli/testdata/folded_by_lld", "cli/testdata/folded_by_lld.gmon"}));
  std::vector<std::string> names;
  for (const auto& function : profile["functions"]) {
    if (function["name"] == "add_a") names = function["aliases"].get<std::vector<std::string>>();
  }
  EXPECT_THAT(names, testing::ElementsAre("add_b"));
}

}  // namespace

}  // namespace gprofhub::cli
