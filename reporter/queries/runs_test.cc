#include "reporter/queries/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reporter/testing/stored_runs.h"

namespace gprofhub::reporter {

namespace {

using FindRunTest = StoredRunsTest;

TEST_F(FindRunTest, FindsARunByIdCommitPrefixAndLatest) {
  const int64_t first = Upload('a');
  const int64_t second = Upload('b');
  EXPECT_EQ(FindRun(store_.reading, kProject, std::to_string(first))->id, first);
  EXPECT_EQ(FindRun(store_.reading, kProject, "aaaaaaa")->id, first);
  EXPECT_EQ(FindRun(store_.reading, kProject, "latest")->id, second);
  EXPECT_EQ(FindRun(store_.reading, kProject, "")->id, second);
}

TEST_F(FindRunTest, SampledRunsAreTheLatestOnlyWhereThereAreNoOthers) {
  const int64_t sampled = UploadSampled('b');
  EXPECT_EQ(FindRun(store_.reading, kProject, "latest")->id, sampled);
  EXPECT_EQ(FindRun(store_.reading, kProject, Commit('b'))->id, sampled);
  const int64_t counted = Upload('a');
  EXPECT_EQ(FindRun(store_.reading, kProject, "latest")->id, counted);
  EXPECT_EQ(FindRun(store_.reading, kProject, std::to_string(sampled))->id, sampled);
}

TEST_F(FindRunTest, TheLatestIsWhatCameInLast) {
  Upload('c');
  const int64_t first = Upload('b');
  EXPECT_EQ(FindRun(store_.reading, kProject, "latest")->id, first) << "though 'c' is newer";
  UploadedRun again{.commit = 'b'};
  again.key = " again";
  const int64_t second = Upload(again);
  EXPECT_EQ(FindRun(store_.reading, kProject, Commit('b'))->id, second);
}

TEST_F(FindRunTest, RunsOfOtherProjectsAreNotFound) {
  const int64_t run = Upload('a');
  for (const std::string& text : {std::to_string(run), Commit('a'), std::string("latest")}) {
    EXPECT_EQ(FindRun(store_.reading, "other", text).status().code(), absl::StatusCode::kNotFound)
        << text;
  }
}

TEST_F(FindRunTest, WhatNamesNoRunIsRefused) {
  Upload('a');
  EXPECT_EQ(FindRun(store_.reading, kProject, "99").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(FindRun(store_.reading, kProject, "abcdef0").status().code(),
            absl::StatusCode::kNotFound);
  for (const std::string& text :
       {std::string("abc"), std::string("main'; --"), std::string("#17"), std::string("#"),
        std::string("main~1"), std::string("latest~1"), std::string("latest~x"),
        std::string("main~99999999999"), std::string("a\0b", 3), std::string("\xff"),
        std::string(5000, 'x')}) {
    EXPECT_EQ(FindRun(store_.reading, kProject, text).status().code(), absl::StatusCode::kNotFound)
        << text;
  }
}

TEST_F(FindRunTest, FindsTheNewestRunOfABranchAndAPullRequest) {
  Upload('a');
  const int64_t main = Upload('b');
  Upload('c', {}, Commit('b'));
  const int64_t pull = Upload('d', {}, Commit('b'));
  EXPECT_EQ(FindRun(store_.reading, kProject, "main")->id, main);
  EXPECT_EQ(FindRun(store_.reading, kProject, "feature")->id, pull);
  EXPECT_EQ(FindRun(store_.reading, kProject, "#12")->id, pull);
}

TEST_F(FindRunTest, TildeCountsBackInTheOrderOfArrival) {
  const int64_t first = Upload('c');
  const int64_t pull = Upload('d', {}, Commit('c'));
  const int64_t last = Upload('b');
  EXPECT_EQ(FindRun(store_.reading, kProject, "latest~0")->id, last);
  EXPECT_EQ(FindRun(store_.reading, kProject, "latest~1")->id, pull);
  EXPECT_EQ(FindRun(store_.reading, kProject, "latest~")->id, pull);
  EXPECT_EQ(FindRun(store_.reading, kProject, "latest~2")->id, first);
  EXPECT_EQ(FindRun(store_.reading, kProject, "main~1")->id, first);
  EXPECT_FALSE(FindRun(store_.reading, kProject, "main~2").ok());
  UploadSampled('e');
  EXPECT_FALSE(FindRun(store_.reading, kProject, "latest~3").ok()) << "it is sampled";
}

TEST_F(FindRunTest, SuggestsTheClosestName) {
  Upload('a');
  for (const auto& [text, meant] :
       {std::pair("mian", "did you mean main?"), std::pair("lastest", "did you mean latest?"),
        std::pair("x\x1b[2J", "no run \"x<U+001B>[2J\"; `gprofhub runs`")}) {
    EXPECT_THAT(std::string(FindRun(store_.reading, kProject, text).status().message()),
                testing::HasSubstr(meant));
  }
}

TEST_F(FindRunTest, AnAmbiguousCommitIsRefused) {
  // Commits of one digit do not begin alike; these differ in the last one.
  const std::string one = "1234567" + std::string(33, 'a'),
                    other = "1234567" + std::string(33, 'b');
  for (const std::string& commit : {one, other}) {
    store::NewExecution execution;
    execution.run.project = kProject;
    execution.run.run_key = commit;
    execution.run.commit = commit;
    execution.execution.target = kTarget;
    ASSERT_TRUE(store_.ingest.RecordExecution(execution, kNow).ok());
  }
  const absl::Status status = FindRun(store_.reading, kProject, "1234567").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("ambiguous"));
  EXPECT_EQ(FindRun(store_.reading, kProject, one.substr(0, 8))->commit, one);
}

using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReadProfilesTest : public StoredRunsTest {
 protected:
  // One run with //:a and //:b analysed, and //:c not.
  void SetUp() override {
    int64_t run = 0;
    for (const char* target : {"//:a", "//:b", "//:c"}) run = Upload('a', {}, "", target);
    Analyze(Profile(5));
    Analyze(Profile(9));
    const absl::StatusOr<std::vector<store::TargetRecord>> targets =
        store_.reading.ListTargets(run);
    ASSERT_TRUE(targets.ok()) << targets.status();
    targets_ = *targets;
    ASSERT_THAT(targets_, SizeIs(3));
  }

  std::vector<store::TargetRecord> targets_;
};

// Of main → parse.
uint64_t CallsIn(const profile::ComputedProfile& profile) { return profile.arcs.at(1).count; }

TEST_F(ReadProfilesTest, AllThatAreAnalysedByLabel) {
  const auto profiles = ReadProfiles(store_.blobs, targets_, "");
  ASSERT_TRUE(profiles.ok()) << profiles.status();
  ASSERT_THAT(*profiles, SizeIs(2)) << "//:c is not analysed";
  EXPECT_EQ(CallsIn(profiles->at("//:a")), 5u);
  EXPECT_EQ(CallsIn(profiles->at("//:b")), 9u);
}

TEST_F(ReadProfilesTest, OnlyTheOneThatIsNamed) {
  const auto profiles = ReadProfiles(store_.blobs, targets_, "//:b");
  ASSERT_TRUE(profiles.ok()) << profiles.status();
  ASSERT_THAT(*profiles, SizeIs(1));
  EXPECT_EQ(CallsIn(profiles->at("//:b")), 9u);
}

TEST_F(ReadProfilesTest, NoneOfAnUnknownLabelOrOneThatIsNotAnalysed) {
  for (const char* label : {"//:c", "//:d", "//:"}) {
    const auto profiles = ReadProfiles(store_.blobs, targets_, label);
    ASSERT_TRUE(profiles.ok()) << profiles.status();
    EXPECT_THAT(*profiles, IsEmpty()) << label;
  }
}

TEST_F(ReadProfilesTest, OneThatCannotBeReadFailsThemAll) {
  targets_[1].computed = store::MakeBlob("never stored").name;
  EXPECT_EQ(ReadProfiles(store_.blobs, targets_, "").status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(ReadProfiles(store_.blobs, targets_, "//:a").ok()) << "it is not asked for";
}

TEST_F(ReadProfilesTest, OfOneTarget) {
  const auto profile = ReadTargetProfile(store_.blobs, targets_[1]);
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(CallsIn(*profile), 9u);
}

TEST_F(ReadProfilesTest, BytesThatAreNoProfileAreAnError) {
  store::TargetRecord target = targets_[0];
  target.computed = store::MakeBlob("gmon").name;  // the upload's
  const auto profile = ReadTargetProfile(store_.blobs, target);
  EXPECT_FALSE(profile.ok());
  EXPECT_NE(profile.status().code(), absl::StatusCode::kNotFound);
}

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
