#include "reporter/queries/compare_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "reporter/findings/findings.h"
#include "reporter/gate/gate.h"
#include "reporter/gate/policy.h"
#include "reporter/queries/trends.h"
#include "reporter/testing/profile_builder.h"
#include "reporter/testing/stored_runs.h"

namespace gprofhub::reporter {

namespace {

store::RunRecord PullRequestRun() {
  store::RunRecord run;
  run.commit = "head";
  run.base_commit = "base";
  run.ancestors = {"one", "two", "three"};
  run.configuration = "k8-opt";
  return run;
}

store::RunRecord At(const std::string& commit) {
  store::RunRecord run;
  run.commit = commit;
  return run;
}

using Commits = std::vector<std::string>;

TEST(BaselineCommits, BeginWithTheMergeBase) {
  EXPECT_EQ(BaselineCommits(PullRequestRun()), (Commits{"base", "one", "two", "three"}));
}

TEST(BaselineCommits, NeverHoldTheRunsOwnCommit) {
  store::RunRecord run = PullRequestRun();
  run.base_commit = "head";
  run.ancestors = {"head", "one"};
  EXPECT_EQ(BaselineCommits(run), (Commits{"one"}));
}

TEST(BaselineCommits, NameEachCommitOnce) {
  store::RunRecord run = PullRequestRun();
  run.ancestors = {"base", "one", "one"};
  EXPECT_EQ(BaselineCommits(run), (Commits{"base", "one"}));
}

TEST(BaselineReason, SaysHowFarAway) {
  const store::RunRecord run = PullRequestRun();
  EXPECT_EQ(BaselineReason(run, "base"), "merge base");
  EXPECT_EQ(BaselineReason(run, "one"), "ancestor 1 commit before the merge base");
  EXPECT_EQ(BaselineReason(run, "three"), "ancestor 3 commits before the merge base");
}

TEST(BaselineReason, OnTheMainBranchCountsFromTheCommit) {
  store::RunRecord run = PullRequestRun();
  run.base_commit.clear();
  EXPECT_EQ(BaselineReason(run, "one"), "parent commit");
  EXPECT_EQ(BaselineReason(run, "two"), "ancestor 2 commits before");
}

TEST(DescribeBaseline, SaysWhyThereIsNone) {
  EXPECT_EQ(DescribeBaseline(PullRequestRun(), {}).reason,
            "none: no run of the main branch in configuration \"k8-opt\" at any of the 4 commits "
            "before this one");
  EXPECT_EQ(DescribeBaseline(At("head"), {}).reason,
            "none: the upload named neither a merge base nor ancestors (a shallow clone?)");
}

TEST(DescribeBaseline, TakesAllRunsOfTheNearestCommitAndTheOthersAsWindow) {
  const Baseline baseline = DescribeBaseline(PullRequestRun(), {At("two"), At("two"), At("three")});
  ASSERT_EQ(baseline.runs.size(), 2u);
  EXPECT_EQ(baseline.runs[0].commit, "two");
  EXPECT_EQ(baseline.reason, "ancestor 2 commits before the merge base");
  ASSERT_EQ(baseline.window.size(), 1u);
  EXPECT_EQ(baseline.window[0].commit, "three");
}

using ::testing::HasSubstr;

class CompareRunsTest : public StoredRunsTest {
 protected:
  absl::StatusOr<v1::Report> CompareRun(const std::string& head, const std::string& base = "") {
    v1::CompareRequest request;
    request.set_project(kProject);
    request.set_head(head);
    request.set_base(base);
    return CompareRuns(store_.reading, store_.blobs, request);
  }
};

TEST_F(CompareRunsTest, SampledRunsAreNotCompared) {
  const int64_t sampled = UploadSampled('a');
  Analyze(Profile(5));
  const int64_t head = Upload('b', {}, Commit('a'));
  Analyze(Profile(9));
  for (const absl::Status& status :
       {CompareRun(std::to_string(sampled)).status(),
        CompareRun(std::to_string(head), std::to_string(sampled)).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()), HasSubstr("run 1 holds sampled stacks"));
  }
  const absl::StatusOr<v1::Report> report = CompareRun(std::to_string(head));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->compared().baseline_reason(), HasSubstr("none: no run of the main branch"));
}

