#include "cli/command/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "cli/command/project_file.h"
#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(ServerOptions, WhiteSpaceAroundATokenIsDropped) {
  setenv("GPROFHUB_TOKEN", " gph_1\n", 1);
  EXPECT_EQ(RunCommandLine({AddShow}, {"show"}).out, "127.0.0.1:7070 default gph_1\n");
  setenv("GPROFHUB_TOKEN", "\r\n", 1);
  EXPECT_EQ(RunCommandLine({AddShow}, {"show"}).out, "127.0.0.1:7070 default \n");
  unsetenv("GPROFHUB_TOKEN");
  const std::string file = (EmptyTestFolder() / "token").string();
  std::ofstream(file, std::ios::binary) << "gph_2\r\n";
  EXPECT_EQ(RunCommandLine({AddShow}, {"show", "--token-file", file}).out,
            "127.0.0.1:7070 default gph_2\n");
}

TEST(ServerOptions, TokenFileOfTheEnvironmentPrecedesTheToken) {
  const std::string file = (EmptyTestFolder() / "token").string();
  std::ofstream(file, std::ios::binary) << "gph_2\n";
  setenv("GPROFHUB_TOKEN", "gph_1", 1);
  setenv("GPROFHUB_TOKEN_FILE", file.c_str(), 1);
  EXPECT_EQ(RunCommandLine({AddShow}, {"show"}).out, "127.0.0.1:7070 default gph_2\n");
  setenv("GPROFHUB_TOKEN_FILE", "", 1);
  EXPECT_EQ(RunCommandLine({AddShow}, {"show"}).out, "127.0.0.1:7070 default gph_1\n");
  for (const char* name : {"GPROFHUB_TOKEN", "GPROFHUB_TOKEN_FILE"}) unsetenv(name);
}

TEST(ServerOptions, ATokenThatIsNotAsciiIsRefusedWithoutShowingIt) {
  const std::string file = (EmptyTestFolder() / "token").string();
  for (const char* value :
       {"\xEF\xBB\xBFgph_1", "\xE2\x80\x9Cgph_1\xE2\x80\x9D", "gph_1\ngph_1", "gph_1\x01gph_1"}) {
    for (const char* name : {"GPROFHUB_TOKEN", "GPROFHUB_ID_TOKEN"}) {
      setenv(name, value, 1);
      const CommandResult result = RunCommandLine({AddShow}, {"show"});
      unsetenv(name);
      EXPECT_EQ(result.exit_code, kExitUsage);
      EXPECT_THAT(result.err, HasSubstr(name));
      EXPECT_THAT(result.err + result.out, Not(HasSubstr("gph_1")));
    }
    std::ofstream(file, std::ios::binary | std::ios::trunc) << value;
    const CommandResult result = RunCommandLine({AddShow}, {"show", "--token-file", file});
    EXPECT_EQ(result.exit_code, kExitUsage);
    EXPECT_THAT(result.err, HasSubstr(file));
    EXPECT_THAT(result.err + result.out, Not(HasSubstr("gph_1")));
  }
}

TEST(ServerOptions, AnAddressOfAnotherFormIsAWrongCommandLine) {
  EXPECT_EQ(RunCommandLine({AddShow}, {"show", "--server=ci:1\r\n"}).out, "ci:1 default \n");
  EXPECT_EQ(RunCommandLine({AddShow}, {"show", "--server=grpc://ci:1/"}).out, "ci:1 default \n");
  EXPECT_EQ(RunCommandLine({AddShow}, {"show", "--server=GRPCS://ci"}).out,
            "https://ci default \n");
  for (const char* server : {"dns://ci:7070", "http://ci:8080", "ci"}) {
    const CommandResult given = RunCommandLine({AddShow}, {"show", "--server", server});
    setenv("GPROFHUB_SERVER", server, 1);
    const CommandResult set = RunCommandLine({AddShow}, {"show"});
    unsetenv("GPROFHUB_SERVER");
    for (const CommandResult& result : {given, set}) {
      EXPECT_EQ(result.exit_code, kExitUsage) << server;
      EXPECT_THAT(result.err, HasSubstr("GPROFHUB_SERVER"));
      EXPECT_THAT(result.err, HasSubstr("ci:7070"));
    }
  }
}

// Runs a test's commands in a folder.
class FolderOfCommands {
 public:
  explicit FolderOfCommands(const std::filesystem::path& folder)
      : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder);
  }
  ~FolderOfCommands() { std::filesystem::current_path(before_); }
  FolderOfCommands(const FolderOfCommands&) = delete;
  FolderOfCommands& operator=(const FolderOfCommands&) = delete;

 private:
  const std::filesystem::path before_;
};

void WriteProjectFile(const std::filesystem::path& folder, const std::string& text) {
  std::ofstream(folder / kProjectFile, std::ios::trunc) << text;
}

