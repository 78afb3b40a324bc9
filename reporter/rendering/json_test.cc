#include "reporter/rendering/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "proto/query.pb.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/function_rows.h"
#include "reporter/testing/memory_history.h"
#include "reporter/testing/sample_reports.h"

namespace gprofhub::reporter {

namespace {

using ::testing::HasSubstr;

TEST(RenderJson, NamesWhatWasNotComparedAndSaysWhy) {
  v1::Report report = JsonReport();
  EXPECT_EQ(nlohmann::json::parse(RenderJson(report))["compared"]["not_compared"],
            nlohmann::json::array());
  v1::NotCompared& left_out = *report.mutable_compared()->add_not_compared();
  left_out.set_target("//a:one");
  left_out.set_reason("out of a cache");
  const auto json = nlohmann::json::parse(RenderJson(report));
  EXPECT_EQ(json["compared"]["not_compared"][0]["target"], "//a:one");
  EXPECT_EQ(json["compared"]["not_compared"][0]["reason"], "out of a cache");
}

TEST(RenderJson, HasTheDocumentedFields) {
  const auto json = nlohmann::json::parse(RenderJson(JsonReport()));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["compared"]["baseline_reason"], "merge base");
  EXPECT_EQ(json["compared"]["base"]["run_id"], "7");
  const auto& finding = json["findings"][0];
  EXPECT_EQ(finding["verdict"], "regressed");
  EXPECT_EQ(finding["metric"], "calls");
  EXPECT_EQ(finding["unit"], "calls");
  EXPECT_EQ(finding["function"], "jsonAppendChar");
  EXPECT_EQ(finding["caller"], "jsonPrintf");
  EXPECT_EQ(finding["site"]["file"], "sqlite3.c");
  EXPECT_EQ(finding["site"]["line"], 206140);
  EXPECT_EQ(finding["before"], 155620);
  EXPECT_EQ(finding["after"], 239477);
  EXPECT_EQ(finding["exact"], false);
  EXPECT_EQ(finding["one_run"], true);
  EXPECT_NEAR(finding["effect_percent"], 53.886, 0.001);
  EXPECT_TRUE(finding["interval"].is_null());
  EXPECT_EQ(finding["follows"], nlohmann::json::array({"jsonGrow"}));
  for (const auto& entry : json["findings"]) {
    EXPECT_EQ(entry["interval"].is_null(), entry["metric"] == "calls");
    EXPECT_EQ(entry.size(), finding.size()) << "every finding has every field";
  }
}

TEST(RenderJson, HasTheEffectsThatTheCommentStates) {
  const v1::Report report = JsonReport();
  const auto findings = nlohmann::json::parse(RenderJson(report))["findings"];
  size_t stated = 0;
  for (const FunctionRow& row : GroupByFunction(report)) {
    if (!row.effect_percent.has_value()) continue;
    ++stated;
    const std::string id = FindingId(MainFinding(row));
    for (const auto& finding : findings) {
      if (finding["id"] == id) {
        EXPECT_NEAR(finding["test_effect"]["percent"], *row.effect_percent, 1e-9);
      }
    }
  }
  EXPECT_GT(stated, 0u);
}

TEST(RenderJson, IsAsciiWhateverTheNames) {
  for (const unsigned char c : RenderJson(HostileReport())) {
    EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F)) << static_cast<int>(c);
  }
}

TEST(RenderJson, GivesAShareOfCallsOnlyWhereNothingWasSampled) {
  const auto json = nlohmann::json::parse(RenderJson(UnsampledReport()));
  const auto& finding = json["findings"][0];
  EXPECT_TRUE(finding["impact"].is_null());
  EXPECT_TRUE(finding["weight"].is_null());
  EXPECT_NEAR(finding["share_of_calls"].get<double>(), 60. / 101, 1e-9);
  for (const auto& sampled : nlohmann::json::parse(RenderJson(JsonReport()))["findings"]) {
    EXPECT_TRUE(sampled["impact"].is_number());
    EXPECT_TRUE(sampled["share_of_calls"].is_null());
  }
}