TEST_F(CompareRunsTest, ComparesWithTheMergeBase) {
  const int64_t base = Upload('a');
  Analyze(Profile(100));
  Upload('b', {}, Commit('a'));
  Analyze(Profile(150));
  const absl::StatusOr<v1::Report> report = CompareRun("latest");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->compared().baseline_reason(), "merge base");
  EXPECT_EQ(report->compared().base().run_id(), std::to_string(base));
  EXPECT_EQ(report->compared().base().executions(), 1u);
  EXPECT_EQ(report->compared().base().subject(), "Subject of a");
  EXPECT_EQ(report->compared().head().subject(), "Subject of b");
  EXPECT_EQ(report->compared().targets(0), kTarget);
  ASSERT_GT(report->findings_size(), 0);
  EXPECT_EQ(report->findings(0).function_display(), "parse(int)");
  EXPECT_EQ(report->findings(0).before(), 100);
  EXPECT_EQ(report->findings(0).after(), 150);
}

TEST_F(CompareRunsTest, ComparesWithTheNearestAncestorAndSaysWhich) {
  Upload('a');
  Analyze(Profile(100));
  Upload('d', {Commit('c'), Commit('a')}, Commit('b'));
  Analyze(Profile(100));
  const absl::StatusOr<v1::Report> report = CompareRun("latest");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->compared().baseline_reason(), "ancestor 2 commits before the merge base");
}

TEST_F(CompareRunsTest, ARunOfAPullRequestIsNoBaseline) {
  Upload('a', {}, Commit('9'));
  Analyze(Profile(100));
  Upload('b', {Commit('a')});
  Analyze(Profile(150));
  const absl::StatusOr<v1::Report> report = CompareRun("latest");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->compared().has_base());
  EXPECT_EQ(report->compared().baseline_reason().substr(0, 5), "none:");
  EXPECT_EQ(report->findings_size(), 0);
  // It may be compared with by name.
  EXPECT_GT(CompareRun("latest", Commit('a'))->findings_size(), 0);
}

TEST_F(CompareRunsTest, ARunUnderAnalysisIsNotComparedYet) {
  Upload('a');
  const absl::StatusOr<v1::Report> report = CompareRun("latest");
  EXPECT_EQ(report.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(report.status().message().find("gprofhub runs --wait"), std::string::npos);
}

TEST_F(CompareRunsTest, ARerunOfSomeTargetsAddsToTheHead) {
  Upload('a', {}, "", kTarget);
  Analyze(Profile(100));
  Upload('a', {}, "", "//db:other_test");
  Analyze(Profile(7));
  const std::vector<std::string> none;
  const int64_t first = Upload({'b', none, Commit('a'), kTarget, "build-id:0b"});
  Analyze(Profile(150));
  Upload({'b', none, Commit('a'), "//db:other_test", "build-id:0c"});
  Analyze(Profile(8));
  const auto before = CompareRun(Commit('b'));
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_EQ(before->compared().head().runs(), 1u);
  EXPECT_EQ(before->reruns_size(), 2);

  UploadedRun rerun{'b', none, Commit('a'), kTarget, "build-id:0b"};
  rerun.key = "-rerun";
  const int64_t second = Upload(rerun);
  // While it is being analysed it does not count as missing.
  EXPECT_EQ(CompareRun(std::to_string(first))->compared().head().runs(), 1u);
  Analyze(Profile(100));
  for (const int64_t asked : {first, second}) {
    const auto after = CompareRun(std::to_string(asked));
    ASSERT_TRUE(after.ok()) << after.status();
    EXPECT_EQ(after->compared().head().run_id(), std::to_string(asked));
    EXPECT_EQ(after->compared().head().runs(), 2u);
    EXPECT_EQ(after->compared().targets_size(), 2) << "the rerun has one of them only";
    // It had 150 calls, and then the same number as the base.
    for (const v1::Finding& finding : after->findings()) {
      EXPECT_FALSE(finding.target() == kTarget && finding.material() &&
                   finding.verdict() == v1::Finding::REGRESSED)
          << finding.DebugString();
    }
    for (const v1::Rerun& more : after->reruns()) EXPECT_FALSE(more.target() == kTarget);
  }
}

TEST_F(CompareRunsTest, ARerunOfTheMainBranchLeavesTheBaseItsOtherTargets) {
  Upload('a', {}, "", kTarget, "build-id:0a");
  Analyze(Profile(100));
  Upload('a', {}, "", "//db:other_test", "build-id:0d");
  Analyze(Profile(7));
  UploadedRun rerun{'a', {}, "", kTarget, "build-id:0a"};
  rerun.key = "-rerun";
  Upload(rerun);
  Analyze(Profile(100));
  Upload('b', {}, Commit('a'), "//db:other_test");
  Analyze(Profile(9));
  const auto report = CompareRun(Commit('b'));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->compared().new_targets_size(), 0);
  EXPECT_EQ(report->compared().targets_size(), 1);
}

