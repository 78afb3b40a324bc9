// The output of `gprofhub diff` for real profiles fits a screen of 25 lines of 120 columns: in a
// terminal, and in a comment before anything is unfolded.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/testing/parser_runs.h"
#include "reporter/findings/text.h"

namespace gprofhub::cli {

namespace {

namespace fs = std::filesystem;

void ExpectOneScreen(const fs::path& before, const fs::path& after) {
  for (const char* format : {"text", "markdown"}) {
    const CommandResult result =
        AskForProfiles({"diff", before, after, absl::StrCat("--format=", format)});
    ASSERT_EQ(result.exit_code, kExitOk) << result.err;
    const std::string screen = result.out.substr(0, result.out.find("\n<details>"));
    EXPECT_LE(reporter::ScreenLines(screen, reporter::kScreenColumns), reporter::kScreenLines)
        << result.out;
    EXPECT_NE(screen.find("next"), std::string::npos) << "no cause is shown\n" << result.out;
  }
}

TEST(FirstScreen, HoldsWhatChangedInAParser) {
  EmptyTestFolder();
  for (const int runs : {1, 3}) {
    const std::string number = absl::StrCat(runs);
    ExpectOneScreen(RunsFolder("before" + number, kParserBefore, runs),
                    RunsFolder("after" + number, kParserAfter, runs));
  }
}

TEST(FirstScreen, HoldsItWithAHostileNameToo) {
  const fs::path folder = EmptyTestFolder();
  for (const auto& [name, program] :
       {std::pair("before", kParserBefore), std::pair("after", kParserAfter)}) {
    fs::create_directories(folder / name);
    const std::string copy = HostileCopy(program, folder / name);
    fs::rename(copy, folder / name / "program");
    fs::rename(copy + ".gmon", folder / name / "gmon.out.17");
  }
  ExpectOneScreen(folder / "before", folder / "after");
}

}  // namespace

}  // namespace gprofhub::cli
