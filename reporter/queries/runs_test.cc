#include "reporter/queries/runs.h"

#include <gtest/gtest.h>

#include <string>

#include "reporter/testing/stored_runs.h"

namespace gprofhub::reporter {
namespace {

using ListRunsTest = StoredRunsTest;

TEST_F(ListRunsTest, ListsRunsNewestFirstWithTheirJobs) {
  Upload('a');
  Analyze(Profile(1));
  Upload('b');
  v1::ListRunsRequest request;
  request.set_project(kProject);
  const absl::StatusOr<v1::ListRunsResponse> runs = ListRuns(store_.reading, request);
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->runs_size(), 2);
  EXPECT_EQ(runs->runs(0).info().commit(), Commit('b'));
  EXPECT_EQ(runs->runs(0).jobs_pending(), 1u);
  EXPECT_EQ(runs->runs(1).jobs_done(), 1u);
  EXPECT_TRUE(runs->runs(1).targets().empty());
  request.set_with_targets(true);
  EXPECT_EQ(ListRuns(store_.reading, request)->runs(1).targets(0).state(), v1::Target::ANALYZED);
  request.set_limit(1001);
  EXPECT_EQ(ListRuns(store_.reading, request).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ListRunsTest, NamesTargetsThatFailedInAnyCase) {
  Upload('a', {}, "", "//a:test");
  Analyze(Profile(1));
  Upload('a', {}, "", "//b:test");
  const auto job = store_.jobs.Claim("worker", kNow, absl::Minutes(1), 3);
  ASSERT_TRUE(job.ok() && job->has_value()) << job.status();
  ASSERT_TRUE(store_.jobs.Fail(**job, "no symbols", store::JobQueue::Ending::kFailed, kNow).ok());
  v1::ListRunsRequest request;
  request.set_project(kProject);
  const v1::Run run = ListRuns(store_.reading, request)->runs(0);
  EXPECT_EQ(run.jobs_done(), 1u);
  EXPECT_EQ(run.jobs_failed(), 1u);
  ASSERT_EQ(run.targets_size(), 1);
  EXPECT_EQ(run.targets(0).label(), "//b:test");
  EXPECT_EQ(run.targets(0).error(), "no symbols");
}

TEST_F(ListRunsTest, ARunNamesItsExecutionsIfAskedTo) {
  Upload({.target = "//a:test", .attempt = 1, .status = "FAILED", .duration_ms = 1200});
  Upload({.target = "//a:test", .attempt = 2});
  Upload({.target = "//b:test", .cached = true, .shard = 3});
  v1::GetRunRequest request;
  request.set_project(kProject);
  request.set_run("latest");
  EXPECT_TRUE(GetRun(store_.reading, request)->targets(0).execution_list().empty());
  request.set_with_executions(true);
  const absl::StatusOr<v1::Run> run = GetRun(store_.reading, request);
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_EQ(run->targets_size(), 2);
  ASSERT_EQ(run->targets(0).execution_list_size(), 2);
  const v1::Execution& first = run->targets(0).execution_list(0);
  EXPECT_EQ(first.run_number(), 1u);
  EXPECT_EQ(first.attempt(), 1u);
  EXPECT_EQ(first.status(), "FAILED");
  EXPECT_EQ(first.duration_ms(), 1200u);
  EXPECT_EQ(run->targets(0).execution_list(1).status(), "PASSED");
  ASSERT_EQ(run->targets(1).execution_list_size(), 1);
  EXPECT_EQ(run->targets(1).execution_list(0).shard(), 3u);
  EXPECT_TRUE(run->targets(1).execution_list(0).cached());
}

TEST_F(ListRunsTest, AProfileOfSeveralTargetsMustBeNamed) {
  Upload('a', {}, "", "//a:test");
  Analyze(Profile(1));
  Upload('a', {}, "", "//b:test");
  v1::GetProfileRequest request;
  request.set_project(kProject);
  const auto unnamed = GetProfile(store_.reading, store_.blobs, request);
  EXPECT_EQ(unnamed.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(unnamed.status().message().find("//a:test"), std::string::npos);
  request.set_target("//a:test");
  const auto profile = GetProfile(store_.reading, store_.blobs, request);
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile::DecodeComputedProfile(profile->computed())->functions.size(), 2u);
  request.set_target("//b:test");
  EXPECT_EQ(GetProfile(store_.reading, store_.blobs, request).status().code(),
            absl::StatusCode::kFailedPrecondition);
  request.set_target("//c:test");
  EXPECT_EQ(GetProfile(store_.reading, store_.blobs, request).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace gprofhub::reporter
