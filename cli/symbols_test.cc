#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/testing/parser_runs.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/elf/read_image.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

constexpr char kProgram[] = "cli/testdata/recorded";

CommandResult Ask(std::vector<std::string> words) {
  words.insert(words.begin(), "symbols");
  return RunCommandLine({AddSymbolsCommand}, words);
}

TEST(SymbolsCommand, WritesWhatAServerReads) {
  const fs::path output = EmptyTestFolder() / "symbols";
  const CommandResult result = Ask({kProgram, "--output", output});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  EXPECT_THAT(result.out + result.err, IsEmpty());
  const auto symbols = profile::DecodeSymbolBundle(ReadTestFile(output));
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_EQ(symbols->build_id, *profile::ReadElfBuildId(kProgram));
  EXPECT_EQ(symbols->image_name, "recorded");
  EXPECT_FALSE(symbols->lines.empty());
  std::vector<std::string> names;
  for (const profile::FunctionSymbol& function : symbols->functions) names.push_back(function.name);
  EXPECT_THAT(names, ::testing::IsSupersetOf({"main", "parse", "read_token"}));
}

TEST(SymbolsCommand, WritesTheSameTwice) {
  const fs::path folder = EmptyTestFolder();
  fs::create_directories(folder / "elsewhere");
  fs::copy_file(kProgram, folder / "elsewhere/recorded");
  ASSERT_EQ(Ask({kProgram, "--output", folder / "first"}).exit_code, kExitOk);
  ASSERT_EQ(Ask({folder / "elsewhere/recorded", "--output", folder / "second"}).exit_code, kExitOk);
  EXPECT_EQ(ReadTestFile(folder / "first"), ReadTestFile(folder / "second"));
}

TEST(SymbolsCommand, OfAFileWithoutSymbolsSaysSoOrWritesNothing) {
  const fs::path folder = EmptyTestFolder();
  const fs::path script = folder / "script", output = folder / "symbols";
  std::ofstream(script) << "#!/bin/sh\n";
  const CommandResult refused = Ask({script, "--output", output});
  EXPECT_EQ(refused.exit_code, kExitFailure);
  EXPECT_THAT(refused.err, HasSubstr(script.string()));
  EXPECT_FALSE(fs::exists(output));
  const CommandResult allowed = Ask({script, "--output", output, "--may-be-empty"});
  EXPECT_EQ(allowed.exit_code, kExitOk);
  EXPECT_THAT(allowed.err, IsEmpty());
  EXPECT_THAT(ReadTestFile(output), IsEmpty());
}

TEST(SymbolsCommand, OfADamagedFileDoesNotFailABuildButWarns) {
  const fs::path folder = EmptyTestFolder();
  const fs::path cut = folder / "cut", output = folder / "symbols";
  const std::string bytes = ReadTestFile(kProgram);
  std::ofstream(cut, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  EXPECT_EQ(Ask({cut, "--output", output}).exit_code, kExitFailure);
  const CommandResult allowed = Ask({cut, "--output", output, "--may-be-empty"});
  EXPECT_EQ(allowed.exit_code, kExitOk);
  EXPECT_THAT(allowed.err, HasSubstr(cut.string()));
  EXPECT_THAT(ReadTestFile(output), IsEmpty());
}

TEST(SymbolsCommand, ThatCannotReadOrWriteFails) {
  const fs::path folder = EmptyTestFolder();
  EXPECT_EQ(Ask({folder / "absent", "--output", folder / "symbols", "--may-be-empty"}).exit_code,
            kExitNotFound);
  EXPECT_EQ(Ask({kProgram, "--output", "/proc/none", "--may-be-empty"}).exit_code, kExitFailure);
}

}  // namespace

}  // namespace gprofhub::cli
