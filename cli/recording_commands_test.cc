// `gprofhub info`, `gprofhub gmon` and `gprofhub window`, of a recording of testdata/parser.c.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/client/output.h"
#include "cli/commands.h"
#include "cli/testing/parser_runs.h"
#include "profile/testing/sample_profile.h"
#include "profile/testing/shared_file.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr char kRecording[] = "cli/testdata/recorded.recording";

CommandResult Ask(const std::vector<std::string>& words) {
  return RunCommandLine({AddInfoCommand, AddGmonCommand, AddWindowCommand}, words);
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

TEST(InfoCommand, DescribesTheEnvironment) {
  profile::RecordingBuilder builder;
  const fs::path folder = EmptyTestFolder();
  const std::string old = (folder / "old.gprofhub").string();
  ASSERT_TRUE(WriteFile(old, builder.Bytes()).ok());
  gprofhub_environment& environment = builder.header.environment;
  std::strcpy(environment.architecture, "x86_64");
  std::strcpy(environment.emulator, "qemu-x86_64");
  std::strcpy(environment.features, "AVX AVX2");
  std::strcpy(environment.tunables, "glibc.cpu.hwcaps=-\x1b[2J");
  environment.processors = 3;
  const std::string file = (folder / "p.gprofhub").string();
  ASSERT_TRUE(WriteFile(file, builder.Bytes()).ok());
  EXPECT_THAT(
      Ask({"info", file}).out,
      HasSubstr("\narchitecture: x86_64\nemulator: qemu-x86_64\nprocessor features: AVX "
                "AVX2\nGLIBC_TUNABLES: glibc.cpu.hwcaps=-\\033[2J\nprocessors allowed: 3\n"));
  const CommandResult result = Ask({"info", file, old, "--format=json"});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  const auto json = nlohmann::json::parse(result.out)["recordings"];
  EXPECT_EQ(json[0]["environment"]["features"], "AVX AVX2");
  EXPECT_EQ(json[0]["environment"]["processors"], 3);
  EXPECT_TRUE(json[1]["environment"].is_null());
}

TEST(InfoCommand, ListsTheProcessesOfASharedFile) {
  profile::SharedFile shared;
  shared.Add(ReadTestFile(kRecording), 7);
  shared.Add(ReadTestFile(kRecording), 8);
  const fs::path folder = EmptyTestFolder();
  const std::string file = (folder / "processes.gprofhub").string();
  ASSERT_TRUE(WriteFile(file, shared.bytes()).ok());
  const CommandResult result = Ask({"info", file, "--format=json"});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["recordings"].size(), 2u);
  EXPECT_EQ(json["recordings"][0]["pid"], 7);
  EXPECT_EQ(json["recordings"][1]["pid"], 8);
  EXPECT_EQ(json["recordings"][1]["file"], (folder / "recorded.8.gprofhub").string());
  EXPECT_EQ(Ask({"gmon", file, "--output-dir", folder}).exit_code, kExitOk);
  const CommandResult window = Ask({"window", file, "--output", folder / "w"});
  EXPECT_THAT(window.err, HasSubstr("has the recordings of 2 processes"));
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

// A recording with 9 calls: 4 until mark 6, 3 until mark 7, and 2 since.
std::string WriteMarkedRecording() {
  profile::RecordingBuilder builder;
  builder.header.start_seconds = 1000;
  builder.header.marks_taken = 7;
  builder.header.marks[5 % GPROFHUB_MARKS] = {6, 1060'000'000'000, {}};
  builder.header.marks[6 % GPROFHUB_MARKS] = {7, 1120'000'000'000, {}};
  builder.Add<gprofhub_module>(GPROFHUB_MODULES,
                               {profile::ModuleRecord("/bin/p", 0x10000, 0x20000, 0x10000)});
  builder.AddTable(GPROFHUB_ARCS, {{0x10100, 0x10200, 9, 0}});
  std::vector<uint64_t> marks(GPROFHUB_MARKS * (1 + GPROFHUB_PROBE_SLOTS));
  marks[5 % GPROFHUB_MARKS * (1 + GPROFHUB_PROBE_SLOTS)] = 4;
  marks[6 % GPROFHUB_MARKS * (1 + GPROFHUB_PROBE_SLOTS)] = 7;
  builder.AddMarks(marks);
  const std::string path = (EmptyTestFolder() / "p.7.gprofhub").string();
  EXPECT_TRUE(WriteFile(path, builder.Bytes()).ok());
  return path;
}

nlohmann::json InfoOf(const std::string& path) {
  const CommandResult result = Ask({"info", path, "--format=json"});
  EXPECT_EQ(result.exit_code, kExitOk) << result.err;
  return nlohmann::json::parse(result.out)["recordings"][0];
}

TEST(WindowCommand, CutsARecordingAtItsMarks) {
  const std::string recording = WriteMarkedRecording();
  EXPECT_EQ(InfoOf(recording)["marks"][1]["number"], 7);
  EXPECT_EQ(InfoOf(recording)["marks"][1]["time"], "1970-01-01T00:18:40+00:00");
  EXPECT_THAT(Ask({"info", recording}).out, HasSubstr("mark: 6, 1970-01-01T00:17:40+00:00\n"));
  const std::string window = recording + "-window";
  const auto calls_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"window", recording, "--output", window});
    const CommandResult result = Ask(words);
    EXPECT_EQ(result.exit_code, kExitOk) << result.err;
    EXPECT_EQ(result.out, window + "\n");
    return InfoOf(window)["modules"][0]["calls"].get<int>();
  };
  EXPECT_EQ(calls_of({}), 5);  // since the last mark but one
  EXPECT_EQ(calls_of({"--since", "6", "--until", "7"}), 3);
  EXPECT_EQ(InfoOf(window)["window_seconds"], 60);
  EXPECT_EQ(InfoOf(window)["started"], "1970-01-01T00:17:40+00:00");
  EXPECT_EQ(calls_of({"--since", "7"}), 2);
  EXPECT_EQ(calls_of({"--since", "0", "--until", "6"}), 4);
}

TEST(WindowCommand, SaysWhatThereIsNot) {
  const std::string recording = WriteMarkedRecording();
  const std::string window = recording + "-window";
  const CommandResult gone = Ask({"window", recording, "--since", "5", "--output", window});
  EXPECT_EQ(gone.exit_code, kExitNotFound);
  EXPECT_THAT(gone.err, HasSubstr(": no mark 5"));
  const CommandResult none = Ask({"window", kRecording, "--output", window});
  EXPECT_EQ(none.exit_code, kExitNotFound);
  EXPECT_THAT(none.err, HasSubstr("GPROFHUB_WINDOW"));
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
