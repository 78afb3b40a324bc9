// Contract tests: profiles of results from Bazel's cache.
#include <gmock/gmock.h>

#include <string>

#include "store/contract/helpers.h"

namespace gprofhub::store {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// An execution that ran, with this binary.
NewExecution Measured(const std::string& run_key, const std::string& binary) {
  NewExecution execution = MakeExecution(run_key);
  execution.execution.test_binary_digest = binary;
  return execution;
}

// The same as a cached result, without its profile.
NewExecution Cached(const std::string& run_key, const std::string& binary) {
  NewExecution execution = Measured(run_key, binary);
  execution.execution.cached = true;
  execution.profiles.clear();
  execution.images.clear();
  execution.blobs.clear();
  return execution;
}

TEST_P(StoreContractTest, ACachedResultHasTheProfileOfItsBinary) {
  const NewExecution other = Measured("other binary", "build-id:0b");
  Record(*store_, other);
  const NewExecution same = Measured("same binary", "build-id:0a");
  Record(*store_, same);
  NewExecution cached = Cached("cached", "build-id:0a");
  cached.run.commit = std::string(40, '2');
  const RecordedExecution recorded = Record(*store_, cached);
  EXPECT_EQ(recorded.profiles, 1u);
  const auto data = store_->reading.ReadTargetData(recorded.run_id, "//db:query_test");
  ASSERT_TRUE(data.ok()) << data.status();
  ASSERT_THAT(data->profiles, SizeIs(1));
  EXPECT_EQ(data->profiles[0].profile.data, same.profiles[0].data);
  EXPECT_EQ(data->profiles[0].bundle, same.images[0].bundle);
  EXPECT_TRUE(data->profiles[0].execution.cached);
  const TargetRecord target = OnlyTarget(*store_, recorded.run_id);
  EXPECT_EQ(target.profiles, 1u);
  EXPECT_EQ(target.without_profiles, 0u);
}

TEST_P(StoreContractTest, ACachedResultPrefersTheMeasurementOfItsCommit) {
  NewExecution of_commit = Measured("of the commit", "build-id:0a");
  of_commit.run.commit = std::string(40, '2');
  Record(*store_, of_commit);
  Record(*store_, Measured("newer, of another commit", "build-id:0a"));
  NewExecution cached = Cached("cached", "build-id:0a");
  cached.run.commit = std::string(40, '2');
  const int64_t run_id = Record(*store_, cached).run_id;
  EXPECT_EQ(store_->reading.ReadTargetData(run_id, "//db:query_test")->profiles.at(0).profile.data,
            of_commit.profiles[0].data);
}

TEST_P(StoreContractTest, ACachedResultOfAnUnknownBinaryHasTheProfileOfItsCommit) {
  NewExecution elsewhere = Measured("of another commit", "build-id:0b");
  elsewhere.run.commit = std::string(40, '2');
  const NewExecution first = Measured("first", "build-id:0a");
  Record(*store_, first);
  Record(*store_, elsewhere);
  const int64_t run_id = Record(*store_, Cached("again", "")).run_id;
  EXPECT_EQ(store_->reading.ReadTargetData(run_id, "//db:query_test")->profiles.at(0).profile.data,
            first.profiles[0].data);
  EXPECT_EQ(OnlyTarget(*store_, run_id).test_binary_digest, "build-id:0a");
}

TEST_P(StoreContractTest, ACachedResultHasNoProfileOfAnythingElse) {
  NewExecution execution = Measured("project", "build-id:0a");
  execution.run.project = "leveldb";
  Record(*store_, execution);
  execution = Measured("configuration", "build-id:0a");
  execution.run.configuration = "k8-dbg";
  Record(*store_, execution);
  execution = Measured("target", "build-id:0a");
  execution.execution.target = "//db:other_test";
  Record(*store_, execution);
  execution = Measured("shard", "build-id:0a");
  execution.execution.shard = 2;
  Record(*store_, execution);
  execution = Measured("run number", "build-id:0a");
  execution.execution.run_number = 2;
  Record(*store_, execution);
  execution = Measured("failed", "build-id:0a");
  execution.execution.status = "FAILED";
  Record(*store_, execution);
  execution = Measured("fork", "build-id:0a");
  execution.run.from_fork = true;
  execution.run.pull_request = "17";
  Record(*store_, execution);
  Record(*store_, Measured("binary", "build-id:0b"));

  const RecordedExecution recorded = Record(*store_, Cached("cached", "build-id:0a"));
  EXPECT_EQ(recorded.profiles, 0u);
  const auto data = store_->reading.ReadTargetData(recorded.run_id, "//db:query_test");
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_THAT(data->profiles, IsEmpty());
  EXPECT_EQ(data->without_profiles, 1u);
  EXPECT_EQ(OnlyTarget(*store_, recorded.run_id).without_profiles, 1u);
  NewExecution of_fork = Cached("cached in the fork", "build-id:0a");
  of_fork.run.from_fork = true;
  of_fork.run.pull_request = "17";
  EXPECT_EQ(Record(*store_, of_fork).profiles, 1u) << "its own pull request's";
}

TEST_P(StoreContractTest, AResultThatWasRunHasItsOwnProfilesOnly) {
  Record(*store_, Measured("first", "build-id:0a"));
  NewExecution ran = Cached("ran, and left no profile", "build-id:0a");
  ran.execution.cached = false;
  EXPECT_EQ(Record(*store_, ran).profiles, 0u);
}

TEST_P(StoreContractTest, TheRunThatMeasuredAProfileIsFound) {
  const auto analyse = [this](const NewExecution& execution) {
    const int64_t run_id = Record(*store_, execution).run_id;
    const Job job = Claim(*store_);
    EXPECT_OK(store_->jobs.Complete(job, MakeResult(job, "one measurement"), kNow));
    return run_id;
  };
  const BlobName computed = MakeBlob("one measurement").name;
  const auto find = [&](absl::string_view configuration) {
    return RunKeys(
        store_->reading.FindMeasuringRun("sqlite", configuration, "//db:query_test", computed));
  };
  NewExecution cached = Measured("cached", "build-id:0a");
  cached.execution.cached = true;
  analyse(cached);
  EXPECT_THAT(find("k8-opt"), IsEmpty());
  analyse(Measured("measured", "build-id:0a"));
  analyse(Measured("measured to the same result", "build-id:0a"));
  EXPECT_THAT(find("k8-opt"), ElementsAre("measured"));
  EXPECT_THAT(find("k8-dbg"), IsEmpty());
}

TEST_P(StoreContractTest, ACachedResultSentAgainIsOneRecord) {
  Record(*store_, Measured("first", "build-id:0a"));
  Record(*store_, Cached("cached", "build-id:0a"));
  const RecordedExecution again = Record(*store_, Cached("cached", "build-id:0a"));
  EXPECT_TRUE(again.already_present);
  EXPECT_EQ(again.profiles, 1u);
}

TEST_P(StoreContractTest, AnAttemptThatWasMadeAgainNeedsNoProfile) {
  NewExecution first = Measured("run", "build-id:0a");
  first.profiles.clear();
  first.images.clear();
  first.blobs.clear();
  const int64_t run_id = Record(*store_, first).run_id;
  EXPECT_EQ(OnlyTarget(*store_, run_id).without_profiles, 1u);
  NewExecution second = Measured("run", "build-id:0a");
  second.execution.attempt = 2;
  Record(*store_, second);
  EXPECT_EQ(OnlyTarget(*store_, run_id).without_profiles, 0u);
}

}  // namespace

}  // namespace gprofhub::store
