// Commands that query profiles from the server, as a user types them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/time/time.h"
#include "cli/testing/parser_runs.h"
#include "collector/access/authorizer.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(ParserRunsTest, RunsListsWhatWasUploaded) {
  UploadBoth();
  const CommandResult table = Run({"runs"});
  EXPECT_EQ(table.exit_code, kExitOk) << table.err;
  EXPECT_NE(table.out.find("bbbbbbbbbb"), std::string::npos) << table.out;
  const CommandResult waited = Run({"runs", "--wait=5", "--format=json"});
  EXPECT_EQ(waited.exit_code, kExitOk) << waited.err;
  EXPECT_EQ(waited.err, "analysed 2 of 2 targets in 2 runs\n");
  const auto json = nlohmann::json::parse(waited.out);
  EXPECT_EQ(json["runs"][0]["jobs_done"], 1);
  EXPECT_EQ(json["runs"][0]["targets"][0]["state"], "analyzed");
}

TEST_F(ParserRunsTest, WaitGivesUpInTheEnd) {
  Upload(kParserBefore, 'a', "");
  const CommandResult waited = Run({"runs", "--wait=0"});
  EXPECT_EQ(waited.exit_code, kExitUnavailable);
  EXPECT_NE(waited.err.find("a worker is running"), std::string::npos) << waited.err;
  const CommandResult none = Run({"runs", "--wait", "--project", "other"});
  EXPECT_EQ(none.exit_code, kExitNotFound);
}

TEST_F(ParserRunsTest, ReportNamesTheArcToBlame) {
  UploadBoth();
  const CommandResult json = Run({"report", "--format=json"});
  ASSERT_EQ(json.exit_code, kExitOk) << json.err;
  const auto report = nlohmann::json::parse(json.out);
  EXPECT_EQ(report["compared"]["baseline_reason"], "merge base");
  const auto& cause = report["findings"][0];
  EXPECT_EQ(cause["function"], "next");
  EXPECT_EQ(cause["caller"], "parse");
  EXPECT_EQ(cause["before"], 10);
  EXPECT_EQ(cause["after"], 80);
  // The call is in line 16; glibc's gmon rounds its address down to 16 bytes.
  EXPECT_GE(cause["site"]["line"], 14);
  EXPECT_LE(cause["site"]["line"], 16);
  EXPECT_EQ(cause["follows"], nlohmann::json::array({"read_token"}));

  const CommandResult markdown = Run({"report", "bbbbbbb", "--format=markdown"});
  // The program ends before the first sample.
  EXPECT_EQ(
      markdown.out.find("<!-- gprofhub:default -->\n🔺 **gprofhub: 1 change of calls without a "
                        "known share of CPU (no samples).**"),
      0u)
      << markdown.out;
}

TEST_F(ParserRunsTest, ReportFailsOnWhatItIsToldTo) {
  UploadBoth();
  EXPECT_EQ(Run({"report", "--fail-on=regressed", "--fail-above=0"}).exit_code, kExitFailure);
  EXPECT_EQ(Run({"report", "--fail-on=improved", "--fail-above=0"}).exit_code, kExitOk);
  EXPECT_EQ(Run({"report", "--fail-on=nonsense"}).exit_code, kExitUsage);
}

TEST_F(ParserRunsTest, DiffTakesTwoRuns) {
  UploadBoth();
  const CommandResult result = Run({"diff", "bbbbbbb", "aaaaaaa", "--format=json"});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["findings"][0]["verdict"], "improved");
  EXPECT_EQ(report["compared"]["baseline_reason"], "given");
  EXPECT_EQ(Run({"diff", "ccccccc", "aaaaaaa"}).exit_code, kExitNotFound);
}

