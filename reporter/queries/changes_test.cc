#include "reporter/queries/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "profile/codec/computed.h"
#include "profile/codec/series.h"
#include "reporter/testing/profile_builder.h"
#include "store/testing/temp_store.h"

namespace gprofhub::reporter {

namespace {

const absl::Time kNow = absl::FromUnixSeconds(1700000000);

// main → parse, `calls` times per execution.
profile::ComputedProfile Profile(uint64_t calls, uint32_t repetitions = 1) {
  ProfileBuilder builder;
  builder.Repetitions(repetitions);
  builder.Function("main", 10, 500).Function("_Z5parsei", 500);
  builder.Arc("", "main", repetitions).Arc("main", "_Z5parsei", calls * repetitions, 34);
  return builder.Build();
}

struct UploadOptions {
  std::string branch = "main";
  std::string pull_request;
  std::string configuration = "k8-opt";
  std::string target = "//db:query_test";
  bool cached = false;
  bool with_profile = true;
  std::string digest;
  uint32_t run_number = 1;
  store::ProfileKind kind = store::ProfileKind::kCounted;
};

// A SQLite store in a temporary directory.
class ChangesTest : public testing::Test {
 protected:
  // Records and analyses a run of commit number `commit`.
  void Upload(int commit, const profile::ComputedProfile& profile,
              const UploadOptions& options = {}) {
    const store::Blob gmon = store::MakeBlob("gmon"), bundle = store::MakeBlob("symbols");
    store::NewExecution execution;
    execution.run.project = "acme";
    execution.run.run_key = absl::StrCat("run-", ++runs_);
    execution.run.commit = Commit(commit);
    execution.run.commit_subject = absl::StrCat("Commit ", commit);
    for (int i = commit; i-- > 0;) execution.run.ancestors.push_back(Commit(i));
    execution.run.branch = options.branch;
    execution.run.pull_request = options.pull_request;
    execution.run.configuration = options.configuration;
    execution.run.profile_kind = options.kind;
    execution.run.started = execution.run.committed = kNow + absl::Seconds(commit);
    execution.execution.target = options.target;
    execution.execution.status = "PASSED";
    execution.execution.cached = options.cached;
    execution.execution.run_number = options.run_number;
    execution.execution.test_binary_digest = options.digest;
    if (options.with_profile) {
      execution.profiles = {{"gmon.1", "b1d1", gmon.name}};
      execution.images = {{"b1d1", bundle.name}};
      execution.blobs = {gmon, bundle};
    }
    const auto recorded = store_.ingest.RecordExecution(execution, kNow);
    ASSERT_TRUE(recorded.ok()) << recorded.status();
    const auto job = store_.jobs.Claim("worker", kNow, absl::Minutes(1), 3);
    ASSERT_TRUE(job.ok() && job->has_value()) << job.status();
    store::AnalysisResult result;
    result.computed = store::MakeBlob(profile::EncodeComputedProfile(profile));
    for (const std::string& payload : profile::EncodeSeries(profile)) {
      const auto bucket = static_cast<uint32_t>(result.segments.size());
      result.segments.push_back({(*job)->run_id, (*job)->target, bucket, payload});
    }
    const absl::Status status = store_.jobs.Complete(**job, result, kNow);
    ASSERT_TRUE(status.ok()) << status;
  }

  static std::string Commit(int number) { return std::string(38, 'a') + absl::StrCat(10 + number); }

  absl::StatusOr<v1::GetChangesResponse> Get(const std::string& branch = "main",
                                             const std::string& target = "", uint32_t runs = 0,
                                             uint32_t limit = 0) {
    v1::GetChangesRequest request;
    request.set_project("acme");
    request.set_branch(branch);
    request.set_target(target);
    request.set_runs(runs);
    request.set_limit(limit);
    return GetChanges(store_.reading, store_.blobs, request);
  }

