#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "page/views/finding_parts.h"
#include "page/views/views.h"
#include "reporter/findings/function_rows.h"
#include "reporter/testing/sample_reports.h"

namespace gprofhub::page {

namespace {

using reporter::TestSummary;
using reporter::TestVerdict;
using ::testing::HasSubstr;
using ::testing::Not;

struct OverallCase {
  std::vector<TestSummary> tests;
  const char* words;
};

TestSummary Summary(TestVerdict verdict, size_t regressions = 0, size_t improvements = 0) {
  TestSummary test;
  test.verdict = verdict;
  test.regressions.count = regressions;
  test.improvements.count = improvements;
  return test;
}

TEST(OverallOf, TheNetChangeOfTestsDecidesBeforeTheirCauses) {
  v1::Report report;
  report.mutable_compared()->add_targets("//db:query_test");
  EXPECT_EQ(OverallOf(report, {}).words, "no baseline");
  report.mutable_compared()->mutable_base();
  for (const OverallCase& one : std::vector<OverallCase>{
           {{}, "= no significant change"},
           {{Summary(TestVerdict::kFaster, 1, 1)}, "▼ costs less"},
           {{Summary(TestVerdict::kSlower, 0, 2)}, "▲ costs more"},
           {{Summary(TestVerdict::kFaster), Summary(TestVerdict::kSlower)}, "± mixed"},
           {{Summary(TestVerdict::kInconclusive, 1)}, "▲ costs more"},
           {{Summary(TestVerdict::kInconclusive, 0, 1)}, "▼ costs less"},
           {{Summary(TestVerdict::kCountsOnly, 1, 1)}, "± mixed"},
           {{Summary(TestVerdict::kSame), Summary(TestVerdict::kUnchanged)},
            "= no significant change"}}) {
    EXPECT_EQ(OverallOf(report, one.tests).words, one.words);
  }
  report.mutable_compared()->clear_targets();
  EXPECT_EQ(OverallOf(report, {}).words, "not compared");
}

class ComparisonViewTest : public testing::Test {
 protected:
  ComparisonViewTest() {
    context_.project = "acme";
    context_.may_acknowledge = true;
    comparison_.report = reporter::JsonReport();
    comparison_.run = "2";
  }

  std::string Page() const { return ComparisonView(context_, comparison_).bytes(); }
  const v1::Finding& First() const { return comparison_.report.findings(0); }

  Context context_;
  Comparison comparison_;
};

TEST_F(ComparisonViewTest, TheNetVerdictIsFirstAndSideEffectsAreLast) {
  const std::string page = Page();
  size_t at = 0;
  for (const char* part : {"<h1>", "class=\"verdict\"", "<h2>Tests</h2>", "<h2>Causes</h2>",
                           "<h2>Next steps</h2>", "<summary><h2>", "<h2>Compared runs</h2>"}) {
    const size_t next = page.find(part, at);
    EXPECT_NE(next, std::string::npos) << part << "\n" << page;
    if (next != std::string::npos) at = next;
  }
}

TEST_F(ComparisonViewTest, ACauseHasItsChangeInTimeAndPercent) {
  v1::TargetTotal& total = *comparison_.report.add_totals();
  total.set_target(reporter::kSampleTarget);
  total.set_dimension("seconds");
  total.set_before(2);
  total.set_after(2);
  reporter::SetTestEffects(comparison_.report);
  EXPECT_THAT(Page(), testing::ContainsRegex("about \\+[0-9.]+ m?s CPU \\(\\+[0-9.]+%\\)"));
}

TEST_F(ComparisonViewTest, APullRequestAndItsCommitsLinkToTheForge) {
  comparison_.head.set_pull_request("17");
  comparison_.report.mutable_compared()->mutable_head()->set_commit(std::string(40, 'b'));
  comparison_.report.mutable_compared()->mutable_head()->set_branch("faster-json");
  EXPECT_THAT(Page(), HasSubstr("Pull request #17: ")) << "without a forge";
  context_.links.commit = "https://forge.example/commit/{commit}";
  context_.links.pull_request = "https://forge.example/pull/{number}";
  const std::string page = Page();
  EXPECT_THAT(page, HasSubstr("<h1>#17 faster-json</h1>"));
  EXPECT_THAT(page, HasSubstr("href=\"https://forge.example/pull/17\""));
  EXPECT_THAT(page, HasSubstr("href=\"https://forge.example/commit/bbbb"));
}

TEST_F(ComparisonViewTest, ItsHeadHasThePullRequestsTitleAndAuthor) {
  comparison_.head.set_pull_request("17");
  comparison_.head.set_title("Allocate </h1><script>once");
  comparison_.head.set_author("Dana <b>");
  v1::Compared::Side& head = *comparison_.report.mutable_compared()->mutable_head();
  head.set_commit(std::string(40, 'b'));
  head.set_subject("Use <img src=x> \"once\"");
  const std::string page = Page();
  EXPECT_THAT(page, HasSubstr("<h1>#17 Allocate &lt;/h1&gt;&lt;script&gt;once by Dana &lt;b&gt;"));
  EXPECT_THAT(page, HasSubstr("bbbbbbbbbb</code> <span class=\"subject\" title=\"Use &lt;img src=x"
                              "&gt; &quot;once&quot;\">Use &lt;img src=x&gt; "));
}

TEST_F(ComparisonViewTest, AFailingCheckIsShownUntilTheChangeIsAccepted) {
  EXPECT_THAT(Page(), HasSubstr("No failing check is recorded."));
  store::GatedRecord gated;
  gated.target = First().target();
  gated.function = First().function();
  comparison_.gated = {gated};
  EXPECT_THAT(Page(), HasSubstr("1 change fails the check."));
  EXPECT_THAT(Page(), HasSubstr("✗ fails the check</span>"));
  store::AcknowledgementRecord accepted;
  accepted.function = First().function();
  accepted.author = "ann";
  accepted.reason = "wanted";
  comparison_.acknowledgements = {accepted};
  EXPECT_THAT(Page(), HasSubstr("No open change fails the check. Accepted: 1."));
  EXPECT_THAT(Page(), HasSubstr("Accepted by ann: wanted"));
  EXPECT_THAT(Page(), Not(HasSubstr("✗ fails the check")));
}

TEST_F(ComparisonViewTest, OtherBasesCanBeChosen) {
  EXPECT_THAT(Page(), Not(HasSubstr("<select")));
  v1::Run run;
  run.set_run_id("7");
  run.mutable_info()->set_commit(std::string(40, 'c'));
  run.set_received_unix_ms(1'700'000'000'000);
  comparison_.bases = {run};
  EXPECT_THAT(Page(), HasSubstr("<option value=\"\" selected=\"selected\">the baseline</option>"
                                "<option value=\"7\">run 7, cccccccccc, 2023-11-14</option>"));
  comparison_.base = "3";
  EXPECT_THAT(Page(), HasSubstr("<option value=\"3\" selected=\"selected\">3</option>"))
      << "one that is not recent";
}

}  // namespace

}  // namespace gprofhub::page
