#include "cli/command/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "cli/testing/command_line.h"

namespace gprofhub::cli {
namespace {

using ::testing::HasSubstr;

int Reported(const absl::Status& status, std::string* said = nullptr) {
  testing::internal::CaptureStderr();
  const int code = ReportStatus(status);
  const std::string text = testing::internal::GetCapturedStderr();
  if (said != nullptr) *said = text;
  return code;
}

TEST(ReportStatus, GivesTheExitCodesOfTheDocuments) {
  std::string said;
  EXPECT_EQ(Reported(absl::OkStatus(), &said), 0);
  EXPECT_EQ(said, "");
  EXPECT_EQ(Reported(absl::InternalError("x"), &said), 1);
  EXPECT_EQ(said, "gprofhub: x\n");
  EXPECT_EQ(Reported(absl::NotFoundError("x")), 3);
  for (const absl::Status& status :
       {absl::UnavailableError("x"), absl::UnauthenticatedError("x"),
        absl::PermissionDeniedError("x"), absl::DeadlineExceededError("x")}) {
    EXPECT_EQ(Reported(status), 4) << status;
  }
}

TEST(ReportStatus, IsNeverEmpty) {
  std::string said;
  EXPECT_EQ(Reported(absl::UnimplementedError(""), &said), 1);
  EXPECT_EQ(said, "gprofhub: UNIMPLEMENTED\n");
}

TEST(ReportStatus, WhatOthersWroteDoesNotCommandTheTerminal) {
  std::string said;
  Reported(absl::InternalError("a\x1b[2J\nb"), &said);
  EXPECT_EQ(said, "gprofhub: a<U+001B>[2J\nb\n");
}

TEST(ReportUsage, IsAnExitCodeOfItsOwn) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(ReportUsage(absl::InvalidArgumentError("no such thing")), 2);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "gprofhub: no such thing\n");
}

// Prints the server's options from the command line and the environment.
void AddShow(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand("show", "");
  auto options = std::make_shared<ServerOptions>();
  AddServerOptions(*command, *options);
  SetExamples(*command, {"gprofhub show"});
  command->callback([options, &run] {
    run = [options] {
      return PrintOutput(options->server + " " + options->project + " " + options->token + "\n");
    };
  });
}

TEST(ServerOptions, ComeFromTheCommandLineElseTheEnvironment) {
  EXPECT_EQ(RunCommandLine({AddShow}, {"show"}).out, "127.0.0.1:7070 default \n");
  setenv("GPROFHUB_SERVER", "ci:1", 1);
  setenv("GPROFHUB_PROJECT", "mine", 1);
  setenv("GPROFHUB_TOKEN", "gph_1", 1);
  EXPECT_EQ(RunCommandLine({AddShow}, {"show"}).out, "ci:1 mine gph_1\n");
  EXPECT_EQ(RunCommandLine({AddShow}, {"show", "--server=b:2", "--project=p"}).out,
            "b:2 p gph_1\n");
  for (const char* name : {"GPROFHUB_SERVER", "GPROFHUB_PROJECT", "GPROFHUB_TOKEN"}) unsetenv(name);
}

TEST(ServerOptions, ATokenFileThatCannotBeReadIsAWrongCommandLine) {
  EXPECT_EQ(RunCommandLine({AddShow}, {"show", "--token-file", "/nonexistent"}).exit_code,
            kExitUsage);
  EXPECT_EQ(RunCommandLine({AddShow}, {"show", "--token-file", "/dev/null"}).exit_code, kExitUsage);
}

}  // namespace
}  // namespace gprofhub::cli
