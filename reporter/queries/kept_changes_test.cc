// Cached changes of a branch are equal to those computed from its current runs.
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "profile/codec/computed.h"
#include "profile/codec/series.h"
#include "reporter/queries/changes.h"
#include "reporter/testing/profile_builder.h"
#include "store/testing/temp_store.h"
#include "store/upkeep.h"

namespace gprofhub::reporter {

namespace {

const absl::Time kNow = absl::FromUnixSeconds(1700000000);
const store::Actor kOperator = {"operator", "host", 0};

std::string Commit(int number) { return std::string(36, 'a') + absl::StrCat(1000 + number); }

// A project's history that a test extends and shrinks.
class KeptChangesTest : public testing::Test {
 protected:
  // A new run with these targets. Its commit is `late` commits older than the newest one.
  void Upload(const std::vector<std::string>& targets, int late = 0) {
    const int commit = late == 0 ? ++commits_ : std::max(1, commits_ - late);
    ++runs_;
    for (const std::string& target : targets) Send(runs_, commit, target, 1);
    run_of_key_[runs_] = commit;
  }

  // Adds one execution of a target to a run.
  void Send(int key, int commit, const std::string& target, uint32_t shard) {
    const store::Blob gmon = store::MakeBlob("gmon"), bundle = store::MakeBlob("symbols");
    store::NewExecution execution;
    execution.run.project = "acme";
    execution.run.run_key = absl::StrCat("run-", key);
    execution.run.commit = Commit(commit);
    for (int i = commit; i-- > std::max(0, commit - 20);) {
      execution.run.ancestors.push_back(Commit(i));
    }
    execution.run.branch = "main";
    execution.run.configuration = "k8-opt";
    execution.run.started = execution.run.committed = kNow + commit * absl::Hours(1);
    execution.execution.target = target;
    execution.execution.shard = shard;
    execution.execution.status = "PASSED";
    execution.execution.cached = random_() % 5 == 0;
    execution.execution.test_binary_digest = absl::StrCat("digest ", commit / 3);
    execution.profiles = {{"gmon.1", "b1d1", gmon.name}};
    execution.images = {{"b1d1", bundle.name}};
    execution.blobs = {gmon, bundle};
    const auto recorded =
        store().ingest.RecordExecution(execution, kNow + commits_ * absl::Hours(1));
    ASSERT_TRUE(recorded.ok()) << recorded.status();
  }

  // Executes at most `most` of the pending analyses.
  void Analyze(int most) {
    for (; most > 0; --most) {
      const auto job = store().jobs.Claim("worker", kNow, absl::Minutes(1), 3);
      ASSERT_TRUE(job.ok()) << job.status();
      if (!job->has_value()) return;
      const profile::ComputedProfile profile = ProfileOf((*job)->target);
      store::AnalysisResult result;
      result.computed = store::MakeBlob(profile::EncodeComputedProfile(profile));
      for (const std::string& payload : profile::EncodeSeries(profile)) {
        const auto bucket = static_cast<uint32_t>(result.segments.size());
        result.segments.push_back({(*job)->run_id, (*job)->target, bucket, payload});
      }
      const absl::Status status = store().jobs.Complete(**job, result, kNow);
      ASSERT_TRUE(status.ok()) << status;
    }
  }

  // Counts have occasional steps. Times scatter.
  profile::ComputedProfile ProfileOf(const std::string& target) {
    uint64_t& calls = calls_[target];
    if (calls == 0 || random_() % 12 == 0) calls = 10 + random_() % 40;
    const double noise = static_cast<double>(random_() % 40);
    ProfileBuilder builder;
    builder.Function("main", 10, 500).Function("_Z5parsei", 480 + noise);
    builder.Arc("", "main", 1).Arc("main", "_Z5parsei", calls, 34);
    return builder.Build();
  }

  absl::StatusOr<FoundChanges> Ask() {
    v1::GetChangesRequest request;
    request.set_project("acme");
    request.set_branch("main");
    return FindChanges(store().reading, store().blobs, request);
  }

  // As the reporter does; false if everything is cached already.
  bool Keep() {
    const absl::StatusOr<FoundChanges> found = Ask();
    if (!found.ok() || !found->to_keep.has_value()) return false;
    const absl::Status kept = store().reports.KeepChanges(found->branch, *found->to_keep);
    EXPECT_TRUE(kept.ok()) << kept;
    return true;
  }

  // Compares the response with that of a store without cached changes.
  void Compare() {
    const absl::StatusOr<FoundChanges> found = Ask();
    const store::BranchKey branch = {"acme", "main", "k8-opt"};
    const auto kept = store().reading.ReadKeptChanges(branch);
    ASSERT_TRUE(kept.ok()) << kept.status();
    absl::StatusOr<FoundChanges> anew = found;
    if (kept->has_value()) {
      const store::KeptChanges nothing = {(*kept)->runs, ""};
      ASSERT_TRUE(store().reports.KeepChanges(branch, nothing).ok());
      anew = Ask();
      ASSERT_TRUE(store().reports.KeepChanges(branch, **kept).ok());
    }
    ASSERT_EQ(found.status(), anew.status());
    if (!found.ok()) return;
    std::string difference;
    google::protobuf::util::MessageDifferencer differencer;
    differencer.ReportDifferencesToString(&difference);
    EXPECT_TRUE(differencer.Compare(anew->response, found->response)) << difference;
    from_kept_ += found->to_keep.has_value() ? 0 : 1;
    events_ += found->response.events_size();
  }

