#include "reporter/queries/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/sha256.h"
#include "profile/codec/computed.h"
#include "profile/codec/series.h"
#include "reporter/queries/compare_runs.h"
#include "reporter/testing/profile_builder.h"
#include "store/open_store.h"

namespace gprofhub::reporter {
namespace {

using ::testing::HasSubstr;

const absl::Time kNow = absl::FromUnixSeconds(1700000000);
constexpr char kProject[] = "acme";
constexpr char kTarget[] = "//db:query_test";

std::string Commit(char digit) { return std::string(40, digit); }

store::Blob MakeBlob(std::string bytes) { return {base::Sha256Hex(bytes), std::move(bytes)}; }

// main → parse, `calls` times.
profile::ComputedProfile Profile(uint64_t calls) {
  ProfileBuilder builder;
  builder.Function("main", 1, 50).Function("_Z5parsei", 50);
  builder.Arc("", "main", 1).Arc("main", "_Z5parsei", calls, 34);
  return builder.Build();
}

// A SQLite store in a folder of its own.
class QueryHandlersTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    absl::StatusOr<store::Store> store = store::OpenStore("sqlite:" + folder_.string());
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }

  // Records a run; returns its id.
  int64_t Upload(char commit, const std::vector<std::string>& ancestors = {},
                 const std::string& base = "", const std::string& target = kTarget,
                 const std::string& digest = "",
                 store::ProfileKind kind = store::ProfileKind::kCounted) {
    const store::Blob gmon = MakeBlob("gmon");
    const store::Blob bundle = MakeBlob("symbols");
    store::NewExecution execution;
    execution.run.project = kProject;
    execution.run.run_key = std::string("run-") + commit;
    execution.run.commit = Commit(commit);
    execution.run.branch = base.empty() ? "main" : "feature";
    execution.run.base_commit = base;
    execution.run.ancestors = ancestors;
    execution.run.pull_request = base.empty() ? "" : "12";
    execution.run.configuration = "k8-opt";
    execution.run.profile_kind = kind;
    execution.run.started = kNow + absl::Seconds(commit);
    execution.run.committed = kNow + absl::Seconds(commit);
    execution.execution.target = target;
    execution.execution.status = "PASSED";
    execution.execution.test_binary_digest = digest;
    execution.profiles = {{"gmon.1", "b1d1", gmon.name}};
    execution.images = {{"b1d1", bundle.name}};
    execution.blobs = {gmon, bundle};
    const absl::StatusOr<store::RecordedExecution> recorded =
        store_->ingest.RecordExecution(execution, kNow);
    EXPECT_TRUE(recorded.ok()) << recorded.status();
    return recorded.ok() ? recorded->run_id : 0;
  }

  int64_t UploadSampled(char commit) {
    return Upload(commit, {}, "", kTarget, "", store::ProfileKind::kSampled);
  }

  // Ends the oldest pending job.
  void Analyze(const profile::ComputedProfile& profile) {
    const auto job = store_->jobs.Claim("worker", kNow, absl::Minutes(1), 3);
    ASSERT_TRUE(job.ok() && job->has_value()) << job.status();
    store::AnalysisResult result;
    result.computed = MakeBlob(profile::EncodeComputedProfile(profile));
    for (auto& [bucket, payload] : profile::EncodeSeries(profile)) {
      result.segments.push_back({(*job)->run_id, (*job)->target, bucket, payload});
    }
    const absl::Status status = store_->jobs.Complete(**job, result, kNow);
    ASSERT_TRUE(status.ok()) << status;
  }

  absl::StatusOr<v1::Report> CompareRun(const std::string& head, const std::string& base = "") {
    v1::CompareRequest request;
    request.set_project(kProject);
    request.set_head(head);
    request.set_base(base);
    return Compare(store_->reading, store_->blobs, request);
  }

  std::filesystem::path folder_;
  std::optional<store::Store> store_;
};