  int runs_ = 0;
  const store::Store store_ = store::MakeTempStore();
};

TEST_F(ChangesTest, SampledRunsAreLeftOut) {
  UploadOptions sampled;
  sampled.kind = store::ProfileKind::kSampled;
  for (int i = 0; i < 6; ++i) {
    Upload(i, Profile(10));
    Upload(i, Profile(1000 + 100 * i), sampled);
  }
  const auto changes = Get();
  ASSERT_TRUE(changes.ok()) << changes.status();
  EXPECT_EQ(changes->runs(), 6u);
  EXPECT_EQ(changes->events_size(), 0);
}

TEST_F(ChangesTest, WithoutABranchAreThoseOfTheMainBranch) {
  EXPECT_TRUE(absl::IsNotFound(Get("").status())) << "no run";
  UploadOptions topic;
  topic.branch = "topic";
  for (int i = 0; i < 3; ++i) Upload(i, Profile(10));
  Upload(3, Profile(10), topic);
  const auto changes = Get("");
  ASSERT_TRUE(changes.ok()) << changes.status();
  EXPECT_EQ(changes->branch(), "main");
  ASSERT_TRUE(store_.reports
                  .SetMainBranch("acme", store::MainBranchSource::kForge, "topic", {}, absl::Now())
                  .ok());
  EXPECT_EQ(Get("")->branch(), "topic");
}

TEST_F(ChangesTest, NameTheCommitAndTheArc) {
  for (int i = 0; i < 6; ++i) Upload(i, Profile(i < 3 ? 10 : 20));
  const auto changes = Get();
  ASSERT_TRUE(changes.ok()) << changes.status();
  EXPECT_EQ(changes->branch(), "main");
  EXPECT_EQ(changes->configuration(), "k8-opt");
  EXPECT_EQ(changes->runs(), 6u);
  ASSERT_EQ(changes->events_size(), 1);
  const v1::ChangeEvent& event = changes->events(0);
  EXPECT_EQ(event.at().commit(), Commit(3));
  EXPECT_EQ(event.at().subject(), "Commit 3");
  EXPECT_EQ(event.last_before().commit(), Commit(2));
  EXPECT_EQ(event.commits(), 1u);
  EXPECT_TRUE(event.confirmed());
  EXPECT_EQ(event.cause().function(), "_Z5parsei");
  EXPECT_EQ(event.cause().caller(), "main");
  EXPECT_EQ(event.cause().before(), 10);
  EXPECT_EQ(event.cause().after(), 20);
  EXPECT_EQ(event.cause().target(), "//db:query_test");
}

TEST_F(ChangesTest, AreTheNewestAsManyAsAreWanted) {
  for (int i = 0; i < 12; ++i) Upload(i, Profile(i < 3 ? 10 : i < 6 ? 20 : i < 9 ? 40 : 80));
  const auto all = Get();
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_EQ(all->events_size(), 3);
  EXPECT_EQ(all->older_events(), 0u);
  const auto newest = Get("main", "", /*runs=*/0, /*limit=*/2);
  ASSERT_TRUE(newest.ok()) << newest.status();
  ASSERT_EQ(newest->events_size(), 2);
  EXPECT_EQ(newest->events(0).at().commit(), Commit(9));
  EXPECT_EQ(newest->events(1).at().commit(), Commit(6));
  EXPECT_EQ(newest->older_events(), 1u);
  EXPECT_EQ(Get("main", "", /*runs=*/0, /*limit=*/3)->older_events(), 0u);
}

TEST_F(ChangesTest, CommitsWithoutRunsMakeARange) {
  for (const int commit : {0, 1, 2, 6, 7}) Upload(commit, Profile(commit < 3 ? 10 : 20));
  const auto changes = Get();
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->events_size(), 1);
  EXPECT_EQ(changes->events(0).last_before().commit(), Commit(2));
  EXPECT_EQ(changes->events(0).first_after().commit(), Commit(6));
  EXPECT_EQ(changes->events(0).commits(), 4u);
}

TEST_F(ChangesTest, PullRequestsAndOtherBranchesAndConfigurationsHaveNoSay) {
  UploadOptions request, release, debug;
  request.pull_request = "12";
  release.branch = "release-1";
  debug.configuration = "k8-dbg";
  for (int i = 0; i < 6; ++i) {
    Upload(i, Profile(50 + static_cast<uint64_t>(i / 2)), request);
    Upload(i, Profile(i < 2 ? 90 : 70), release);
    Upload(i, Profile(i < 4 ? 7 : 70), debug);
    Upload(i, Profile(10));
  }
  const auto main = Get();
  ASSERT_TRUE(main.ok()) << main.status();
  EXPECT_EQ(main->events_size(), 0);
  EXPECT_EQ(main->runs(), 6u);
  const auto other = Get("release-1");
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(other->events_size(), 1);
}

TEST_F(ChangesTest, RunsOfOneCommitAreOneRelease) {
  for (int i = 0; i < 4; ++i) {
    Upload(i, Profile(i < 2 ? 10 : 20));
    Upload(i, Profile(i < 2 ? 10 : 20, 3));
  }
  const auto changes = Get();
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->events_size(), 1);
  EXPECT_EQ(changes->events(0).at().commit(), Commit(2));
  EXPECT_EQ(changes->events(0).cause().after(), 20);
}

