#include "reporter/rendering/cause_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "reporter/findings/findings.h"
#include "reporter/testing/memory_history.h"

namespace gprofhub::reporter {

namespace {

std::string Coded(absl::string_view name) { return absl::StrCat("`", name, "`"); }

CauseWords WordsOf(const std::vector<v1::Finding>& findings) {
  const v1::Report report = MakeReport(findings);
  return WordsOfCause(GroupByFunction(report)[0], Coded);
}

// Calls of Extend by ReadBlock, with the given totals.
v1::Finding Extend(double before, double after, double blocks_before, double blocks_after) {
  v1::Finding arc = Calls("Extend", "ReadBlock");
  arc.set_before(before);
  arc.set_after(after);
  arc.set_effect_percent(before > 0 ? (after / before - 1) * 100 : 0);
  arc.set_caller_calls_before(blocks_before);
  arc.set_caller_calls_after(blocks_after);
  return arc;
}

TEST(WordsOfCause, SayHowOftenOneCallLeadsToAnother) {
  const CauseWords words = WordsOf({Extend(72743, 145486, 72743, 72743)});
  EXPECT_EQ(words.what,
            "`ReadBlock` calls `Extend` twice per call, was once: 145,486 calls, were 72,743 "
            "(+100%, exact)");
  EXPECT_EQ(words.share, "about +10% of the test's CPU");
  EXPECT_EQ(words.why,
            "`ReadBlock` runs as often as before, so the change is in its own code or data.");
}

TEST(WordsOfCause, SayWhatAllCallersTogetherDo) {
  v1::Finding in_all = Calls("Extend");
  in_all.set_before(152759);
  in_all.set_after(225502);
  EXPECT_EQ(WordsOf({Extend(72743, 145486, 72743, 72743), in_all}).what,
            "`ReadBlock` calls `Extend` twice per call, was once: 145,486 calls, were 72,743 "
            "(+100%, exact); by all callers 225,502, were 152,759");
}

TEST(WordsOfCause, OfACallerThatRunsOnceSayOnlyHowOften) {
  const CauseWords words = WordsOf({Extend(100, 150, 1, 1)});
  EXPECT_EQ(words.what, "`ReadBlock` calls `Extend` more often: 150 calls, were 100 (+50%, exact)");
  EXPECT_EQ(words.why,
            "`ReadBlock` runs once, as before, so the change is in its own code or data.");
}

TEST(WordsOfCause, OfACallerThatRunsMoreSayThatItIsNotAll) {
  EXPECT_EQ(WordsOf({Extend(100, 800, 100, 400)}).why,
            "`ReadBlock` itself runs 400×, was 100; that alone does not explain it.");
}

TEST(WordsOfCause, OfARecursionSayThatItGoesDeeper) {
  v1::Finding arc = Extend(100, 800, 106, 806);
  arc.set_caller(arc.function());
  EXPECT_EQ(WordsOf({arc}).why, "Per call from outside, it calls itself more often.");
}

TEST(WordsOfCause, SayTheLibraryTimeOfTheCaller) {
  v1::Finding time = Calls("ReadBlock");
  time.set_metric(v1::Finding::LIBRARY_TIME);
  time.set_before(0.5);
  time.set_after(1);
  time.set_explained(true);
  EXPECT_EQ(WordsOf({Extend(72743, 145486, 72743, 72743), time}).what,
            "`ReadBlock` calls `Extend` twice per call, was once: 145,486 calls, were 72,743 "
            "(+100%, exact); with that 1 s in libraries, were 500 ms");
}

// One call of Insert allocates the given bytes in one call of malloc.
std::vector<v1::Finding> Allocations(double bytes_before, double bytes_after) {
  v1::Finding calls = Calls("malloc", "Insert"),
              bytes = Calls("gprofhub_allocated_bytes", "Insert");
  calls.set_before(0);
  calls.set_after(1000);
  calls.set_impact(0.02);
  bytes.set_before(bytes_before);
  bytes.set_after(bytes_after);
  bytes.set_impact(0);
  bytes.set_share_of_bytes(0.52);
  return {calls, bytes};
}

TEST(WordsOfCause, OfAllocationsSayTheBytesToo) {
  const CauseWords words = WordsOf(Allocations(0, 4096000));
  EXPECT_EQ(words.what,
            "`Insert` now calls `malloc`: 1,000 calls, were none (exact); with that it allocates "
            "4,096,000 bytes, were none");
  EXPECT_EQ(words.share, "about +2.0% of the test's CPU, about 52% of the bytes that it allocates");
}

TEST(WordsOfCause, OfBytesSayTheShareOfTheSameTest) {
  std::vector<v1::Finding> findings = Allocations(0, 4096000);
  findings.push_back(findings[1]);
  findings[1].set_target("//b:other");
  findings[1].set_share_of_bytes(0.93);
  EXPECT_EQ(WordsOf(findings).share,
            "about +2.0% of the test's CPU, about 52% of the bytes that it allocates");
}

TEST(WordsOfCause, OfBytesSayTheAllocationsToo) {
  std::vector<v1::Finding> findings = Allocations(0, 4096000);
  findings[0].set_material(false);
  findings[0].set_impact(0);
  std::swap(findings[0], findings[1]);
  const CauseWords words = WordsOf(findings);
  EXPECT_EQ(words.what,
            "`Insert` now allocates: 4,096,000 bytes, were none (exact); in 1,000 calls of "
            "`malloc`, were none");
  EXPECT_EQ(words.share, "about 52% of the bytes that it allocates");
}

TEST(WordsOfCause, OfCallsThatWaitSaySo) {
  v1::Finding arc = Extend(0, 41, 84, 84);
  arc.set_impact(0.00001);
  arc.set_share_of_waits(0.2);
  EXPECT_EQ(WordsOf({arc}).share,
            "less than 0.1% of the test's CPU, about 20% of its calls that wait");
}

TEST(WordsOfCause, OfACallThatIsNewOrGone) {
  v1::Finding arc = Extend(0, 12, 5, 5);
  arc.set_exact(false);
  arc.set_one_run(true);
  CauseWords words = WordsOf({arc});
  EXPECT_EQ(words.what, "`ReadBlock` now calls `Extend`: 12 calls, were none (one run)");
  EXPECT_EQ(words.why, "The base does not make this call.");
  words = WordsOf({Extend(1, 0, 5, 5)});
  EXPECT_EQ(words.what, "`ReadBlock` no longer calls `Extend`: no calls, was 1 (−100%, exact)");
  EXPECT_EQ(words.why, "Only the base makes this call.");
  v1::Finding whole = Calls("Extend");
  whole.set_before(0);
  whole.set_after(12);
  EXPECT_EQ(WordsOf({arc, whole}).why, "The base counted no call of it.");
}

TEST(WordsOfCause, SayThatTheTestItselfDoesIt) {
  v1::Finding arc = Extend(100, 150, 1, 1);
  arc.set_in_test(true);
  EXPECT_EQ(WordsOf({arc}).why, "The call stands in the test's own code.");
}

TEST(WordsOfCause, OfAnUnconfirmedChangeNameTheEditsNearIt) {
  v1::Finding arc = Extend(72743, 145486, 72743, 72743);
  arc.set_verdict(v1::Finding::CANNOT_TELL);
  arc.set_unconfirmed(true);
  EXPECT_EQ(WordsOf({arc}).why, "Unconfirmed: more runs show whether it repeats.");
  arc.add_edited("_Z4InitPi");
  EXPECT_EQ(
      WordsOf({arc}).why,
      "Unconfirmed: more runs show whether it repeats. Edited nearby: `Init(int*)`; other data "
      "may come from there.");
  EXPECT_EQ(WordsOf({arc}).share, "about +10% of the test's CPU");
}

TEST(WordsOfCause, OfAnUnconfirmedChangeNameTheOtherEnvironment) {
  v1::Finding arc = Extend(72743, 145486, 72743, 72743);
  arc.set_verdict(v1::Finding::CANNOT_TELL);
  arc.set_unconfirmed(true);
  v1::EnvironmentDifference& difference = *arc.add_environment();
  difference.set_property("processors");
  difference.set_before("1");
  difference.set_after("2");
  EXPECT_EQ(WordsOf({arc}).why,
            "Unconfirmed: it began in code without an edit, and the head ran in another "
            "environment: 2 processors instead of 1.");
}

TEST(WordsOfCause, OfAChangeInUnchangedCodeNameTheEditsNearIt) {
  v1::Finding arc = Extend(72743, 145486, 72743, 72743);
  arc.add_edited("_Z4InitPi");
  EXPECT_EQ(WordsOf({arc}).why,
            "`ReadBlock` runs as often as before, and its code is the same. Edited nearby: "
            "`Init(int*)`; other data may come from there.");
}

TEST(WordsOfCause, SayThatTheInputOfTheTestChanged) {
  v1::Finding arc = Extend(72743, 145486, 72743, 72743);
  arc.set_in_test(true);
  arc.set_test_input(true);
  EXPECT_EQ(WordsOf({arc}).why, "No code outside of the test changed: its input did.");
}

TEST(WordsOfCause, OfATimeSayThatCallsDoNotExplainIt) {
  v1::Finding time = MakeFinding("Extend", v1::Finding::SELF_TIME);
  time.set_before(0.268);
  time.set_after(0.513);
  time.set_effect_percent(92);
  time.set_interval_low_percent(77);
  time.set_interval_high_percent(108);
  const CauseWords words = WordsOf({time});
  EXPECT_EQ(words.what, "`Extend` itself takes 513 ms, was 268 ms (+92%, 95%: +77% to +108%)");
  EXPECT_EQ(words.share, "about +10% of the test's CPU");
  EXPECT_EQ(words.why, "Its calls did not change as much, so each call takes longer.");
}

TEST(WordsOfCause, OfInstructionsSpeakOfThem) {
  v1::Finding work = MakeFinding("Extend", v1::Finding::INSTRUCTIONS);
  work.set_before(2'000'000);
  work.set_after(3'000'000);
  work.set_effect_percent(50);
  work.set_interval_low_percent(48);
  work.set_interval_high_percent(52);
  EXPECT_EQ(WordsOf({work}).what,
            "`Extend` itself executes 3,000,000 instructions, was 2,000,000 instructions (+50%, "
            "95%: +48% to +52%)");
}

TEST(WordsOfCause, OfInstructionsBesideTheTimeSpeakOfBoth) {
  v1::Finding executed = MakeFinding("Extend", v1::Finding::EVENT_INSTRUCTIONS);
  executed.set_before(2'000'000);
  executed.set_after(3'000'000);
  executed.set_effect_percent(50);
  executed.set_interval_low_percent(48);
  executed.set_interval_high_percent(52);
  const CauseWords alone = WordsOf({executed});
  EXPECT_EQ(alone.what,
            "`Extend` itself executes 3,000,000 instructions, was 2,000,000 instructions (+50%, "
            "95%: +48% to +52%)");
  EXPECT_EQ(alone.share, "about +10% of the test's instructions");
  EXPECT_EQ(alone.why, "Its calls did not change as much, so each call executes more.");
  v1::Finding took = MakeFinding("Extend", v1::Finding::SELF_TIME);
  took.set_before(0.268);
  took.set_after(0.513);
  took.set_effect_percent(92);
  took.set_interval_low_percent(77);
  took.set_interval_high_percent(108);
  EXPECT_EQ(WordsOf({took, executed}).what,
            "`Extend` itself takes 513 ms, was 268 ms (+92%, 95%: +77% to +108%); its instructions "
            "+50%");
}

TEST(WordsOfCause, OfACountThatVariesSaySo) {
  v1::Finding arc = Extend(100, 800, 100, 100);
  arc.set_exact(false);
  EXPECT_EQ(WordsOf({arc}).what,
            "`ReadBlock` calls `Extend` 8× per call, was once: 800 calls, were 100 (+700%, differs "
            "between executions)");
}

TEST(WordsOfCause, OfAllocationsSpeakOfBytes) {
  v1::Finding arc = Extend(12'800, 32'800, 100, 100);
  arc.set_function("gprofhub_allocated_bytes");
  CauseWords words = WordsOf({arc});
  EXPECT_EQ(words.what,
            "`ReadBlock` allocates 328 bytes per call, was 128: 32,800 bytes, were 12,800 (+156%, "
            "exact)");
  EXPECT_EQ(words.why,
            "`ReadBlock` runs as often as before, so the change is in its own code or data.");
  arc = Extend(0, 1, 5, 5);
  arc.set_function("gprofhub_allocated_bytes");
  words = WordsOf({arc});
  EXPECT_EQ(words.what, "`ReadBlock` now allocates: 1 byte, were none (exact)");
  EXPECT_EQ(words.why, "The base allocates nothing there.");
  arc = Extend(7, 0, 5, 5);
  arc.set_function("gprofhub_allocated_bytes");
  words = WordsOf({arc});
  EXPECT_EQ(words.what, "`ReadBlock` no longer allocates: no bytes, were 7 (−100%, exact)");
  EXPECT_EQ(words.why, "Only the base allocates there.");
  v1::Finding whole = Calls("gprofhub_allocated_bytes");
  whole.set_before(100);
  whole.set_after(150);
  whole.set_effect_percent(50);
  EXPECT_EQ(WordsOf({whole}).what, "more is allocated: 150 bytes, were 100 (+50%, exact)");
}

TEST(WordsOfCause, OfThePeakSpeakOfMemoryInUse) {
  v1::Finding arc = Extend(12'800, 32'800, 100, 100);
  arc.set_function("gprofhub_peak_bytes");
  CauseWords words = WordsOf({arc});
  EXPECT_EQ(words.what,
            "`ReadBlock` holds more memory at the peak: 32,800 bytes, were 12,800 (+156%, exact)");
  EXPECT_EQ(
      words.why,
      "More was asked for there, or less of it had been given back, when the most was in use.");
  arc = Extend(0, 1, 5, 5);
  arc.set_function("gprofhub_peak_bytes");
  EXPECT_EQ(WordsOf({arc}).what,
            "`ReadBlock` now holds memory at the peak: 1 byte, were none (exact)");
  arc = Extend(7, 0, 5, 5);
  arc.set_function("gprofhub_peak_bytes");
  EXPECT_EQ(WordsOf({arc}).what,
            "`ReadBlock` no longer holds memory at the peak: no bytes, were 7 (−100%, exact)");
  v1::Finding whole = Calls("gprofhub_peak_bytes");
  whole.set_before(100);
  whole.set_after(150);
  whole.set_effect_percent(50);
  EXPECT_EQ(WordsOf({whole}).what,
            "more memory is in use at the peak: 150 bytes, were 100 (+50%, exact)");
}

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

TEST(RenderExplanationText, HasTheEffectThatTheReportStates) {
  v1::Explanation explanation = Sample();
  explanation.mutable_finding()->set_impact(0.03);
  EXPECT_THAT(RenderExplanationText(explanation, false), HasSubstr("about 3.0% of the test's CPU"));
  explanation.mutable_finding()->mutable_test_effect()->set_percent(11);
  explanation.mutable_finding()->mutable_test_effect()->set_seconds(0.25);
  EXPECT_THAT(RenderExplanationText(explanation, false), HasSubstr("about +250 ms CPU (+11%)"));
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

}  // namespace

}  // namespace gprofhub::reporter
