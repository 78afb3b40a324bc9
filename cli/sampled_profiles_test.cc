// Stacks that perf sampled, from the command line through a server in this process to
// an ordering. testdata/shop.script and shop_dwarf.script are what `perf script` 6.1
// printed of testdata/shop (`perf record -g`, `--call-graph dwarf`), which is
// testdata/shop.cc built by `g++ -O2 -fno-omit-frame-pointer`: perf itself need not be
// usable where this runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {

namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kShop[] = "cli/testdata/shop";
constexpr char kScript[] = "cli/testdata/shop.script";
constexpr char kDwarfScript[] = "cli/testdata/shop_dwarf.script";
// Built from testdata/parser.c: parse calls next 10 times.
constexpr char kParser[] = "cli/testdata/before";

class SampledProfilesTest : public UploadsTest {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
};

TEST_F(SampledProfilesTest, WhatPerfScriptPrintedGivesAnOrdering) {
  const CommandResult upload = Upload("//shop:production", kShop, 'a', {kScript, kDwarfScript});
  ASSERT_EQ(upload.exit_code, kExitOk) << upload.err;
  EXPECT_THAT(upload.out, HasSubstr("2 profiles, 1 image"));
  const CommandResult runs = Ask({"runs"});
  EXPECT_THAT(runs.out, HasSubstr("analysed, sampled"));
  EXPECT_THAT(Ask({"runs", "--format=json"}).out, HasSubstr("\"profile_kind\": \"sampled\""));

  const CommandResult order = Ask({"order", "1"});
  ASSERT_EQ(order.exit_code, kExitOk) << order.err;
  const std::vector<std::string> names = absl::StrSplit(order.out, '\n');
  // perf printed no parameters: the overloads are distinguished by their addresses.
  EXPECT_THAT(names,
              AllOf(Contains("main"), Contains("_ZN4shop4WorkEi"), Contains("_ZN4shop4WorkEPKc"),
                    Contains("_ZNK4shop4CartltERKS0_"), Contains("_ZN4shopL7ByPriceEPKvS1_")));
  EXPECT_THAT(names, Not(Contains("_ZN4shop5NeverEv"))) << "perf has not seen it";
  EXPECT_THAT(order.out, Not(HasSubstr("libc_start"))) << "it is libc's";
}

TEST_F(SampledProfilesTest, TheServersOrderIsThatOfTheLocalFile) {
  ASSERT_EQ(Upload("//shop:production", kShop, 'a', {kScript}).exit_code, kExitOk);
  const CommandResult local = RunUploadOrQuestion({"order", kScript, "--image", kShop});
  EXPECT_EQ(Ask({"order", "1"}).out, local.out);
  EXPECT_THAT(local.out, HasSubstr("_ZN4shop4WorkEPKc"));
}

TEST_F(SampledProfilesTest, ItsCountsAreNotTakenForExactOnes) {
  ASSERT_EQ(Upload("//shop:test", kShop, 'a', {kScript}).exit_code, kExitOk);
  ASSERT_EQ(Upload("//shop:test", kShop, 'b', {kScript}).exit_code, kExitOk);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"report", "2"}, {"diff", "1", "2"}, {"listing", "1"}}) {
    const CommandResult refused = Ask(words);
    EXPECT_EQ(refused.exit_code, kExitFailure) << words[0];
    EXPECT_THAT(refused.err, HasSubstr("holds sampled stacks")) << words[0];
  }
  const CommandResult trend = Ask({"trend", "main"});
  EXPECT_EQ(trend.exit_code, kExitNotFound);
  EXPECT_THAT(trend.err, HasSubstr("runs of sampled profiles have no trend"));
}

TEST_F(SampledProfilesTest, AreMixedWithTestsAsThePolicySays) {
  const std::string gmon = std::string(kParser) + ".gmon";
  ASSERT_EQ(Upload("//:parser_test", kParser, 'a', {gmon}).exit_code, kExitOk);
  const std::string stacks = Write("production.folded", "parser;main;parse;next 5\n");
  ASSERT_EQ(Upload("//:production", kParser, 'b', {stacks}).exit_code, kExitOk);

  const auto calls = [this](std::vector<std::string> more) {
    std::vector<std::string> words = {"order", "--format=lld-call-graph"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = Ask(words);
    EXPECT_EQ(result.exit_code, kExitOk) << result.err;
    return result.out;
  };
  EXPECT_THAT(calls({}), HasSubstr("parse next 10\n")) << "latest is the counted run";
  EXPECT_THAT(calls({"2"}), HasSubstr("parse next 5\n"));
  EXPECT_THAT(calls({"latest", "2"}), HasSubstr("parse next 15\n"));
  EXPECT_THAT(calls({"2", "--history=2"}), HasSubstr("parse next 15\n"));
  EXPECT_THAT(calls({"latest", "2", "--weight", "//:production=0"}), HasSubstr("parse next 10\n"));
}

TEST_F(SampledProfilesTest, DoNotBecomeABaseline) {
  const std::string gmon = std::string(kParser) + ".gmon";
  const std::string stacks = Write("production.folded", "parser;main;parse;next 5\n");
  ASSERT_EQ(Upload("//:parser_test", kParser, 'a', {stacks}).exit_code, kExitOk);
  ASSERT_EQ(Upload("//:parser_test", kParser, 'b', {gmon},
                   {"--base-commit", std::string(40, 'a'), "--pull-request", "7"})
                .exit_code,
            kExitOk);
  const CommandResult report = Ask({"report", "2"});
  EXPECT_EQ(report.exit_code, kExitOk) << report.err;
  EXPECT_THAT(report.out, HasSubstr("none: no run of the main branch"));
}

TEST_F(SampledProfilesTest, OneRunHoldsOneKind) {
  const std::string gmon = std::string(kParser) + ".gmon";
  const std::string stacks = Write("production.folded", "parser;main;parse;next 5\n");
  const CommandResult mixed = Upload("//:parser_test", kParser, 'a', {gmon, stacks});
  EXPECT_EQ(mixed.exit_code, kExitFailure);
  EXPECT_THAT(mixed.err, HasSubstr("sampled stacks and counted profiles in one run"));
  ASSERT_EQ(Upload("//:parser_test", kParser, 'a', {gmon}, {"--run-key", "k"}).exit_code, kExitOk);
  const CommandResult second = Upload("//:other", kParser, 'a', {stacks}, {"--run-key", "k"});
  EXPECT_EQ(second.exit_code, kExitFailure);
  EXPECT_THAT(second.err,
              HasSubstr("already exists with profiles of kind 'counted', not 'sampled'"));
}

TEST_F(SampledProfilesTest, TheTextAndTheImageMustFit) {
  const CommandResult other = Upload("//shop:production", kParser, 'a', {kScript});
  EXPECT_EQ(other.exit_code, kExitFailure);
  // main has another place in the other program.
  EXPECT_THAT(other.err, HasSubstr("have a different address in before"));
  const std::string damaged = Write("damaged.folded", "a;b 1\nc d e\n");
  const CommandResult line = Upload("//shop:production", kShop, 'a', {damaged});
  EXPECT_EQ(line.exit_code, kExitFailure);
  EXPECT_THAT(line.err, HasSubstr("damaged.folded: line 2: \"c d e\""));
}

}  // namespace

}  // namespace gprofhub::cli