TEST_F(CompareRunsTest, TwoRunsOfOneCommitAreComparedWithEachOther) {
  const int64_t one = Upload('a');
  Analyze(Profile(100));
  UploadedRun again{'a'};
  again.key = "-again";
  const int64_t two = Upload(again);
  Analyze(Profile(150));
  const auto report = CompareRun(std::to_string(two), std::to_string(one));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->compared().head().runs(), 1u);
  ASSERT_GT(report->findings_size(), 0);
  EXPECT_EQ(report->findings(0).after(), 150);
}

TEST_F(CompareRunsTest, RunsOfAnotherPullRequestAreNotTheHeads) {
  Upload('a');
  Analyze(Profile(100));
  Upload('b', {}, Commit('a'));
  Analyze(Profile(150));
  UploadedRun main{'b'};  // merged meanwhile
  main.key = "-main";
  Upload(main);
  Analyze(Profile(100));
  EXPECT_EQ(CompareRun("2")->compared().head().runs(), 1u);
}

TEST_F(CompareRunsTest, OlderRunsTellHowTimesVary) {
  Upload('a');
  Analyze(Profile(10));
  Upload('b');
  Analyze(Profile(10));
  Upload('c', {Commit('b'), Commit('a')}, Commit('b'));
  Analyze(Profile(10));
  const auto report = CompareRun(Commit('c'));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->compared().base().commit(), Commit('b'));
  EXPECT_EQ(report->compared().base().runs(), 1u);
  EXPECT_EQ(report->compared().window_runs(), 1u);
}

TEST_F(CompareRunsTest, OlderRunsTellWhichCountsVary) {
  int calls = 10;
  for (const char commit : {'a', 'b', 'c'}) {
    Upload(commit, {}, "", kTarget, "build-id:0a");
    Analyze(Profile(calls += 3));
  }
  Upload('d', {Commit('c'), Commit('b'), Commit('a')}, Commit('c'), kTarget, "build-id:0d");
  Analyze(Profile(30));
  const auto report = CompareRun(Commit('d'));
  ASSERT_TRUE(report.ok()) << report.status();
  size_t counts = 0;
  for (const v1::Finding& finding : report->findings()) {
    if (finding.metric() != v1::Finding::CALLS) continue;
    ++counts;
    EXPECT_FALSE(finding.exact()) << "one binary had three counts";
  }
  EXPECT_GT(counts, 0u);
}

TEST_F(CompareRunsTest, TheSameBinaryIsNotCompared) {
  Upload('a', {}, "", kTarget, "build-id:0a");
  Analyze(Profile(10));
  Upload('b', {Commit('a')}, Commit('a'), kTarget, "build-id:0a");
  Analyze(Profile(99));
  const auto same = CompareRun(Commit('b'));
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ(same->findings_size(), 0);
  ASSERT_EQ(same->compared().unchanged_targets_size(), 1);
  EXPECT_EQ(same->compared().unchanged_targets(0), kTarget);
  EXPECT_EQ(same->compared().targets_size(), 0);
  Upload('c', {Commit('a')}, Commit('a'), kTarget, "build-id:0c");
  Analyze(Profile(99));
  const auto other = CompareRun(Commit('c'));
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_GT(other->findings_size(), 0);
}

// A pull request's run whose result came from Bazel's cache.
UploadedRun Cached(char commit, const std::string& digest) {
  UploadedRun run{commit, {Commit('a')}, Commit('a'), kTarget, digest};
  run.cached = true;
  return run;
}

