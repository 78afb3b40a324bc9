// Runs of testdata/parser.c, of which there are two builds: parse calls next 10
// times in the one and 80 times in the other.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/testing/command_line.h"
#include "cli/testing/command_server.h"

namespace gprofhub::cli {

inline constexpr char kParserBefore[] = "cli/testdata/before";
inline constexpr char kParserAfter[] = "cli/testdata/after";

// All commands that query profiles: runs, report, diff, explain, trend, changes, listing, order.
CommandResult AskForProfiles(const std::vector<std::string>& words);

// The function of testdata/parser.c that a copy gives another name, and a hostile one.
inline constexpr char kRenamed[] = "read_token";
inline constexpr char kHostileName[] = "r\x1b[2J\nok\xE9n";
inline constexpr char kHostileNameShown[] = "r<U+001B>[2J<U+000A>ok<0xE9>n";
static_assert(sizeof(kRenamed) == sizeof(kHostileName), "nothing else in the file may move");

// A copy of the program and its profile in the folder, in which `kRenamed` has another name
// of as many bytes.
std::string RenamedCopy(const std::string& program, const std::filesystem::path& folder,
                        const std::string& name);

// The same with a name that is not UTF-8, commands the terminal and has two lines.
std::string HostileCopy(const std::string& program, const std::filesystem::path& folder);

// A folder `name` in the test's own with a run in each of `runs` folders; with the
// program in each.
std::filesystem::path RunsFolder(const std::string& name, const std::string& program, int runs);

// For commands against a server with such runs.
class ParserRunsTest : public testing::Test {
 protected:
  void SetUp() override;

  // Records a run at a commit of one digit: of the main branch, or with a base of a
  // pull request.
  void Upload(const std::string& program, char commit, const std::string& base);

  // A run of the main branch and one of a pull request, analysed.
  void UploadBoth();

  CommandResult Run(const std::vector<std::string>& words);

  std::filesystem::path folder_;
  std::unique_ptr<CommandServer> server_;
};

}  // namespace gprofhub::cli