TEST(RenderJson, NamesTheFirstFindingOfTheSameCause) {
  std::vector<v1::Finding> findings;
  for (const char* name : {"f", "g", "h"}) {
    findings.push_back(MakeFinding(name, v1::Finding::CALLS, "caller"));
    findings.back().set_verdict(v1::Finding::REGRESSED);
    findings.back().mutable_site()->set_file("a.cc");
    findings.back().set_after(10 + 7 * static_cast<double>(findings.size() * findings.size()));
  }
  findings[0].mutable_site()->set_line(10);
  findings[1].mutable_site()->set_line(500);
  findings[2].mutable_site()->set_line(12);
  const auto json = nlohmann::json::parse(RenderJson(MakeReport(findings)))["findings"];
  EXPECT_TRUE(json[0]["cause"].is_null());
  EXPECT_TRUE(json[1]["cause"].is_null()) << "far from the other calls";
  EXPECT_EQ(json[2]["cause"], json[0]["id"]);
}

TEST(RenderJson, SaysHowManyTargetsShowATimeTogether) {
  v1::Finding time = MakeFinding("f", v1::Finding::SELF_TIME);
  time.set_pooled_targets(3);
  const auto json = nlohmann::json::parse(
      RenderJson(MakeReport({time, MakeFinding("g", v1::Finding::SELF_TIME)})));
  EXPECT_EQ(json["findings"][0]["pooled_targets"], 3);
  EXPECT_TRUE(json["findings"][1]["pooled_targets"].is_null());
}

TEST(RenderJson, SaysWhetherATotalTimeIsMeasured) {
  for (const bool measured : {false, true}) {
    const auto json = nlohmann::json::parse(RenderJson(TotalsReport(measured)));
    for (const auto& finding : json["findings"]) {
      if (finding["metric"] == "total_time") {
        EXPECT_EQ(finding["measured"], measured);
      } else {
        EXPECT_TRUE(finding["measured"].is_null());
      }
    }
  }
}

v1::GetChangesResponse OneEvent(const v1::Finding& cause) {
  v1::GetChangesResponse changes;
  v1::ChangeEvent& event = *changes.add_events();
  event.mutable_at()->set_commit("bbbbbbbbbbbbbbbb");
  *event.mutable_cause() = cause;
  return changes;
}

TEST(RenderJson, AnEventHoldsTheFindingOfItsCause) {
  const v1::Finding cause = JsonReport().findings(0);
  v1::GetChangesResponse changes = OneEvent(cause);
  changes.set_older_events(7);
  changes.mutable_events(0)->set_commits(3);
  changes.mutable_events(0)->mutable_culprit()->set_author("ada");
  const auto json = nlohmann::ordered_json::parse(RenderJson(changes));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["older_events"], 7);
  const auto& event = json["events"][0];
  EXPECT_EQ(event["cause"], MessageJson(cause));
  EXPECT_EQ(event["at"]["commit"], "bbbbbbbbbbbbbbbb");
  EXPECT_EQ(event["commits"], 3);
  EXPECT_EQ(event["culprit"]["author"], "ada");
}

TEST(RenderJson, NullIsWhatIsNotKnown) {
  v1::Finding cause = Calls("f");
  cause.set_share_of_calls(0.5);
  const auto event = nlohmann::json::parse(RenderJson(OneEvent(cause)))["events"][0];
  for (const char* field : {"commits", "culprit", "back_at"}) {
    EXPECT_TRUE(event[field].is_null()) << field;
  }
  EXPECT_EQ(event["cause"]["share_of_calls"], 0.5);
  for (const char* field : {"caller", "caller_display", "caller_calls", "interval", "impact"}) {
    EXPECT_TRUE(event["cause"][field].is_null()) << field;
  }
}

TEST(RenderJson, NamesTestsToRunAgain) {
  v1::Report report = JsonReport();
  report.clear_reruns();
  v1::Rerun& rerun = *report.add_reruns();
  rerun.set_target("//a:one");
  rerun.set_runs(3);
  const auto json = nlohmann::json::parse(RenderJson(report));
  EXPECT_EQ(json["reruns"][0]["target"], "//a:one");
  EXPECT_EQ(json["reruns"][0]["runs"], 3);
  EXPECT_EQ(json["reruns"][0]["alarms"], false);
}

TEST(RenderJson, AnExplanationHasBothPaths) {
  v1::Explanation explanation;
  *explanation.mutable_finding() = JsonReport().findings(0);
  for (const char* function : {"main", "parse"}) {
    v1::Explanation::Step& step = *explanation.mutable_head()->add_path();
    step.set_function(function);
    step.set_arc_calls(40);
  }
  explanation.mutable_head()->mutable_path(1)->set_per_call(40);
  explanation.mutable_base();
  const auto json = nlohmann::ordered_json::parse(RenderJson(explanation));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["finding"], MessageJson(explanation.finding()));
  EXPECT_TRUE(json["base"]["path"].empty());
  const auto& path = json["head"]["path"];
  EXPECT_EQ(path[1]["function"], "parse");
  EXPECT_EQ(path[1]["arc_calls"], 40);
  EXPECT_TRUE(path[0]["per_call"].is_null());
  EXPECT_EQ(path[1]["per_call"], 40);
  EXPECT_EQ(path[0]["site"], nlohmann::ordered_json({{"file", ""}, {"line", 0}}));
}