TEST_F(CompareRunsTest, ACachedResultOfAnotherBinaryIsCompared) {
  Upload('a', {}, "", kTarget, "build-id:0a");
  Analyze(Profile(100));
  Upload(Cached('b', "build-id:0b"));
  Analyze(Profile(150));
  const auto report = CompareRun(Commit('b'));
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->compared().targets_size(), 1);
  EXPECT_EQ(report->compared().cached_targets_size(), 1);
  EXPECT_EQ(report->compared().not_compared_size(), 0);
  ASSERT_GT(report->findings_size(), 0);
  EXPECT_EQ(report->findings(0).before(), 100);
  EXPECT_EQ(report->findings(0).after(), 150);
}

TEST_F(CompareRunsTest, ACachedRunOfACommitAgainSaysWhatTheFirstRunSaid) {
  Upload('a', {}, "", kTarget, "build-id:0a");
  Analyze(Profile(100));
  Upload('b', {}, Commit('a'), kTarget, "build-id:0b");
  Analyze(Profile(150));
  const auto first = CompareRun(Commit('b'));
  ASSERT_TRUE(first.ok()) << first.status();
  UploadedRun again = Cached('b', "build-id:0b");
  again.key = " again";
  again.with_profile = false;
  const int64_t second_run = Upload(again);
  Analyze(Profile(150));
  const auto second = CompareRun(std::to_string(second_run));
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->compared().head().run_id(), std::to_string(second_run));
  ASSERT_EQ(second->findings_size(), first->findings_size());
  for (int i = 0; i < first->findings_size(); ++i) {
    EXPECT_EQ(second->findings(i).SerializeAsString(), first->findings(i).SerializeAsString());
  }
  EXPECT_EQ(second->compared().not_compared_size(), 0);
}

TEST_F(CompareRunsTest, ACachedResultWhoseProfileIsNowhereIsNotCompared) {
  Upload('a', {}, "", kTarget, "build-id:0a");
  Analyze(Profile(100));
  UploadedRun head = Cached('b', "build-id:0b");
  head.with_profile = false;
  Upload(head);
  Analyze(profile::ComputedProfile());
  const auto report = CompareRun(Commit('b'));
  ASSERT_TRUE(report.ok()) << report.status();
  const v1::Compared& compared = report->compared();
  EXPECT_EQ(compared.targets_size(), 0);
  EXPECT_EQ(compared.unchanged_targets_size(), 0);
  EXPECT_EQ(compared.vanished_targets_size(), 0);
  EXPECT_EQ(report->findings_size(), 0);
  ASSERT_EQ(compared.not_compared_size(), 1);
  EXPECT_EQ(compared.not_compared(0).target(), kTarget);
  EXPECT_THAT(compared.not_compared(0).reason(),
              HasSubstr("the head's result came from a cache, and its profile was never uploaded"));
}

TEST_F(CompareRunsTest, WithoutABaseWhoseProfileIsKnownATargetIsNotCompared) {
  UploadedRun base{.commit = 'a', .digest = "build-id:0a"};
  base.cached = true;
  base.with_profile = false;
  Upload(base);
  Analyze(profile::ComputedProfile());
  Upload('b', {Commit('a')}, Commit('a'), kTarget, "build-id:0b");
  Analyze(Profile(150));
  const auto report = CompareRun(Commit('b'));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->compared().new_targets_size(), 0);
  ASSERT_EQ(report->compared().not_compared_size(), 1);
  EXPECT_THAT(report->compared().not_compared(0).reason(),
              HasSubstr("the base's result came from a cache"));
}

TEST_F(CompareRunsTest, ACachedResultIsNoSecondMeasurement) {
  Upload('a', {}, "", kTarget, "build-id:0a");
  Analyze(Profile(100));
  for (const char commit : {'b', 'c'}) {
    UploadedRun cached{commit, {Commit('a')}, "", kTarget, "build-id:0a"};
    cached.cached = true;
    Upload(cached);
    Analyze(Profile(100));
  }
  Upload('d', {Commit('c'), Commit('b'), Commit('a')}, Commit('c'), kTarget, "build-id:0d");
  Analyze(Profile(150));
  const auto report = CompareRun(Commit('d'));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->compared().base().commit(), Commit('c'));
  EXPECT_EQ(report->compared().base().runs(), 1u);
  EXPECT_EQ(report->compared().window_runs(), 0u) << "one measurement, three times";
  EXPECT_GT(report->findings_size(), 0);
}

