// A server's listing is gprof's output for the same profile, byte for byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "analyzer/exports/exports.h"
#include "cli/commands.h"
#include "cli/testing/parser_runs.h"
#include "profile/elf/read_image.h"
#include "profile/gmon/reader.h"
#include "profile/gmon/writer.h"
#include "proto/pprof.pb.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSource[] = "cli/testdata/parser.c";

// Standard output of `gprofhub gprof`; the words need no quoting.
std::string Gprof(const std::vector<std::string>& words) {
  const std::string line = absl::StrCat("cli/gprofhub gprof ", absl::StrJoin(words, " "));
  FILE* const pipe = popen(line.c_str(), "r");
  std::string text;
  if (pipe == nullptr) return text;
  char buffer[4096];
  while (const size_t count = fread(buffer, 1, sizeof(buffer), pipe)) text.append(buffer, count);
  EXPECT_EQ(pclose(pipe), 0) << line;
  return text;
}

// The folder that the program was compiled in. A server stores paths relative to the repository;
// gprof prints absolute paths.
std::string CompiledIn(const std::string& counts) { return counts.substr(0, counts.find(kSource)); }

class ListingTest : public ParserRunsTest {
 protected:
  // A program, and a profile of it that has counts of basic blocks, too.
  void SetUp() override {
    ParserRunsTest::SetUp();
    program_ = (folder_ / "program").string();
    std::filesystem::copy_file(kParserAfter, program_);
    const auto symbols = profile::ReadElfSymbols(program_);
    ASSERT_TRUE(symbols.ok()) << symbols.status();
    auto profile = profile::ReadGmon(ReadTestFile(std::string(kParserAfter) + ".gmon"), "gmon");
    ASSERT_TRUE(profile.ok()) << profile.status();
    uint64_t count = 0;
    for (const profile::LineRow& line : symbols->lines) {
      if (line.line > 0) profile->blocks.push_back({line.address, ++count});
    }
    ASSERT_GT(count, 0u);
    std::ofstream(program_ + ".gmon", std::ios::binary) << *profile::WriteGmon(*profile);
    Upload(program_, 'a', "");
    server_->RunWorker();
    server_->ReadSourceBy(
        server::KeepSources([](const std::string&, const std::string&,
                               const std::string& path) -> absl::StatusOr<std::string> {
          if (path != kSource) return absl::NotFoundError("not in the repository");
          return ReadTestFile(path);
        }));
  }

  std::string OfServer(std::vector<std::string> words) {
    words.insert(words.begin(), "listing");
    const CommandResult result = Run(words);
    EXPECT_EQ(result.exit_code, kExitOk) << absl::StrJoin(words, " ") << ": " << result.err;
    return result.out;
  }

  // With the server's paths.
  std::string OfGprof(std::vector<std::string> words) {
    words.insert(words.end(),
                 {"--exact-clones", "-I", "cli/testdata", program_, program_ + ".gmon"});
    const std::string folder =
        CompiledIn(Gprof({"-C", "--exact-clones", program_, program_ + ".gmon"}));
    EXPECT_FALSE(folder.empty());
    return absl::StrReplaceAll(Gprof(words), {{absl::StrCat(folder, kSource), kSource}});
  }

  std::string program_;
};

TEST_F(ListingTest, EveryListingIsGprofs) {
  const std::vector<std::vector<std::string>> listings = {
      {"-p"}, {"-q"},       {"-b", "-p"},       {"-b", "-q"}, {"-p", "-l"}, {"-b", "-q", "-l"},
      {"-A"}, {"-A", "-l"}, {"-A", "-l", "-x"}, {"-C"},       {"-C", "-l"}, {"-A", "-x"},
  };
  std::vector<std::string> different;
  for (const std::vector<std::string>& words : listings) {
    const std::string gprofs = OfGprof(words);
    EXPECT_FALSE(gprofs.empty()) << absl::StrJoin(words, " ");
    EXPECT_EQ(OfServer(words), gprofs) << absl::StrJoin(words, " ");
    different.push_back(gprofs);
  }
  // Omitting an option gives different output.
  for (const size_t i : {0, 2, 6, 7, 9}) EXPECT_NE(different[i], different[i + 1]) << i;
}

