#include "cli/client/judge_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/time/time.h"
#include "reporter/findings/findings.h"
#include "reporter/rendering/json.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;

v1::Finding SlowerParse() {
  v1::Finding finding;
  finding.set_verdict(v1::Finding::REGRESSED);
  finding.set_metric(v1::Finding::CALLS);
  finding.set_function("_Z5parsev");
  finding.set_function_display("parse()");
  finding.set_target("//db:test");
  finding.mutable_site()->set_file("db/parse.cc");
  finding.mutable_site()->set_line(7);
  finding.set_before(1);
  finding.set_after(8);
  finding.set_impact(0.25);
  return finding;
}

reporter::GateResult FailingFor(const v1::Finding& finding) {
  reporter::GateResult gate;
  gate.conclusion = reporter::GateResult::Conclusion::kFail;
  gate.gated.push_back({&finding, "more-work", std::nullopt});
  return gate;
}

TEST(RenderGateText, HasALineForEachGatedFinding) {
  const v1::Finding finding = SlowerParse();
  const std::string text = RenderGateText(FailingFor(finding));
  EXPECT_THAT(text, HasSubstr("gprofhub check: "));
  EXPECT_THAT(text, HasSubstr("\n  FAILS  more-work: "));
  EXPECT_THAT(text, HasSubstr("  [db/parse.cc:7]\n      finding "));
}

TEST(RenderGateText, HasOneLineForACause) {
  v1::Finding first = SlowerParse(), second = SlowerParse();
  first.add_follows("below");
  second.set_function("_Z4nextv");
  reporter::GateResult gate = FailingFor(first);
  gate.gated.push_back({&second, "more-work", std::nullopt});
  const std::string text = RenderGateText(gate);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
  EXPECT_THAT(text, HasSubstr("  [db/parse.cc:7], and 2 that follow from it\n"));
  gate.gated[1].cause = 1;
  EXPECT_THAT(RenderGateText(gate), HasSubstr("  [db/parse.cc:7], and 1 that follows from it\n"));
}

TEST(RenderGate, NamesTheOwnersAndTheFinding) {
  const v1::Finding finding = SlowerParse();
  const OwnersOfFinding owners = [](const v1::Finding& about) {
    return std::vector<std::string>{"@acme/parsers", about.site().file()};
  };
  const std::string text = RenderGateText(FailingFor(finding), owners);
  EXPECT_THAT(text, HasSubstr("\n      finding " + reporter::FindingId(finding) +
                              "; owners: acme/parsers, db/parse.cc\n"));
  const auto json = nlohmann::json::parse(RenderGateJson(FailingFor(finding), owners));
  EXPECT_EQ(json["gated"][0]["finding"]["id"], reporter::FindingId(finding));
  EXPECT_EQ(json["gated"][0]["owners"][0], "@acme/parsers");
}

TEST(RenderGateText, SaysWhoAcknowledged) {
  const v1::Finding finding = SlowerParse();
  reporter::GateResult gate = FailingFor(finding);
  gate.gated[0].acknowledged.emplace();
  gate.gated[0].acknowledged->author = "ada\x1b[2J";
  gate.gated[0].acknowledged->reason = "needed";
  const std::string text = RenderGateText(gate);
  EXPECT_THAT(text, HasSubstr("  acknowledged  more-work: "));
  EXPECT_THAT(text, HasSubstr("\n      by ada<U+001B>[2J: needed\n"));
}

TEST(RenderGate, NamesWhatWasNotCompared) {
  reporter::GateResult gate;
  gate.conclusion = reporter::GateResult::Conclusion::kIncomplete;
  gate.tests = 3;
  gate.not_compared.emplace_back();
  gate.not_compared[0].set_target("//db:test");
  gate.not_compared[0].set_reason("out of a cache\x1b[2J");
  EXPECT_EQ(RenderGateText(gate),
            "gprofhub check: no change fails the check, 1 of 3 tests was not compared\n"
            "  NOT COMPARED  //db:test: out of a cache<U+001B>[2J\n");
  const auto json = nlohmann::json::parse(RenderGateJson(gate));
  EXPECT_EQ(json["conclusion"], "neutral");
  EXPECT_EQ(json["tests"], 3);
  EXPECT_EQ(json["not_compared"][0]["target"], "//db:test");
}

TEST(RenderGateJson, HoldsTheFindingAsAReportDoes) {
  const v1::Finding finding = SlowerParse();
  const auto json = nlohmann::ordered_json::parse(RenderGateJson(FailingFor(finding)));
  EXPECT_EQ(json["conclusion"], "failure");
  EXPECT_EQ(json["gated"][0]["finding"], reporter::MessageJson(finding));
  EXPECT_EQ(json["gated"][0]["rule"], "more-work");
  EXPECT_TRUE(json["gated"][0]["acknowledged"].is_null());
}

TEST(RenderGateJson, SaysUntilWhenAnAcknowledgementHolds) {
  const v1::Finding finding = SlowerParse();
  reporter::GateResult gate = FailingFor(finding);
  gate.gated[0].acknowledged.emplace();
  gate.gated[0].acknowledged->expires = absl::FromUnixSeconds(86400);
  auto json = nlohmann::json::parse(RenderGateJson(gate));
  EXPECT_EQ(json["gated"][0]["acknowledged"]["until"], "1970-01-02T00:00:00Z");
  gate.gated[0].acknowledged->expires = absl::InfiniteFuture();
  json = nlohmann::json::parse(RenderGateJson(gate));
  EXPECT_TRUE(json["gated"][0]["acknowledged"]["until"].is_null());
}

TEST(RenderGateJson, IsAsciiWhateverNamesHold) {
  v1::Finding finding = SlowerParse();
  finding.set_function("caf\xC3\xA9");
  for (const char c : RenderGateJson(FailingFor(finding)))
    EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

using ::testing::HasSubstr;

TEST(UploadSummary, TextSaysWhatArrived) {
  ci::UploadSummary summary;
  summary.executions = 4;
  summary.already_present = 1;
  summary.cached = 2;
  summary.profiles = 6;
  summary.images = {"aa"};
  summary.bytes_sent = 1'300'000;
  summary.bytes_total = 25'000'000;
  summary.run_ids = {"7"};
  summary.skipped = {"x"};
  EXPECT_EQ(UploadSummaryText(summary, std::string(40, 'a'), false),
            "Uploaded 4 executions (1 already present, 2 from Bazel's cache) of commit "
            "aaaaaaaaaaaa: 6 profiles, 1 image, 1300 kB sent of 25.0 MB.\n"
            "Run: 7\n"
            "Skipped: 1; the reasons are on stderr.\n");
}

TEST(UploadSummary, JsonSurvivesNamesThatAreNoUtf8) {
  ci::UploadSummary summary;
  summary.skipped = {"\xff\x1b[31m"};
  summary.status = absl::UnavailableError("down");
  const std::string json = UploadSummaryJson(summary, "c", true);
  EXPECT_THAT(json, HasSubstr("\"error\": \"down\""));
  EXPECT_THAT(json, HasSubstr("\\u001b[31m"));
}

TEST(UploadSummary, TextDoesNotCommandTheTerminal) {
  ci::UploadSummary summary;
  summary.run_ids = {"7\x1b[2J"};
  EXPECT_THAT(UploadSummaryText(summary, "c", false), HasSubstr("Run: 7<U+001B>[2J\n"));
}

}  // namespace

}  // namespace gprofhub::cli
