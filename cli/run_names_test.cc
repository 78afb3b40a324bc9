// Names of runs, pages of comparisons and completion, with a server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/command/command_line.h"
#include "cli/commands.h"
#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {

namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class RunNamesTest : public ParserRunsTest {
 protected:
  void SetUp() override {
    ParserRunsTest::SetUp();
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
  }

  CommandResult Open(const std::vector<std::string>& words) {
    return RunCommandLine({AddOpenCommand}, server_->Asked(words));
  }

  // The words that are offered for the last one of `words`.
  std::string Completed(const std::vector<std::string>& words) {
    CLI::App app("gprofhub");
    PrepareApp(app);
    CommandMain run;
    AddReportCommand(app, run);
    AddTrendCommand(app, run);
    AddListingCommand(app, run);
    std::vector<std::string> asked(words.begin(), words.end() - 1);
    asked = server_->Asked(asked);
    asked.push_back(words.back());
    testing::internal::CaptureStdout();
    EXPECT_EQ(PrintCompletions(app, asked), kExitOk);
    std::string offered;
    std::string text = testing::internal::GetCapturedStdout();
    for (size_t line = 0; line < text.size(); line = text.find('\n', line) + 1) {
      offered += text.substr(line, text.find('\t', line) - line) + " ";
    }
    return offered;
  }
};

TEST_F(RunNamesTest, EveryCommandTakesThem) {
  UploadBoth();
  const std::string latest = Run({"report", "latest"}).out;
  for (const char* name : {"2", "bbbbbbb", "latest~0", "feature", "#12"}) {
    EXPECT_EQ(Run({"report", name}).out, latest) << name;
    EXPECT_EQ(Run({"listing", name}).exit_code, kExitOk) << name;
    EXPECT_EQ(Run({"order", name}).exit_code, kExitOk) << name;
    EXPECT_EQ(Run({"diff", "latest~1", name}).exit_code, kExitOk) << name;
  }
  for (const char* name : {"3", "ccccccc", "latest~2", "no-such-branch", "#17", "main~1"}) {
    EXPECT_EQ(Run({"report", name}).exit_code, kExitNotFound) << name;
  }
  EXPECT_THAT(Run({"order", "no-such-folder"}).err, HasSubstr("no local path is named no-such"));
}

TEST_F(RunNamesTest, OpenPrintsThePageOfTheComparison) {
  UploadBoth();
  EXPECT_EQ(Open({"open"}).out, "https://pages.example/p/default/compare/2\n");
  EXPECT_EQ(Open({"open", "latest~1"}).out, "https://pages.example/p/default/compare/1\n");
  EXPECT_EQ(Open({"open", "--base", "latest~1"}).out,
            "https://pages.example/p/default/compare/2?base=1\n");
  EXPECT_EQ(Open({"open", "7"}).exit_code, kExitNotFound);
  EXPECT_THAT(Run({"report"}).out, EndsWith("\n\nhttps://pages.example/p/default/compare/2\n"));
  EXPECT_THAT(Run({"report", "--format=markdown"}).out, Not(HasSubstr("pages.example")));
}

TEST_F(RunNamesTest, CompletionAsksTheServer) {
  UploadBoth();
  EXPECT_THAT(Completed({"report", ""}), StartsWith("latest 2 bbbbbbbbbb 1 aaaaaaaaaa "));
  EXPECT_EQ(Completed({"report", "--base", "aa"}), "aaaaaaaaaa ");
  EXPECT_EQ(Completed({"report", "--base=aa"}), "--base=aaaaaaaaaa ");
  EXPECT_EQ(Completed({"trend", "read_"}), "read_token ");
  EXPECT_THAT(Completed({"listing", "--target", ""}), Not(IsEmpty()));
  EXPECT_EQ(Completed({"listing", "--target", "no such"}), "");
  server_->Stop();
  EXPECT_EQ(Completed({"trend", "read_"}), "");
}

TEST_F(RunNamesTest, CompletionOffersNothingThatAShellWouldRun) {
  const std::string copy = HostileCopy(kParserAfter, folder_);
  Upload(copy, 'a', "");
  server_->RunWorker();
  EXPECT_THAT(Completed({"trend", "pa"}), HasSubstr("parse "));
  EXPECT_EQ(Completed({"trend", "r"}), "");
}

}  // namespace

}  // namespace gprofhub::cli
