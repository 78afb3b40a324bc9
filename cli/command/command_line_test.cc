#include "cli/command/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void AddReport(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand("report", "Show a report\nDetails of reports.");
  auto text = std::make_shared<std::string>();
  auto format = std::make_shared<std::string>();
  command->add_option("run", *text, "The run");
  command->add_option("--format", *format, "The format")->check(CLI::IsMember({"text", "json"}));
  command->callback([text, format, &run] {
    run = [text, format] { return PrintOutput(*text + " " + *format + "\n"); };
  });
}

void AddToken(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand("token", "Tokens");
  command->require_subcommand(1);
  command->add_subcommand("create", "Create a token")->callback([&run] {
    run = [] { return PrintOutput("created\n"); };
  });
}

CommandResult Ran(const std::vector<std::string>& words) {
  return RunCommandLine({AddReport, AddToken, AddHelpCommand}, words);
}

TEST(CommandLine, OptionsOfTheProgramMayStandAnywhere) {
  EXPECT_EQ(Ran({"--color=never", "report", "7"}).out, "7 \n");
  EXPECT_EQ(Ran({"report", "7", "--no-pager", "--color", "always"}).out, "7 \n");
  EXPECT_EQ(Ran({"token", "create", "--no-pager"}).out, "created\n");
}

TEST(CommandLine, ErrorsNameTheClosestWord) {
  for (const auto& [words, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"reprot"}, "gprofhub: unknown command \"reprot\"; did you mean report? (see gprofhub"},
           {{"serve"}, "unknown command \"serve\" (see gprofhub --help)"},
           {{"report", "--fromat=json"},
            "unknown option --fromat; did you mean --format? (see gprofhub report --help)"},
           {{"report", "--colour", "never"}, "unknown option --colour; did you mean --color?"},
           {{"report", "--xyzzy"}, "unknown option --xyzzy (see"},
           {{"report", "--format", "jsn"},
            "--format: invalid value \"jsn\"; did you mean json? (see gprofhub report --help)"},
           {{"report", "--format", "xml"},
            "--format: invalid value \"xml\"; use one of text, json"},
           {{"report", "7", "8"}, "unexpected argument \"8\""},
           {{"token", "creat"}, "unknown command \"creat\"; did you mean create?"},
           {{"token"}, "gprofhub token needs a command"},
           {{}, "gprofhub needs a command"},
           {{"help", "tokn"}, "unknown command \"tokn\"; did you mean token?"}}) {
    const CommandResult result = Ran(words);
    EXPECT_EQ(result.exit_code, kExitUsage) << message;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
  }
}

TEST(CommandLine, AWordDoesNotCommandTheTerminal) {
  EXPECT_THAT(Ran({"\x1b[2J"}).err, HasSubstr("\"<U+001B>[2J\""));
}

TEST(Help, IsOfTheNamedCommand) {
  const std::string all = Ran({"help"}).out;
  EXPECT_EQ(all, Ran({"--help"}).out);
  EXPECT_THAT(all, HasSubstr("report                      Show a report\n"));
  EXPECT_EQ(all.find("Details of reports"), std::string::npos);
  const std::string one = Ran({"help", "report"}).out;
  EXPECT_EQ(one, Ran({"report", "--help"}).out);
  EXPECT_THAT(one, HasSubstr("Details of reports.\nUsage: gprofhub report [OPTIONS] [run]\n"));
  EXPECT_THAT(Ran({"help", "token", "create"}).out, HasSubstr("Usage: gprofhub token create"));
}

TEST(ListedValues, AreThoseInBraces) {
  EXPECT_THAT(ListedValues("TEXT:{text,json}"), ElementsAre("text", "json"));
  EXPECT_THAT(ListedValues("TEXT"), IsEmpty());
  EXPECT_THAT(ListedValues("}{"), IsEmpty());
}

}  // namespace

}  // namespace gprofhub::cli