TEST_F(ListingTest, EveryFormatIsGprofs) {
  for (const std::string& format : analyzer::NamesOf(analyzer::ExportFormats())) {
    if (format == "pprof") continue;  // PprofIsGprofs
    const std::string option = absl::StrCat("--format=", format);
    EXPECT_EQ(OfServer({option}), OfGprof({option})) << format;
    EXPECT_EQ(OfServer({option, "-l"}), OfGprof({option, "-l"})) << format << " of lines";
  }
  for (const std::string further : {"-A", "-C"}) {
    EXPECT_EQ(OfServer({"--format=json", further, "-l"}), OfGprof({"--format=json", further, "-l"}))
        << further;
  }
  const std::string gmon = (folder_ / "downloaded.gmon").string();
  std::ofstream(gmon, std::ios::binary) << OfServer({"--format=gmon"});
  EXPECT_EQ(Gprof({"-b", "-l", "-C", program_, gmon}),
            Gprof({"-b", "-l", "-C", program_, program_ + ".gmon"}));
}

// Its texts have their lengths before them: a path is replaced in the parsed message.
TEST_F(ListingTest, PprofIsGprofs) {
  pprof::Profile server, gprof;
  ASSERT_TRUE(server.ParseFromString(OfServer({"--format=pprof"})));
  ASSERT_TRUE(gprof.ParseFromString(
      Gprof({"--format=pprof", "--exact-clones", program_, program_ + ".gmon"})));
  for (std::string& text : *gprof.mutable_string_table()) {
    if (absl::EndsWith(text, kSource)) text = kSource;
  }
  EXPECT_GT(server.sample_type_size(), 0);
  EXPECT_EQ(server.SerializeAsString(), gprof.SerializeAsString());
}

TEST_F(ListingTest, WhatDoesNotFitTogetherIsRefused) {
  EXPECT_EQ(Run({"listing", "-p", "-q"}).exit_code, kExitUsage);
  EXPECT_EQ(Run({"listing", "-A", "-C"}).exit_code, kExitUsage);
  EXPECT_EQ(Run({"listing", "-x"}).exit_code, kExitUsage) << "only of source";
  EXPECT_EQ(Run({"listing", "--image", "12"}).exit_code, kExitUsage) << "only of a format";
  EXPECT_EQ(Run({"listing", "--format=png"}).exit_code, kExitUsage);
  const CommandResult pprof = Run({"listing", "--format=pprof", "-A"});
  EXPECT_EQ(pprof.exit_code, kExitFailure);
  EXPECT_THAT(pprof.err, HasSubstr("only json can contain"));
  const CommandResult image = Run({"listing", "--format=json", "--image", "12"});
  EXPECT_EQ(image.exit_code, kExitFailure);
  EXPECT_THAT(image.err, HasSubstr("image: must be one of "));
  EXPECT_THAT(image.err, HasSubstr("(program)"));
}

TEST_F(ListingTest, WithoutSourceItIsSaidWhy) {
  server_->ReadSourceBy([](const auto&, const auto&, const auto&) {
    return absl::StatusOr<server::SourceText>(absl::UnavailableError("the forge is away"));
  });
  const CommandResult away = Run({"listing", "-A"});
  EXPECT_EQ(away.exit_code, kExitUnavailable);
  server_->ReadSourceBy(nullptr);
  const CommandResult none = Run({"listing", "-A"});
  EXPECT_EQ(none.exit_code, kExitNotFound);
  EXPECT_THAT(none.err, HasSubstr("no source here"));
  EXPECT_THAT(none.err, Not(HasSubstr("internal")));
}

}  // namespace

}  // namespace gprofhub::cli