TEST_F(ParserRunsTest, TrendFollowsAFunction) {
  UploadBoth();
  const CommandResult csv = Run({"trend", "next", "--format=csv"});
  ASSERT_EQ(csv.exit_code, kExitOk) << csv.err;
  EXPECT_NE(csv.out.find(",main,1,10,"), std::string::npos) << csv.out;
  EXPECT_EQ(csv.out.find(",feature,"), std::string::npos) << csv.out;
  const CommandResult branch = Run({"trend", "next", "--branch=feature", "--format=csv"});
  EXPECT_NE(branch.out.find(",feature,2,80,"), std::string::npos) << branch.out;
  EXPECT_EQ(Run({"trend", "absent"}).exit_code, kExitNotFound);
}

TEST_F(ParserRunsTest, ChangesNamesTheCommitAndTheArc) {
  for (const char commit : {'a', 'b', 'c'}) Upload(kParserBefore, commit, "");
  for (const char commit : {'d', 'e'}) Upload(kParserAfter, commit, "");
  Upload(kParserAfter, 'f', std::string(40, 'a'));  // a pull request
  server_->RunWorker();
  const CommandResult json = Run({"changes", "--format=json"});
  ASSERT_EQ(json.exit_code, kExitOk) << json.err;
  const auto changes = nlohmann::json::parse(json.out);
  EXPECT_EQ(changes["schema"], 1);
  EXPECT_EQ(changes["branch"], "main");
  EXPECT_EQ(changes["runs"], 5);
  ASSERT_EQ(changes["events"].size(), 1u) << json.out;
  const auto& event = changes["events"][0];
  EXPECT_EQ(event["at"]["commit"], std::string(40, 'd'));
  EXPECT_EQ(event["last_before"]["commit"], std::string(40, 'c'));
  EXPECT_EQ(event["cause"]["function"], "next");
  EXPECT_EQ(event["cause"]["caller"], "parse");
  EXPECT_EQ(event["cause"]["before"], 10);
  EXPECT_EQ(event["cause"]["after"], 80);
  EXPECT_EQ(event["cause"]["exact"], true);
  EXPECT_EQ(event["confirmed"], true);
  EXPECT_EQ(event["following_functions"], 1);
  EXPECT_EQ(event["targets"], nlohmann::json::array({"//:parser_test"}));

  const CommandResult text = Run({"changes", "--target", "//:parser_test"});
  EXPECT_EQ(text.out.find("1 change in 5 runs of main, configuration k8-opt\n"), 0u) << text.out;
  EXPECT_NE(text.out.find("dddddddddddd, run 4  (after cccccccccccc)\n  + next  ["),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("1 other function changed here"), std::string::npos) << text.out;
  EXPECT_EQ(Run({"changes", "--branch", "absent"}).exit_code, kExitNotFound);
  EXPECT_EQ(Run({"changes", "--runs", "1"}).exit_code, kExitUsage);
  EXPECT_EQ(Run({"changes", "--limit", "0"}).exit_code, kExitUsage);

  const CommandResult trend = Run({"trend", "next"});
  EXPECT_NE(trend.out.find("  <- calls\n"), std::string::npos) << trend.out;
}

TEST_F(ParserRunsTest, ListingPrintsTheMergedProfile) {
  UploadBoth();
  const CommandResult flat = Run({"listing", "aaaaaaa", "--flat", "--brief"});
  ASSERT_EQ(flat.exit_code, kExitOk) << flat.err;
  EXPECT_EQ(flat.out.rfind("Flat profile:", 0), 0u) << flat.out;
  EXPECT_NE(flat.out.find("read_token"), std::string::npos);
  const CommandResult graph = Run({"listing", "--graph", "--brief"});
  EXPECT_NE(graph.out.find("parse"), std::string::npos) << graph.err;
  EXPECT_NE(graph.out.find("80"), std::string::npos);
  EXPECT_EQ(Run({"listing", "--target", "//:other"}).exit_code, kExitNotFound);
}