TEST(ProjectFile, SetsServerAndProjectBelowIt) {
  const std::filesystem::path folder = EmptyTestFolder();
  std::filesystem::create_directories(folder / "a/b");
  WriteProjectFile(folder, R"({"version": 1, "server": "grpc://ci:1", "project": "acme/db"})");
  const FolderOfCommands below(folder / "a/b");
  EXPECT_EQ(RunCommandLine({AddShow}, {"show"}).out, "ci:1 acme/db \n");
  EXPECT_EQ(RunCommandLine({AddShow}, {"show", "--project=p"}).out, "ci:1 p \n");
  setenv("GPROFHUB_SERVER", "other:2", 1);
  EXPECT_EQ(RunCommandLine({AddShow}, {"show"}).out, "other:2 acme/db \n");
  unsetenv("GPROFHUB_SERVER");
  WriteProjectFile(folder / "a", R"({"version": 1})");
  EXPECT_EQ(RunCommandLine({AddShow}, {"show"}).out, "127.0.0.1:7070 default \n")
      << "the nearest file applies";
}

TEST(ProjectFile, IsNotReadFromAFolderThatAllUsersShare) {
  const std::filesystem::path folder = EmptyTestFolder();
  std::filesystem::create_directories(folder / "mine");
  WriteProjectFile(folder, R"({"project": "theirs"})");
  const FolderOfCommands below(folder / "mine");
  EXPECT_EQ(RunCommandLine({AddShow}, {"show"}).out, "127.0.0.1:7070 theirs \n");
  std::filesystem::permissions(folder,
                               std::filesystem::perms::all | std::filesystem::perms::sticky_bit);
  EXPECT_EQ(RunCommandLine({AddShow}, {"show"}).out, "127.0.0.1:7070 default \n");
}

TEST(ProjectFile, AWrongFileIsAWrongCommandLine) {
  const std::filesystem::path folder = EmptyTestFolder();
  const FolderOfCommands here(folder);
  for (const auto& [text, message] :
       {std::pair("{", "not valid JSON"), std::pair("[]", "must be an object"),
        std::pair(R"({"servr": "ci:1"})", "servr: unknown field; did you mean \"server\"?"),
        std::pair(R"({"Project": "p"})", "Project: unknown field; did you mean \"project\"?"),
        std::pair(R"({"project": 7})", "project: must be a text"),
        std::pair(R"({"project": ""})", "project: must be a text"),
        std::pair(R"({"server": "http://ci:8080"})", "server: the server's address")}) {
    WriteProjectFile(folder, text);
    const CommandResult result = RunCommandLine({AddShow}, {"show"});
    EXPECT_EQ(result.exit_code, kExitUsage) << text;
    EXPECT_THAT(result.err, HasSubstr(std::string(".gprofhub.json: ") + message));
    EXPECT_EQ(RunCommandLine({AddShow}, {"show", "--help"}).exit_code, kExitOk);
  }
}

TEST(ServerOptions, ATokenFileThatCannotBeReadIsAWrongCommandLine) {
  EXPECT_EQ(RunCommandLine({AddShow}, {"show", "--token-file", "/nonexistent"}).exit_code,
            kExitUsage);
  EXPECT_EQ(RunCommandLine({AddShow}, {"show", "--token-file", "/dev/null"}).exit_code, kExitUsage);
}

using ::testing::ElementsAre;

TEST(StartCommandsTest, AProgramOfTheSystemIsStartedItself) {
  const std::string folder = EmptyTestFolder().string() + "/";
  EXPECT_THAT(StartCommands(folder, "gprofhub"), ElementsAre(folder + "gprofhub_commands"));
}

TEST(StartCommandsTest, AProgramWithLibrariesOfItsOwnIsStartedByTheirLoader) {
  const std::filesystem::path folder = EmptyTestFolder();
  const std::string loader = (folder / "lib/ld-linux-x86-64.so.2").string();
  std::filesystem::create_directories(folder / "lib");
  std::ofstream{loader};
  const std::string prefix = folder.string() + "/";
  EXPECT_THAT(StartCommands(prefix, "x"), ElementsAre(prefix + "gprofhub_commands"))
      << "a loader that cannot be started is none";
  std::filesystem::permissions(loader, std::filesystem::perms::owner_all);
  EXPECT_THAT(StartCommands(prefix, "x"),
              ElementsAre(prefix + "lib/ld-linux-x86-64.so.2", "--inhibit-cache", "--library-path",
                          prefix + "lib", "--argv0", "x", prefix + "gprofhub_commands"));
}

TEST(StartCommandsTest, ThisProgramIsStartedAgainByItsFile) {
  EXPECT_THAT(StartThisAgain(), ElementsAre("/proc/self/exe"));
}

}  // namespace

}  // namespace gprofhub::cli
