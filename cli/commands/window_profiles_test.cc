// Windows of a program that runs, from the command line through a server in this process: they are
// runs that are looked at, and compared with nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands/diff.h"
#include "cli/commands/listing.h"
#include "cli/commands/report.h"
#include "cli/commands/runs.h"
#include "cli/commands/trend.h"
#include "cli/commands/upload.h"
#include "cli/testing/command_line.h"
#include "cli/testing/command_server.h"

namespace gprofhub::cli {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::Not;

// Built from testdata/parser.c: parse calls next 80 times.
constexpr char kProgram[] = "cli/testdata/recorded";

class WindowProfilesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = EmptyTestFolder();
    ASSERT_EQ(setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1), 0);
    fs::create_directories(folder_ / "store");
    server_ = CommandServer::Start(folder_ / "store");
    ASSERT_NE(server_, nullptr);
  }

  CommandResult Ask(const std::vector<std::string>& words) {
    return RunCommandLine({AddUploadCommand, AddRunsCommand, AddReportCommand, AddDiffCommand,
                           AddTrendCommand, AddListingCommand},
                          server_->Asked(words));
  }

  CommandResult Upload(const std::vector<std::string>& files,
                       const std::vector<std::string>& more = {}, char commit = 'a') {
    std::vector<std::string> words = {"upload",
                                      "--target",
                                      "//db:server",
                                      "--image",
                                      kProgram,
                                      "--commit",
                                      std::string(40, commit),
                                      "--branch",
                                      "main",
                                      "--configuration",
                                      "k8-opt",
                                      "--workspace",
                                      folder_.string()};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), files.begin(), files.end());
    const CommandResult result = Ask(words);
    server_->RunWorker();
    return result;
  }

  // A window as `gprofhub live PID windows` names it.
  std::string Window(const std::string& profile, const std::string& name) {
    const fs::path path = folder_ / name;
    fs::copy_file(profile, path, fs::copy_options::overwrite_existing);
    return path.string();
  }

  fs::path folder_;
  std::unique_ptr<CommandServer> server_;
};

TEST_F(WindowProfilesTest, EachIsARunThatIsLookedAt) {
  const std::string recording = Window("cli/testdata/recorded.recording", "db.7.1.gprofhub-window");
  const std::string gmon = Window("cli/testdata/recorded.gmon", "db.7.2.gprofhub-window");
  const CommandResult sent = Upload({recording, gmon}, {"--window"});
  ASSERT_EQ(sent.exit_code, kExitOk) << sent.err;

  const CommandResult windows = Ask({"runs", "--windows", "--format=json"});
  ASSERT_EQ(windows.exit_code, kExitOk) << windows.err;
  EXPECT_THAT(windows.out, HasSubstr("\"run_id\": \"1\""));
  EXPECT_THAT(windows.out, HasSubstr("\"run_id\": \"2\""));
  EXPECT_THAT(windows.out, HasSubstr("\"profile_kind\": \"window\""));
  EXPECT_THAT(Ask({"runs", "--windows"}).out, HasSubstr("analysed, window"));
  EXPECT_THAT(Ask({"runs"}).out, Not(HasSubstr("main"))) << "minutes would hide the tests' runs";

  const CommandResult listing = Ask({"listing", "1"});
  ASSERT_EQ(listing.exit_code, kExitOk) << listing.err;
  EXPECT_THAT(listing.out, HasSubstr("next"));
}

TEST_F(WindowProfilesTest, AreComparedWithNothing) {
  const std::string window = Window("cli/testdata/recorded.recording", "db.7.1.gprofhub-window");
  ASSERT_EQ(Upload({window}, {"--window"}).exit_code, kExitOk);
  ASSERT_EQ(Upload({"cli/testdata/recorded.recording"},
                   {"--base-commit", std::string(40, 'a'), "--pull-request", "7"}, 'b')
                .exit_code,
            kExitOk);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"report", "1"}, {"diff", "1", "2"}, {"diff", "2", "1"}}) {
    const CommandResult refused = Ask(words);
    EXPECT_EQ(refused.exit_code, kExitFailure) << words[0];
    EXPECT_THAT(refused.err, HasSubstr("run 1 is a window of a program that runs")) << words[0];
  }
  const CommandResult report = Ask({"report", "2"});
  EXPECT_EQ(report.exit_code, kExitOk) << report.err;
  EXPECT_THAT(report.out, HasSubstr("none: no run of the main branch"));
}

TEST_F(WindowProfilesTest, HaveNoTrend) {
  const std::string window = Window("cli/testdata/recorded.recording", "db.7.1.gprofhub-window");
  ASSERT_EQ(Upload({window}, {"--window"}).exit_code, kExitOk);
  EXPECT_EQ(Ask({"trend", "next"}).exit_code, kExitNotFound);
}

TEST_F(WindowProfilesTest, SentTwiceIsOneRun) {
  const std::string window = Window("cli/testdata/recorded.recording", "db.7.1.gprofhub-window");
  ASSERT_EQ(Upload({window}, {"--window"}).exit_code, kExitOk);
  ASSERT_EQ(Upload({window}, {"--window"}).exit_code, kExitOk);
  EXPECT_THAT(Ask({"runs", "--windows", "--format=json"}).out, Not(HasSubstr("\"run_id\": \"2\"")));
}

TEST_F(WindowProfilesTest, NeedsFilesAndNoReport) {
  EXPECT_EQ(Ask({"upload", "--window", "--bep", "x"}).exit_code, kExitUsage);
  EXPECT_EQ(Upload({"cli/testdata/recorded.recording"}, {"--window", "--report"}).exit_code,
            kExitUsage);
}

}  // namespace
}  // namespace gprofhub::cli