TEST_F(ParserRunsTest, ListingGivesClonesNamesOfTheirOwn) {
  // GNU gprof leaves out local symbols of this kind: the function before gets the row.
  Upload(RenamedCopy(kParserAfter, folder_, "t.isra.012"), 'a', "");
  server_->RunWorker();
  for (const char* kind : {"--flat", "--graph"}) {
    const CommandResult listing = Run({"listing", kind, "--brief"});
    ASSERT_EQ(listing.exit_code, kExitOk) << listing.err;
    EXPECT_THAT(listing.out, HasSubstr("t.isra.012")) << kind;
  }
}

TEST_F(ParserRunsTest, WhatTheServerRefusesIsSaidInItsWords) {
  UploadBoth();
  const CommandResult run = Run({"report", "99"});
  EXPECT_EQ(run.exit_code, kExitNotFound);
  EXPECT_EQ(run.err,
            "gprofhub: project \"default\" has no run \"99\"; `gprofhub runs` lists the runs\n");
  const CommandResult function = Run({"trend", "a"});
  EXPECT_EQ(function.exit_code, kExitFailure);
  EXPECT_THAT(function.err, StartsWith("gprofhub: function \"a\" is ambiguous: "));
  EXPECT_THAT(function.err, HasSubstr("the likeliest are\n  "));
}

TEST_F(ParserRunsTest, ATokenIsAskedForOnceThereIsOne) {
  UploadBoth();
  const auto token = collector::MakeToken(server_->store().tokens,
                                          {"default", "test", *collector::Scopes::Parse("read")},
                                          {}, absl::FromUnixSeconds(1700000000));
  ASSERT_TRUE(token.ok()) << token.status();
  const CommandResult refused = Run({"report"});
  EXPECT_EQ(refused.exit_code, kExitUnavailable);
  EXPECT_NE(refused.err.find("--token-file"), std::string::npos) << refused.err;
  const std::string file = (folder_ / "token").string();
  std::ofstream(file) << token->token << "\n";
  EXPECT_EQ(Run({"report", "--token-file", file}).exit_code, kExitOk);
}

TEST(Commands, SayHowToStartAServerThatIsNotThere) {
  const CommandResult result = AskForProfiles({"runs", "--server", "127.0.0.1:1"});
  EXPECT_EQ(result.exit_code, kExitUnavailable);
  EXPECT_NE(result.err.find("start one with `gprofhub serve`"), std::string::npos) << result.err;
}

// Nothing but lines of characters that print, and the tabs and form feeds of gprof's tables.
void ExpectPrintable(const CommandResult& result) {
  EXPECT_EQ(result.exit_code, kExitOk) << result.err;
  for (const unsigned char c : result.out) {
    const bool layout = c == '\n' || c == '\t' || c == '\f';
    EXPECT_TRUE(layout || (c >= 0x20 && c != 0x7F)) << static_cast<int>(c);
  }
  EXPECT_EQ(result.out.find("\nok"), std::string::npos) << "no line of the name's own";
  EXPECT_EQ(result.out.find('\xE9'), std::string::npos);
}

TEST_F(ParserRunsTest, NamesOfAnyBytesAreShownAndObeyedByNobody) {
  Upload(HostileCopy(kParserBefore, folder_), 'a', "");
  Upload(HostileCopy(kParserAfter, folder_), 'b', std::string(40, 'a'));
  server_->RunWorker();
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"listing", "--flat", "--brief"},
                                             {"listing", "--graph", "--brief"},
                                             {"report", "--all"},
                                             {"diff", "aaaaaaa", "bbbbbbb", "--all"},
                                             {"trend", kHostileNameShown}}) {
    const CommandResult result = Run(words);
    ExpectPrintable(result);
    EXPECT_NE(result.out.find(kHostileNameShown), std::string::npos) << result.out;
  }
  const CommandResult json = Run({"report", "--format=json"});
  ASSERT_EQ(json.exit_code, kExitOk) << json.err;
  EXPECT_EQ(nlohmann::json::parse(json.out)["findings"][0]["follows"],
            nlohmann::json::array({"r\x1b[2J\nok<0xE9>n"}));
}

}  // namespace

}  // namespace gprofhub::cli