TEST_F(CompareRunsTest, ACachedResultIsOfTheMachineThatMeasuredIt) {
  UploadedRun base{.commit = 'a', .digest = "build-id:0a"};
  base.machine = "old";
  Upload(base);
  Analyze(Profile(100));
  UploadedRun measured{'b', {Commit('a')}, Commit('a'), kTarget, "build-id:0b"};
  measured.machine = "new";
  Upload(measured);
  Analyze(Profile(150));
  UploadedRun again = Cached('b', "build-id:0b");
  again.key = " again";
  again.machine = "old";
  const int64_t run_id = Upload(again);
  Analyze(Profile(150));
  const auto report = CompareRun(std::to_string(run_id));
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->warnings_size(), 1) << "times of two kinds of machines";
  EXPECT_THAT(report->warnings(0),
              HasSubstr("the base was measured on another kind of machine than the head: times"));
}

TEST_F(CompareRunsTest, TheBasesOwnMeasurementOutOfTheCacheIsUnchanged) {
  Upload('a');
  Analyze(Profile(100));
  Upload(Cached('b', ""));
  Analyze(Profile(100));
  const auto report = CompareRun(Commit('b'));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->compared().targets_size(), 0);
  EXPECT_EQ(report->compared().unchanged_targets_size(), 1);
}

TEST_F(CompareRunsTest, ATargetWhoseAnalysisFailedIsNotComparedAndNotGone) {
  Upload('a');
  Analyze(Profile(100));
  Upload('b', {}, Commit('a'));
  const auto job = store_.jobs.Claim("worker", kNow, absl::Minutes(1), 3);
  ASSERT_TRUE(job.ok() && job->has_value());
  ASSERT_TRUE(store_.jobs.Fail(**job, "bad bytes", store::JobQueue::Ending::kFailed, kNow).ok());
  const auto report = CompareRun(Commit('b'));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->compared().vanished_targets_size(), 0);
  ASSERT_EQ(report->compared().not_compared_size(), 1);
  EXPECT_THAT(report->compared().not_compared(0).reason(), HasSubstr("bad bytes"));
}

TEST_F(CompareRunsTest, ATargetThatHasNoResultAtTheHeadIsNotCompared) {
  Upload({.commit = 'a'});
  Upload({.commit = 'a', .target = "//a:other"});
  Analyze(Profile(100));
  Analyze(Profile(100));
  Upload({.commit = 'b', .base = Commit('a')});
  Analyze(Profile(100));
  const auto report = CompareRun(Commit('b'));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->compared().targets_size(), 1);
  ASSERT_EQ(report->compared().not_compared_size(), 1);
  EXPECT_EQ(report->compared().not_compared(0).target(), "//a:other");
  EXPECT_THAT(report->compared().not_compared(0).reason(), HasSubstr("no result at the head"));
}

TEST_F(CompareRunsTest, ATestThatFailsOnlyAtTheHeadIsNotCompared) {
  for (const char* const at_base : {"PASSED", "FAILED"}) {
    const bool passed = std::string(at_base) == "PASSED";
    const char base = passed ? 'a' : 'c', head = passed ? 'b' : 'd';
    Upload({.commit = base, .status = at_base});
    Analyze(Profile(100));
    Upload({.commit = head, .base = Commit(base), .status = "TIMEOUT"});
    Analyze(Profile(50));
    const auto report = CompareRun(Commit(head));
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->compared().not_compared_size(), passed ? 1 : 0) << at_base;
    if (!passed) continue;
    EXPECT_THAT(report->compared().not_compared(0).reason(), HasSubstr("TIMEOUT"));
    EXPECT_EQ(report->findings_size(), 0);
  }
}

