#include "cli/bisect/state.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "cli/testing/command_line.h"

namespace gprofhub::cli {
namespace {

const Setting kSetting = {{"//db:test", "parse", "main"}, "gprof", {"-c", "opt"}};

std::string StateFile() { return EmptyTestFolder() / "state.json"; }

TEST(State, SurvivesItsFile) {
  const std::string path = StateFile();
  State state = {kSetting, {{"aa", {{10, 12.5}, ""}}, {"bb", {{}, "it does not build"}}}};
  ASSERT_TRUE(WriteState(path, state).ok());
  const auto read = ReadState(path, kSetting);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->setting, kSetting);
  EXPECT_EQ(read->measured.at("aa").counts, (std::vector<double>{10, 12.5}));
  EXPECT_EQ(read->measured.at("bb").skipped, "it does not build");
  EXPECT_EQ(StateJson(*read), StateJson(state));
}

TEST(State, IsEmptyWithoutAFile) {
  const auto state = ReadState(StateFile(), kSetting);
  ASSERT_TRUE(state.ok());
  EXPECT_TRUE(state->measured.empty());
}

TEST(State, OfAnotherSearchIsRefused) {
  const std::string path = StateFile();
  ASSERT_TRUE(WriteState(path, {kSetting, {}}).ok());
  Setting other = kSetting;
  other.bazel_options.clear();
  EXPECT_TRUE(absl::IsFailedPrecondition(ReadState(path, other).status()));
  EXPECT_NE(StateFileName(other), StateFileName(kSetting));
}

TEST(State, RefusesEverythingElse) {
  for (const char* text :
       {"", "{", "[]", "{\"schema\": 1}", "{\"schema\": 2, \"setting\": {}, \"measured\": []}",
        R"({"schema": 1, "setting": {"target": 1}, "measured": []})",
        R"({"schema": 1, "setting": {"target": "t", "function": "f", "caller": "", "config": "c",
            "bazel_options": []}, "measured": [{"commit": "aa", "counts": [], "skipped": ""}]})",
        R"({"schema": 1, "setting": {"target": "t", "function": "f", "caller": "", "config": "c",
            "bazel_options": []}, "measured": [{"commit": 7, "counts": [1], "skipped": ""}]})"}) {
    const auto state = ParseState(text, "state.json");
    EXPECT_TRUE(absl::IsInvalidArgument(state.status())) << text;
    EXPECT_NE(state.status().message().find("--reset"), std::string::npos);
  }
}

TEST(Remembered, MeasuresACommitOnce) {
  const std::string path = StateFile();
  State state = {kSetting, {}};
  int measured = 0;
  const Measure measure = [&](const std::string& commit,
                              uint32_t runs) -> absl::StatusOr<Measurement> {
    ++measured;
    if (commit == "bad") return Measurement{{}, "it does not build"};
    return Measurement{std::vector<double>(runs, 7), ""};
  };
  const Measure remembered = Remembered(path, state, measure);
  EXPECT_EQ(remembered("aa", 2)->counts.size(), 2u);
  EXPECT_EQ(remembered("aa", 1)->counts.size(), 2u);
  EXPECT_EQ(remembered("bad", 2)->skipped, "it does not build");
  EXPECT_EQ(remembered("bad", 5)->skipped, "it does not build");
  EXPECT_EQ(measured, 2);
  EXPECT_EQ(remembered("aa", 3)->counts.size(), 3u);
  EXPECT_EQ(measured, 3);
  EXPECT_EQ(ReadState(path, kSetting)->measured.size(), 2u);
}

// State after a kill: some commits in the file, and an empty memory.
TEST(Remembered, GoesOnWhereASearchWasKilled) {
  const std::string path = StateFile();
  std::vector<std::string> line;
  for (int i = 0; i < 17; ++i) line.push_back(std::to_string(i));
  std::vector<std::string> built;
  size_t killed_at = 4;
  const Measure measure = [&](const std::string& commit,
                              uint32_t runs) -> absl::StatusOr<Measurement> {
    if (built.size() == killed_at) return absl::CancelledError("killed");
    built.push_back(commit);
    return Measurement{std::vector<double>(runs, std::stoi(commit) < 11 ? 1 : 9), ""};
  };
  State first = {kSetting, {}};
  ASSERT_TRUE(absl::IsCancelled(Bisect(line, Remembered(path, first, measure), {}).status()));
  killed_at = 1000;
  State second = *ReadState(path, kSetting);
  const auto found = Bisect(line, Remembered(path, second, measure), {});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->range.first_new, 11u);
  // In all, each commit was built once.
  EXPECT_EQ(std::set<std::string>(built.begin(), built.end()).size(), built.size());
  EXPECT_EQ(built.size(), found->tested.size());
}

}  // namespace
}  // namespace gprofhub::cli