TEST_F(ChangesTest, ACachedResultIsTheSameMeasurementAgain) {
  UploadOptions cached;
  cached.cached = true;
  for (int i = 0; i < 3; ++i) Upload(i, Profile(10));
  for (int i = 3; i < 6; ++i) Upload(i, Profile(10), cached);
  for (int i = 6; i < 8; ++i) Upload(i, Profile(20));
  const auto changes = Get();
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->events_size(), 1);
  EXPECT_EQ(changes->events(0).last_before().commit(), Commit(5));
  EXPECT_EQ(changes->events(0).first_after().commit(), Commit(6));
}

UploadOptions OfBinary(const std::string& digest) {
  UploadOptions options;
  options.digest = digest;
  return options;
}

TEST_F(ChangesTest, ACachedResultOfAnotherBinaryIsToBlame) {
  UploadOptions culprit = OfBinary("build-id:0b");
  culprit.cached = true;
  for (int i = 0; i < 3; ++i) Upload(i, Profile(10), OfBinary("build-id:0a"));
  Upload(3, Profile(20), culprit);
  for (int i = 4; i < 6; ++i) Upload(i, Profile(20), OfBinary("build-id:0c"));
  const auto changes = Get();
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->events_size(), 1);
  EXPECT_EQ(changes->events(0).last_before().commit(), Commit(2));
  EXPECT_EQ(changes->events(0).at().commit(), Commit(3));
  EXPECT_EQ(changes->events(0).commits(), 1u);
}

TEST_F(ChangesTest, ACachedResultOfUnknownProfileMakesARange) {
  UploadOptions unknown = OfBinary("build-id:0b");
  unknown.cached = true;
  unknown.with_profile = false;
  for (int i = 0; i < 3; ++i) Upload(i, Profile(10), OfBinary("build-id:0a"));
  Upload(3, profile::ComputedProfile(), unknown);
  for (int i = 4; i < 6; ++i) Upload(i, Profile(20), OfBinary("build-id:0c"));
  const auto changes = Get();
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->events_size(), 1);
  EXPECT_EQ(changes->events(0).last_before().commit(), Commit(2));
  EXPECT_EQ(changes->events(0).first_after().commit(), Commit(4));
  EXPECT_EQ(changes->events(0).commits(), 2u) << "either may be to blame";
}