TEST_F(QueryHandlersTest, FindsARunByIdCommitPrefixAndLatest) {
  const int64_t first = Upload('a');
  const int64_t second = Upload('b');
  EXPECT_EQ(FindRun(store_->reading, kProject, std::to_string(first))->id, first);
  EXPECT_EQ(FindRun(store_->reading, kProject, "aaaaaaa")->id, first);
  EXPECT_EQ(FindRun(store_->reading, kProject, "latest")->id, second);
  EXPECT_EQ(FindRun(store_->reading, kProject, "")->id, second);
}

TEST_F(QueryHandlersTest, SampledRunsAreTheLatestOnlyWhereThereAreNoOthers) {
  const int64_t sampled = UploadSampled('b');
  EXPECT_EQ(FindRun(store_->reading, kProject, "latest")->id, sampled);
  EXPECT_EQ(FindRun(store_->reading, kProject, Commit('b'))->id, sampled);
  const int64_t counted = Upload('a');
  EXPECT_EQ(FindRun(store_->reading, kProject, "latest")->id, counted);
  EXPECT_EQ(FindRun(store_->reading, kProject, std::to_string(sampled))->id, sampled);
}

TEST_F(QueryHandlersTest, SampledRunsAreNotCompared) {
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

TEST_F(QueryHandlersTest, SampledRunsHaveNoTrend) {
  UploadSampled('a');
  Analyze(Profile(5));
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("main");
  EXPECT_EQ(GetTrend(store_->reading, store_->blobs, request).status().code(),
            absl::StatusCode::kNotFound);
  Upload('b');
  Analyze(Profile(9));
  EXPECT_EQ(GetTrend(store_->reading, store_->blobs, request)->points_size(), 1);
}

TEST_F(QueryHandlersTest, RunsOfOtherProjectsAreNotFound) {
  const int64_t run = Upload('a');
  for (const std::string& text : {std::to_string(run), Commit('a'), std::string("latest")}) {
    EXPECT_EQ(FindRun(store_->reading, "other", text).status().code(), absl::StatusCode::kNotFound)
        << text;
  }
}

TEST_F(QueryHandlersTest, WhatNamesNoRunIsRefused) {
  Upload('a');
  EXPECT_EQ(FindRun(store_->reading, kProject, "99").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(FindRun(store_->reading, kProject, "abcdef0").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(FindRun(store_->reading, kProject, "abc").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FindRun(store_->reading, kProject, "main'; --").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(QueryHandlersTest, ListsRunsNewestFirstWithTheirJobs) {
  Upload('a');
  Analyze(Profile(1));
  Upload('b');
  v1::ListRunsRequest request;
  request.set_project(kProject);
  const absl::StatusOr<v1::ListRunsResponse> runs = ListRuns(store_->reading, request);
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->runs_size(), 2);
  EXPECT_EQ(runs->runs(0).info().commit(), Commit('b'));
  EXPECT_EQ(runs->runs(0).jobs_pending(), 1u);
  EXPECT_EQ(runs->runs(1).jobs_done(), 1u);
  EXPECT_EQ(runs->runs(1).targets(0).state(), v1::Target::ANALYZED);
  request.set_limit(1001);
  EXPECT_EQ(ListRuns(store_->reading, request).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(QueryHandlersTest, ComparesWithTheMergeBase) {
  const int64_t base = Upload('a');
  Analyze(Profile(100));
  Upload('b', {}, Commit('a'));
  Analyze(Profile(150));
  const absl::StatusOr<v1::Report> report = CompareRun("latest");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->compared().baseline_reason(), "merge base");
  EXPECT_EQ(report->compared().base().run_id(), std::to_string(base));
  EXPECT_EQ(report->compared().base().executions(), 1u);
  EXPECT_EQ(report->compared().targets(0), kTarget);
  ASSERT_GT(report->findings_size(), 0);
  EXPECT_EQ(report->findings(0).function_display(), "parse(int)");
  EXPECT_EQ(report->findings(0).before(), 100);
  EXPECT_EQ(report->findings(0).after(), 150);
}

TEST_F(QueryHandlersTest, ComparesWithTheNearestAncestorAndSaysWhich) {
  Upload('a');
  Analyze(Profile(100));
  Upload('d', {Commit('c'), Commit('a')}, Commit('b'));
  Analyze(Profile(100));
  const absl::StatusOr<v1::Report> report = CompareRun("latest");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->compared().baseline_reason(), "ancestor 2 commits before the merge base");
}

TEST_F(QueryHandlersTest, ARunOfAPullRequestIsNoBaseline) {
  Upload('a', {}, Commit('9'));
  Analyze(Profile(100));
  Upload('b', {Commit('a')});
  Analyze(Profile(150));
  const absl::StatusOr<v1::Report> report = CompareRun("latest");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->compared().has_base());
  EXPECT_EQ(report->compared().baseline_reason().substr(0, 5), "none:");
  EXPECT_EQ(report->findings_size(), 0);
  // Given by name it may be compared with.
  EXPECT_GT(CompareRun("latest", Commit('a'))->findings_size(), 0);
}

TEST_F(QueryHandlersTest, ARunUnderAnalysisIsNotComparedYet) {
  Upload('a');
  const absl::StatusOr<v1::Report> report = CompareRun("latest");
  EXPECT_EQ(report.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(report.status().message().find("gprofhub runs --wait"), std::string::npos);
}

TEST_F(QueryHandlersTest, AProfileOfSeveralTargetsMustBeNamed) {
  Upload('a', {}, "", "//a:test");
  Analyze(Profile(1));
  Upload('a', {}, "", "//b:test");
  v1::GetProfileRequest request;
  request.set_project(kProject);
  const auto unnamed = GetProfile(store_->reading, store_->blobs, request);
  EXPECT_EQ(unnamed.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(unnamed.status().message().find("//a:test"), std::string::npos);
  request.set_target("//a:test");
  const auto profile = GetProfile(store_->reading, store_->blobs, request);
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile::DecodeComputedProfile(profile->computed())->functions.size(), 2u);
  request.set_target("//b:test");
  EXPECT_EQ(GetProfile(store_->reading, store_->blobs, request).status().code(),
            absl::StatusCode::kFailedPrecondition);
  request.set_target("//c:test");
  EXPECT_EQ(GetProfile(store_->reading, store_->blobs, request).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(QueryHandlersTest, FollowsAFunctionOverTheRuns) {
  for (const auto& [commit, calls] : {std::pair('a', 100), std::pair('b', 120)}) {
    Upload(commit);
    Analyze(Profile(calls));
  }
  Upload('c');  // not analysed
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("parse");
  const absl::StatusOr<v1::GetTrendResponse> trend =
      GetTrend(store_->reading, store_->blobs, request);
  ASSERT_TRUE(trend.ok()) << trend.status();
  EXPECT_EQ(trend->function(), "_Z5parsei");
  EXPECT_EQ(trend->function_display(), "parse(int)");
  ASSERT_EQ(trend->points_size(), 2);
  EXPECT_EQ(trend->points(0).commit(), Commit('a'));
  EXPECT_EQ(trend->points(0).calls(), 100);
  EXPECT_EQ(trend->points(1).calls(), 120);
  EXPECT_NEAR(trend->points(1).self_seconds(), 0.5, 1e-6);
  request.set_function("absent");
  EXPECT_EQ(GetTrend(store_->reading, store_->blobs, request).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(QueryHandlersTest, OlderRunsTellHowTimesVary) {
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

TEST_F(QueryHandlersTest, OlderRunsTellWhichCountsVary) {
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

TEST_F(QueryHandlersTest, TheSameBinaryIsNotCompared) {
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

TEST_F(QueryHandlersTest, NamesThatAreNotUtf8AreSentAsText) {
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
  const auto trend = GetTrend(store_->reading, store_->blobs, request);
  ASSERT_TRUE(trend.ok()) << trend.status();
  EXPECT_EQ(trend->points(1).calls(), 80);
  v1::GetTrendResponse response;
  EXPECT_TRUE(response.ParseFromString(trend->SerializeAsString()));
}

}  // namespace
}  // namespace gprofhub::reporter