  const store::Store& store() const { return whole_.store; }

  std::mt19937_64 random_{1};
  std::map<std::string, uint64_t> calls_;
  std::map<int, int> run_of_key_;  // to its commit
  int commits_ = 0;
  int runs_ = 0;
  int from_kept_ = 0;  // answers
  int events_ = 0;     // in all of them
  const store::WholeStore whole_ =
      *store::OpenWholeStore(store::MakeTempDir(), store::OpenMode::kCreate);
};

TEST_F(KeptChangesTest, AreNotFoundASecondTime) {
  for (int i = 0; i < 5; ++i) Upload({"//a:test"});
  Analyze(5);
  EXPECT_TRUE(Keep());
  EXPECT_FALSE(Keep());
  v1::GetChangesRequest request;
  request.set_project("acme");
  request.set_branch("main");
  // Unreadable blobs: nothing is computed.
  const store::Blobs nothing = store::MakeTempStore().blobs;
  EXPECT_TRUE(GetChanges(store().reading, nothing, request).ok());
  Upload({"//a:test"});
  EXPECT_FALSE(Keep()) << "it is not analysed yet";
  Analyze(1);
  EXPECT_TRUE(Keep()) << "there is a run more";
}

TEST_F(KeptChangesTest, AreOfAllTargetsOverTheDefaultOfRuns) {
  for (int i = 0; i < 6; ++i) Upload({"//a:test", "//b:test"});
  Analyze(12);
  EXPECT_TRUE(Keep());
  const auto found = [this](const std::string& target, bool all, uint32_t runs) {
    v1::GetChangesRequest request;
    request.set_project("acme");
    request.set_branch("main");
    request.set_target(target);
    request.set_all(all);
    request.set_runs(runs);
    const absl::StatusOr<FoundChanges> changes =
        FindChanges(store().reading, store().blobs, request);
    EXPECT_TRUE(changes.ok()) << changes.status();
    EXPECT_FALSE(changes->to_keep.has_value());
    return changes->response.runs();
  };
  EXPECT_EQ(found("", false, 0), 6u);
  EXPECT_EQ(found("", false, kDefaultChangeRuns), 6u);
  EXPECT_EQ(found("", false, 4), 4u);
  EXPECT_EQ(found("//a:test", false, 0), 6u);
  EXPECT_EQ(found("", true, 0), 6u);
}

TEST_F(KeptChangesTest, AreThoseThatWouldBeFoundWhateverHappensToTheHistory) {
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE(seed);
    random_.seed(seed);
    for (int step = 0; step < 40; ++step) {
      SCOPED_TRACE(step);
      switch (random_() % 8) {
        case 0:
        case 1:
        case 2:
          Upload({"//a:test", "//b:test"});
          break;
        case 3:
          Upload({random_() % 2 == 0 ? "//a:test" : "//c:test"});
          break;
        case 4:  // the run of an older commit comes late
          Upload({"//a:test"}, 1 + static_cast<int>(random_() % 5));
          break;
        case 5: {  // additional executions of an analysed run
          const auto run = std::next(run_of_key_.begin(),
                                     static_cast<ptrdiff_t>(random_() % (run_of_key_.size() + 1)));
          if (run == run_of_key_.end()) break;
          Send(run->first, run->second, "//a:test", static_cast<uint32_t>(100 + step));
          break;
        }
        case 6: {
          const auto runs = store().removal.RunsOfProject("acme");
          ASSERT_TRUE(runs.ok());
          if (runs->size() < 8) break;
          const int64_t run = (*runs)[random_() % runs->size()];
          ASSERT_TRUE(store().removal.DeleteRun("acme", run, kOperator, kNow).ok());
          run_of_key_.clear();  // it is unknown which run it was
          break;
        }
        case 7: {
          store::RetentionPolicy policy;
          policy.project = "acme";
          policy.raw_days = 1;
          policy.full_days = 1 + static_cast<int>(random_() % 2);
          policy.daily_days = 30;
          ASSERT_TRUE(whole_.upkeep.retention.Set(policy, kOperator, kNow).ok());
          store::RetentionOptions options;
          options.now = [this] { return kNow + commits_ * absl::Hours(1); };
          ASSERT_TRUE(whole_.upkeep.retention.Apply("", options, kOperator).ok());
          run_of_key_.clear();
          break;
        }
      }
      // Queries come at any time.
      if (random_() % 2 == 0) Compare();
      Analyze(static_cast<int>(random_() % 4));
      if (random_() % 2 == 0) Keep();
      Compare();
    }
  }
  EXPECT_GT(from_kept_, 30) << "the test must see what is kept";
  EXPECT_GT(events_, 30) << "and changes";
}

}  // namespace

}  // namespace gprofhub::reporter