// 400 tests in which `other` is called three times as often from each of its callers, which a rule
// allows, and a last one in which `parse_one` doubles.
TEST_F(CompareRunsTest, TheGateJudgesTheLeastImportantFindingToo) {
  const auto profile = [](uint64_t other, uint64_t parses) {
    ProfileBuilder builder;
    builder.Function("main", 1, 99).Function("other", 60).Function("parse_one", 1);
    builder.Arc("", "main", 1).Arc("main", "parse_one", parses);
    for (const char* caller : {"read", "write", "flush"}) {
      builder.Function(caller, 5).Arc("main", caller, 7).Arc(caller, "other", other);
    }
    return builder.Build();
  };
  constexpr int kTests = 400;
  for (const char commit : {'a', 'b'}) {
    for (int i = 0; i <= kTests; ++i) {
      const bool last = i == kTests;
      Upload(commit, {}, commit == 'a' ? "" : Commit('a'),
             last ? "//z:last_test" : absl::StrCat("//a:test", i));
      Analyze(profile(commit == 'b' && !last ? 30'000 : 10'000,
                      commit == 'b' && last ? 20'000 : 10'000));
    }
  }
  const absl::StatusOr<v1::Report> report = CompareRun("latest");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GT(report->findings_size(), 3 * kTests);
  const absl::StatusOr<Policy> policy = ParsePolicy(
      R"({"version": 1, "gates": [{"name": "known", "functions": ["other"], "fails": false},
                                  {"name": "calls", "metrics": ["calls"], "min_cpu_percent": 0}]})",
      "policy.json");
  ASSERT_TRUE(policy.ok()) << policy.status();
  const GateResult gate = JudgeGate(*report, *policy, {}, "12", kNow);
  EXPECT_EQ(gate.conclusion, GateResult::Conclusion::kFail);
  for (const GatedFinding& gated : gate.gated) EXPECT_EQ(gated.finding->target(), "//z:last_test");
}

TEST_F(CompareRunsTest, NamesThatAreNotUtf8AreSentAsText) {
  const auto profile = [](uint64_t calls) {
    ProfileBuilder builder;
    builder.Function("main", 1, 50).Function("caf\xE9", 50).Arc("", "main", 1);
    return builder.Arc("main", "caf\xE9", calls).Build();
  };
  Upload('a');
  Analyze(profile(10));
  Upload('b', {}, Commit('a'));
  Analyze(profile(80));
  const auto report = CompareRun("latest");
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_GT(report->findings_size(), 0);
  EXPECT_EQ(report->findings(0).function(), "caf<0xE9>");
  v1::Report received;
  EXPECT_TRUE(received.ParseFromString(report->SerializeAsString()));
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("caf<0xE9>");
  request.set_run_id(report->compared().head().run_id());
  const auto trend = GetTrend(store_.reading, store_.blobs, request);
  ASSERT_TRUE(trend.ok()) << trend.status();
  EXPECT_EQ(trend->points(1).calls(), 80);
  v1::GetTrendResponse response;
  EXPECT_TRUE(response.ParseFromString(trend->SerializeAsString()));
}

using ExplainFindingTest = StoredRunsTest;

TEST_F(ExplainFindingTest, GivesThePathOfEachSide) {
  Upload('a');
  Analyze(Profile(10));
  Upload('b', {Commit('a')}, Commit('a'));
  Analyze(Profile(80));
  v1::CompareRequest compare;
  compare.set_project(kProject);
  compare.set_head(Commit('b'));
  const auto report = CompareRuns(store_.reading, store_.blobs, compare);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_GT(report->findings_size(), 0);
  v1::ExplainRequest request;
  request.set_project(kProject);
  request.set_head(Commit('b'));
  request.set_finding(FindingId(report->findings(0)).substr(0, 7));
  const auto explained = ExplainFinding(store_.reading, store_.blobs, request);
  ASSERT_TRUE(explained.ok()) << explained.status();
  EXPECT_EQ(explained->finding().function(), "_Z5parsei");
  EXPECT_EQ(explained->base().commit(), Commit('a'));
  ASSERT_EQ(explained->base().path_size(), 2);
  ASSERT_EQ(explained->head().path_size(), 2);
  EXPECT_EQ(explained->base().path(1).arc_calls(), 10);
  EXPECT_EQ(explained->head().path(1).arc_calls(), 80);
  EXPECT_EQ(explained->head().path(1).function_display(), "parse(int)");
  EXPECT_TRUE(explained->head().path(1).changed());
}

TEST_F(ExplainFindingTest, AnUnknownIdIsNotFound) {
  Upload('a');
  Analyze(Profile(10));
  Upload('b', {Commit('a')}, Commit('a'));
  Analyze(Profile(80));
  v1::ExplainRequest request;
  request.set_project(kProject);
  request.set_head(Commit('b'));
  request.set_finding("0123456789");
  EXPECT_EQ(ExplainFinding(store_.reading, store_.blobs, request).status().code(),
            absl::StatusCode::kNotFound);
  request.set_head("ccccccc");
  EXPECT_EQ(ExplainFinding(store_.reading, store_.blobs, request).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace

}  // namespace gprofhub::reporter