TEST_F(ChangesTest, ACachedResultOfTheSameBinaryIsInnocent) {
  UploadOptions same = OfBinary("build-id:0a");
  same.cached = true;
  same.with_profile = false;
  same.run_number = 2;  // without any profile
  for (int i = 0; i < 3; ++i) Upload(i, Profile(10), OfBinary("build-id:0a"));
  Upload(3, profile::ComputedProfile(), same);
  for (int i = 4; i < 6; ++i) Upload(i, Profile(20), OfBinary("build-id:0c"));
  const auto changes = Get();
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->events_size(), 1);
  EXPECT_EQ(changes->events(0).last_before().commit(), Commit(3));
  EXPECT_EQ(changes->events(0).commits(), 1u);
}

TEST_F(ChangesTest, AMeasurementThatComesBackOutOfTheCacheIsAChange) {
  UploadOptions back = OfBinary("build-id:0a");
  back.cached = true;
  for (int i = 0; i < 3; ++i) Upload(i, Profile(10), OfBinary("build-id:0a"));
  for (int i = 3; i < 5; ++i) Upload(i, Profile(20), OfBinary("build-id:0b"));
  for (int i = 5; i < 7; ++i) Upload(i, Profile(10), back);
  const auto changes = Get();
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->events_size(), 2);
  EXPECT_EQ(changes->events(0).at().commit(), Commit(5));
  EXPECT_EQ(changes->events(1).at().commit(), Commit(3));
}

// main and ten steady functions next to parse, which takes `samples`.
profile::ComputedProfile Timed(double samples) {
  ProfileBuilder builder;
  builder.Function("main", 500, 10000 + samples).Function("_Z5parsei", samples);
  builder.Arc("", "main", 1).Arc("main", "_Z5parsei", 7, 34);
  for (int i = 0; i < 10; ++i) {
    const std::string name = absl::StrCat("steady", i);
    builder.Function(name, 1000).Arc("main", name, 1);
  }
  return builder.Build();
}

TEST_F(ChangesTest, AnotherBinaryMayBeSlower) {
  for (int i = 0; i < 8; ++i) {
    Upload(i, Timed(i < 4 ? 2000 : 4000), OfBinary(i < 4 ? "build-id:0a" : "build-id:0b"));
  }
  const auto changes = Get();
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->events_size(), 1);
  EXPECT_EQ(changes->events(0).at().commit(), Commit(4));
}

TEST_F(ChangesTest, TheSameBinaryIsNotBlamedForItsTime) {
  for (int i = 0; i < 8; ++i) {
    Upload(i, Timed(i < 4 ? 2000 : 4000), OfBinary(i < 6 ? "build-id:0a" : "build-id:0b"));
  }
  const auto changes = Get();
  ASSERT_TRUE(changes.ok()) << changes.status();
  EXPECT_EQ(changes->events_size(), 0);
}

TEST_F(ChangesTest, OneTargetOnly) {
  UploadOptions other;
  other.target = "//db:other_test";
  for (int i = 0; i < 4; ++i) {
    Upload(i, Profile(10));
    Upload(i, Profile(i < 2 ? 10 : 30), other);
  }
  EXPECT_EQ(Get()->events_size(), 1);
  EXPECT_EQ(Get("main", "//db:query_test")->events_size(), 0);
  const auto absent = Get("main", "//db:absent");
  EXPECT_EQ(absent.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(absent.status().message()), testing::HasSubstr("//db:absent"));
}

TEST_F(ChangesTest, SaysWhichBranchesThereAre) {
  EXPECT_THAT(std::string(Get().status().message()), testing::HasSubstr("gprofhub upload"));
  UploadOptions release;
  release.branch = "trunk";
  Upload(0, Profile(1), release);
  const absl::Status status = Get().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("there are runs of: trunk"));
}

TEST_F(ChangesTest, RefusesLimitsItCannotKeep) {
  EXPECT_EQ(Get("main", "", 1).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Get("main", "", 501).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace

}  // namespace gprofhub::reporter
