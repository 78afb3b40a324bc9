// `gprofhub info` and `gprofhub gmon`, of a recording of testdata/parser.c.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/commands/gmon.h"
#include "cli/commands/info.h"
#include "cli/testing/command_line.h"

namespace gprofhub::cli {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr char kRecording[] = "cli/testdata/recorded.recording";

CommandResult Ask(const std::vector<std::string>& words) {
  return RunCommandLine({AddInfoCommand, AddGmonCommand}, words);
}

TEST(InfoCommand, SaysWhatARecordingHolds) {
  const CommandResult result = Ask({"info", kRecording});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  EXPECT_THAT(result.out, HasSubstr("recording: cli/testdata/recorded.recording\n"));
  EXPECT_THAT(result.out, HasSubstr("end: orderly\n"));
  EXPECT_THAT(result.out, HasSubstr("\nmodule: "));
}

TEST(InfoCommand, ScriptsGetTheSameAsJson) {
  const CommandResult result = Ask({"info", kRecording, kRecording, "--format=json"});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["recordings"].size(), 2u);
  const auto& recording = json["recordings"][0];
  EXPECT_EQ(recording["file"], kRecording);
  EXPECT_EQ(recording["ended_in_order"], true);
  EXPECT_TRUE(recording["rank"].is_null());
  EXPECT_TRUE(recording["user_seconds"].is_number());
  EXPECT_TRUE(recording["losses"].is_object());
  ASSERT_FALSE(recording["modules"].empty());
  for (const auto& module : recording["modules"]) {
    if (!module["is_program"]) continue;
    EXPECT_EQ(module["build_id"].get<std::string>().size(), 40u);
    EXPECT_GE(module["calls"], 10 + 80 + 160) << "of parse, next and read_token";
  }
}

TEST(GmonCommand, WritesAFilePerModuleAndPrintsItsName) {
  const fs::path folder = EmptyTestFolder() / "made/if/needed";
  const CommandResult result = Ask({"gmon", kRecording, kRecording, "--output-dir", folder});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  std::istringstream names(result.out);
  size_t files = 0;
  for (std::string name; std::getline(names, name); ++files) {
    EXPECT_EQ(ReadTestFile(name).substr(0, 4), "gmon") << name;
  }
  EXPECT_GE(files, 2u) << "the second recording's files have names of their own";
  EXPECT_EQ(Ask({"gmon", kRecording, "--output-dir", "/proc/none"}).exit_code, kExitFailure);
}

TEST(RecordingCommands, SayWhichFileIsWrong) {
  for (const std::string command : {"info", "gmon"}) {
    const std::string folder = EmptyTestFolder().string();
    std::vector<std::string> words = {command, "/nonexistent"};
    if (command == "gmon") words.insert(words.end(), {"--output-dir", folder});
    const CommandResult absent = Ask(words);
    EXPECT_EQ(absent.exit_code, kExitNotFound);
    EXPECT_THAT(absent.err, HasSubstr("/nonexistent"));
    words[1] = "/bin/true";
    const CommandResult other = Ask(words);
    EXPECT_EQ(other.exit_code, kExitFailure);
    EXPECT_THAT(other.err, HasSubstr("/bin/true"));
  }
}

}  // namespace
}  // namespace gprofhub::cli
