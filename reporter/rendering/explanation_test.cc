#include "reporter/rendering/explanation.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "reporter/findings/finding_id.h"
#include "reporter/testing/made_findings.h"

namespace gprofhub::reporter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void AddStep(v1::Explanation::Side& side, const std::string& function, double arc_calls,
             double per_call, double share, bool changed = false) {
  v1::Explanation::Step& step = *side.add_path();
  step.set_function(function);
  step.set_function_display(function);
  step.mutable_site()->set_file("table/format.cc");
  step.mutable_site()->set_line(92);
  step.set_arc_calls(arc_calls);
  step.set_calls(arc_calls);
  step.set_per_call(per_call);
  step.set_share(share);
  step.set_changed(changed);
}

// main → [cache →] ReadBlock → Extend.
v1::Explanation Sample() {
  v1::Explanation explanation;
  v1::Finding& finding = *explanation.mutable_finding();
  finding = Calls("Extend", "ReadBlock");
  finding.set_caller_calls_before(100);
  finding.set_caller_calls_after(100);
  finding.set_before(100);
  finding.set_after(200);
  finding.set_effect_percent(100);
  v1::Explanation::Side& base = *explanation.mutable_base();
  v1::Explanation::Side& head = *explanation.mutable_head();
  base.set_commit("1111111111111111");
  base.set_run_id("7");
  head.set_run_id("after");
  AddStep(base, "main", 1, 0, 1);
  AddStep(base, "cache", 100, 100, 0.9);
  AddStep(base, "ReadBlock", 100, 1, 0.9);
  AddStep(base, "Extend", 72743, 1, 0.2, true);
  AddStep(head, "main", 1, 0, 1);
  AddStep(head, "ReadBlock", 100, 100, 0.92);
  AddStep(head, "Extend", 145486, 2, 0.36, true);
  return explanation;
}

std::vector<std::string> LinesOf(const std::string& text) { return absl::StrSplit(text, '\n'); }

std::string LineWith(const std::string& text, const std::string& beginning) {
  for (const std::string& line : LinesOf(text)) {
    if (line.rfind(beginning, 0) == 0) return line;
  }
  return "";
}

TEST(RenderExplanationText, ShowsThePathsSideBySide) {
  const v1::Explanation explanation = Sample();
  const std::string text = RenderExplanationText(explanation, false);
  EXPECT_THAT(text, HasSubstr(absl::StrCat("finding ", FindingId(explanation.finding()), "\n")));
  EXPECT_THAT(text,
              HasSubstr("ReadBlock calls Extend twice per call, was once: 200 calls, were 100"));
  EXPECT_THAT(text, HasSubstr("base 111111111111, run 7"));
  EXPECT_THAT(text, HasSubstr("head after"));
  const std::string changed = LineWith(text, "> Extend  table/format.cc:92");
  EXPECT_THAT(changed, HasSubstr("72,743       1×    20%"));
  EXPECT_THAT(changed, HasSubstr("145,486       2×    36%"));
  EXPECT_THAT(LineWith(text, "  main"), Not(HasSubstr("×"))) << "nothing calls it";
  EXPECT_THAT(LineWith(text, "  cache"), testing::EndsWith("-")) << "the base alone passes there";
}

TEST(RenderExplanationText, FitsAScreenAndCommandsNoTerminal) {
  v1::Explanation explanation = Sample();
  for (v1::Explanation::Side* side : {explanation.mutable_base(), explanation.mutable_head()}) {
    side->set_run_id(std::string(300, 'r'));
    for (v1::Explanation::Step& step : *side->mutable_path()) {
      step.set_function_display(absl::StrCat("\x1b[2J", std::string(500, 'n'), "(int)"));
      step.mutable_site()->set_file(absl::StrCat("\n", std::string(500, 'f')));
      step.set_arc_calls(123456789012345);
    }
  }
  const std::string text = RenderExplanationText(explanation, false);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  for (const std::string& line : LinesOf(text)) {
    size_t columns = 0;
    for (const char c : line) columns += (c & 0xC0) != 0x80;
    EXPECT_LE(columns, 120u) << line;
  }
}

TEST(RenderExplanationText, HasColoursWhenAsked) {
  EXPECT_THAT(RenderExplanationText(Sample(), true), HasSubstr("\x1b[31m> Extend"));
  v1::Explanation better = Sample();
  better.mutable_finding()->set_after(50);
  EXPECT_THAT(RenderExplanationText(better, true), HasSubstr("\x1b[32m> Extend"));
}

TEST(RenderExplanationText, SaysWhereThereIsNoPath) {
  v1::Explanation explanation = Sample();
  explanation.mutable_base()->clear_path();
  EXPECT_THAT(RenderExplanationText(explanation, false), HasSubstr("> Extend"));
  explanation.mutable_head()->clear_path();
  EXPECT_THAT(RenderExplanationText(explanation, false), HasSubstr("neither run has a call path"));
}

TEST(RenderExplanationText, WhatStandsForManyFunctionsHasMembersInThePlaceOfAPath) {
  v1::Explanation explanation = Sample();
  v1::Rewrite& rewrite = *explanation.mutable_finding()->mutable_rewrite();
  rewrite.add_pairs()->set_before("jsonOld");
  rewrite.mutable_pairs(0)->set_after("jsonNew");
  rewrite.add_came("_ZN4json5cacheEv");
  const std::string text = RenderExplanationText(explanation, false);
  EXPECT_THAT(text, HasSubstr("  jsonOld → jsonNew\n  json::cache() is new\n"));
}

TEST(RenderExplanationText, ExplainsFindingsOfEveryKind) {
  for (int verdict = v1::Finding::REGRESSED; verdict <= v1::Finding::CANNOT_TELL; ++verdict) {
    for (const auto metric :
         {v1::Finding::CALLS, v1::Finding::SELF_TIME, v1::Finding::TOTAL_TIME}) {
      v1::Explanation explanation = Sample();
      v1::Finding finding = MakeFinding("Extend", metric);
      finding.set_verdict(static_cast<v1::Finding::Verdict>(verdict));
      *explanation.mutable_finding() = finding;
      EXPECT_THAT(RenderExplanationText(explanation, false), HasSubstr("Extend"));
    }
  }
}

TEST(RenderExplanationJson, HasBothPaths) {
  const auto json = nlohmann::json::parse(RenderExplanationJson(Sample()));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["finding"]["function"], "Extend");
  EXPECT_EQ(json["finding"]["id"], FindingId(Sample().finding()));
  EXPECT_EQ(json["base"]["path"].size(), 4u);
  EXPECT_EQ(json["head"]["path"][2]["arc_calls"], 145486);
  EXPECT_EQ(json["head"]["path"][2]["changed"], true);
  EXPECT_TRUE(json["head"]["path"][0]["per_call"].is_null());
}

}  // namespace
}  // namespace gprofhub::reporter