TEST(RenderJson, ATrendHasEveryPoint) {
  v1::GetTrendResponse trend;
  trend.set_function("gprofhub_allocated_bytes");
  trend.add_points()->set_unix_ms(int64_t{1} << 40);
  trend.mutable_points(0)->set_calls_change(v1::CHANGED_UNCONFIRMED);
  const auto json = nlohmann::json::parse(RenderJson(trend));
  EXPECT_EQ(json["by"], "run");
  EXPECT_EQ(json["unit"], "bytes");
  EXPECT_EQ(json["points"][0]["unix_ms"], int64_t{1} << 40);
  EXPECT_EQ(json["points"][0]["calls_change"], "changed_unconfirmed");
  EXPECT_EQ(json["points"][0]["self_change"], "no_change");
  EXPECT_TRUE(json["periods"].empty());
}

TEST(RenderJson, ATrendByWeekHasPeriods) {
  v1::GetTrendResponse trend;
  trend.set_by(v1::BY_WEEK);
  v1::TrendPeriod& week = *trend.add_periods();
  week.set_unix_ms(1699833600000);
  week.mutable_calls()->set_median(1500);
  const auto json = nlohmann::json::parse(RenderJson(trend));
  EXPECT_EQ(json["by"], "week");
  EXPECT_EQ(json["periods"][0]["begins"], "2023-11-13");
  EXPECT_EQ(json["periods"][0]["calls"]["median"], 1500);
}

TEST(MessageSchema, RequiresTheMembersOfTheJson) {
  nlohmann::ordered_json schemas;
  MessageSchema(*v1::Report::descriptor(), schemas);
  const auto names_in = [](const nlohmann::ordered_json& object) {
    std::vector<std::string> names;
    for (const auto& [name, value] : object.items()) names.push_back(name);
    return names;
  };
  const auto report = nlohmann::ordered_json::parse(RenderJson(JsonReport()));
  EXPECT_EQ(schemas["gprofhub.v1.Report"]["required"], names_in(report));
  EXPECT_EQ(schemas["gprofhub.v1.Finding"]["required"],
            names_in(MessageJson(JsonReport().findings(0))));
  EXPECT_TRUE(schemas["gprofhub.v1.Finding"]["properties"].contains("cause"));
  EXPECT_FALSE(schemas["gprofhub.v1.Finding"]["properties"].contains("may_follow"));
  EXPECT_EQ(schemas["gprofhub.v1.Shift"]["properties"]["kind"]["enum"][1], "renamed");
}

// The schema of what `gprofhub get` prints.
std::string FindingSchema() {
  nlohmann::ordered_json schemas;
  const nlohmann::ordered_json document = MessageSchema(*v1::Explanation::descriptor(), schemas);
  const nlohmann::ordered_json schema = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"$id", "urn:gprofhub:finding:1"},
      {"title", "A finding of gprofhub, version 1"},
      {"$ref", document["$ref"]},
      {"$defs", schemas}};
  return absl::StrReplaceAll(schema.dump(2), {{"#/components/schemas/", "#/$defs/"}}) + "\n";
}

TEST(MessageSchema, OfAFindingIsPublished) {
  std::ifstream file("docs/schemas/finding.json");
  const std::string published{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(published, FindingSchema());
}

TEST(MessageSchema, EveryMemberIsDocumented) {
  std::ifstream file("docs/findings-json.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  nlohmann::ordered_json schemas;
  MessageSchema(*v1::Report::descriptor(), schemas);
  MessageSchema(*v1::Explanation::descriptor(), schemas);
  for (const char* message : {"Report", "Compared", "Finding", "Rerun", "TargetTotal",
                              "Explanation", "Explanation.Side", "Explanation.Step"}) {
    const auto& schema = schemas[absl::StrCat("gprofhub.v1.", message)];
    for (const auto& [name, type] : schema["properties"].items()) {
      EXPECT_THAT(page, HasSubstr(absl::StrCat("`", name, "`"))) << message;
    }
  }
}

}  // namespace

}  // namespace gprofhub::reporter
