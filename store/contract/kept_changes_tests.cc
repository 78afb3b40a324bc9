// Contract tests: run data that histories read, and the cached changes of branches.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/contract/upkeep_helpers.h"

namespace gprofhub::store {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const BranchKey kMain = {"sqlite", "main", "k8-opt"};

RunFilter OfMain() {
  RunFilter filter;
  filter.project = "sqlite";
  filter.branch = "main";
  filter.mainline_only = true;
  filter.counted_only = true;
  return filter;
}

std::vector<RunState> States(const Store& store) {
  const absl::StatusOr<std::vector<RunState>> states = store.reading.ListRunStates(OfMain());
  EXPECT_TRUE(states.ok()) << states.status();
  return states.ok() ? *states : std::vector<RunState>();
}

int64_t RevisionOf(const Store& store, int64_t run_id) {
  for (const RunState& state : States(store)) {
    if (state.run_id == run_id) return state.revision;
  }
  return -1;
}

// An analysed run, ordered `hours` after kNow.
int64_t AnalyzedRun(const Store& store, const std::string& key, int hours) {
  NewExecution execution = MakeExecution(key);
  execution.run.committed = execution.run.started = kNow + hours * absl::Hours(1);
  const int64_t run_id = Record(store, execution, execution.run.started).run_id;
  Analyze(store, absl::StrCat("computed of ", key));
  return run_id;
}

// The cached changes of the main branch, or "nothing".
std::string Kept(const Store& store) {
  const absl::StatusOr<std::optional<KeptChanges>> kept = store.reading.ReadKeptChanges(kMain);
  EXPECT_TRUE(kept.ok()) << kept.status();
  return kept.ok() && kept->has_value() ? (*kept)->payload : "nothing";
}

void Keep(const Store& store, const std::string& payload) {
  EXPECT_OK(store.reports.KeepChanges(kMain, {States(store), payload}));
}

TEST_P(StoreContractTest, HeadsAndStatesAreThoseOfTheListedRuns) {
  for (const char* key : {"a", "b", "c"}) AnalyzedRun(*store_, key, -(key[0] % 2));
  NewExecution execution = MakeExecution("of a pull request");
  execution.run.pull_request = "17";
  Record(*store_, execution);
  RunFilter filter = OfMain();
  filter.mainline_only = false;
  for (const uint32_t limit : {2, 10}) {
    filter.limit = limit;
    const auto runs = store_->reading.ListRuns(filter);
    const auto heads = store_->reading.ListRunHeads(filter);
    const auto states = store_->reading.ListRunStates(filter);
    ASSERT_TRUE(runs.ok() && heads.ok() && states.ok());
    ASSERT_THAT(*heads, SizeIs(runs->size()));
    ASSERT_THAT(*states, SizeIs(runs->size()));
    for (size_t i = 0; i < runs->size(); ++i) {
      const RunRecord& run = (*runs)[i];
      const RunHead& head = (*heads)[i];
      EXPECT_EQ(head.id, run.id);
      EXPECT_EQ(head.commit, run.commit);
      EXPECT_EQ(head.branch, run.branch);
      EXPECT_EQ(head.configuration, run.configuration);
      EXPECT_EQ(head.is_mainline, run.pull_request.empty());
      EXPECT_EQ(head.ordered, run.ordered);
      EXPECT_EQ((*states)[i].run_id, run.id);
    }
  }
}

TEST_P(StoreContractTest, ARunHasAnotherRevisionWheneverItsTargetsMaySayOtherwise) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  int64_t before = RevisionOf(*store_, run_id);
  const auto expect_other = [&](const std::string& after) {
    const int64_t now = RevisionOf(*store_, run_id);
    EXPECT_GT(now, before) << after;
    before = now;
  };
  Analyze(*store_);
  expect_other("an analysis");
  EXPECT_OK(store_->ingest.FinishRun("sqlite", run_id, kNow));
  NewExecution execution = MakeExecution();
  execution.execution.shard = 2;
  Record(*store_, execution);
  expect_other("more of a run that was whole");
  EXPECT_OK(store_->jobs.Fail(Claim(*store_), "broken", JobQueue::Ending::kFailed, kNow));
  expect_other("an analysis that was given up");
  execution = MakeExecution();
  execution.execution.target = "//db:other_test";
  Record(*store_, execution);
  Analyze(*store_, "other");
  expect_other("another target");
}

TEST_P(StoreContractTest, ARevisionStaysWhenAClaimIsLost) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  Job job = Claim(*store_);
  const int64_t before = RevisionOf(*store_, run_id);
  job.worker = "another";
  EXPECT_EQ(Code(store_->jobs.Complete(job, MakeResult(job), kNow)),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(RevisionOf(*store_, run_id), before);
}

TEST_P(StoreContractTest, ChangesAreKeptOfEachBranchAndConfiguration) {
  AnalyzedRun(*store_, "a", 0);
  EXPECT_EQ(Kept(*store_), "nothing");
  Keep(*store_, std::string("\0\xFF first", 8));
  EXPECT_EQ(Kept(*store_), std::string("\0\xFF first", 8));
  EXPECT_EQ((*store_->reading.ReadKeptChanges(kMain))->runs, States(*store_));
  Keep(*store_, "second");
  EXPECT_EQ(Kept(*store_), "second");
  for (const BranchKey& other :
       {BranchKey{"sqlite", "main", "k8-dbg"}, BranchKey{"sqlite", "topic", "k8-opt"},
        BranchKey{"leveldb", "main", "k8-opt"}}) {
    EXPECT_FALSE(store_->reading.ReadKeptChanges(other)->has_value());
  }
  EXPECT_EQ(Kept(*OpenAgain()), "second");
}

TEST_P(StoreContractTest, WhatWasFoundOfOtherRunsThanThereAreIsNotKept) {
  const int64_t run_id = AnalyzedRun(*store_, "a", 0);
  const std::vector<RunState> before = States(*store_);
  NewExecution more = MakeExecution("a");
  more.execution.shard = 2;
  Record(*store_, more);
  Analyze(*store_, "again");
  EXPECT_OK(store_->reports.KeepChanges(kMain, {before, "of the past"}));
  EXPECT_EQ(Kept(*store_), "nothing");
  const std::vector<RunState> now = States(*store_);
  EXPECT_OK(store_->removal.DeleteRun("sqlite", run_id, kOperator, kNow));
  EXPECT_OK(store_->reports.KeepChanges(kMain, {now, "of a deleted run"}));
  EXPECT_EQ(Kept(*store_), "nothing");
  EXPECT_EQ(Code(store_->reports.KeepChanges(kMain, {{}, std::string(kMostKeptChanges + 1, 'x')})),
            absl::StatusCode::kInvalidArgument);
}

TEST_P(StoreContractTest, WhatIsKeptGoesWithARunThatItTellsOf) {
  const int64_t old = AnalyzedRun(*store_, "old", -5);
  const int64_t first = AnalyzedRun(*store_, "first", -3);
  AnalyzedRun(*store_, "last", -1);
  std::vector<RunState> runs = States(*store_);
  ASSERT_THAT(runs, SizeIs(3));
  runs.pop_back();  // it is of the two newest
  EXPECT_OK(store_->reports.KeepChanges(kMain, {runs, "of two"}));
  EXPECT_OK(store_->removal.DeleteRun("sqlite", old, kOperator, kNow));
  EXPECT_EQ(Kept(*store_), "of two");
  EXPECT_OK(store_->removal.DeleteRun("sqlite", first, kOperator, kNow));
  EXPECT_EQ(Kept(*store_), "nothing");
  Keep(*store_, "of one");
  EXPECT_OK(store_->removal.DeleteRestOfProject("sqlite", kOperator, kNow));
  EXPECT_EQ(Kept(*store_), "nothing");
}

TEST_P(StoreContractTest, WhatIsKeptGoesWithARunThatRetentionTakes) {
  // Two runs of a day long ago: the newer one stays.
  AnalyzedRun(*store_, "first", -24 * 60);
  AnalyzedRun(*store_, "second", -24 * 60 + 1);
  AnalyzedRun(*store_, "now", 0);
  for (int i = 0; i < 3; ++i) (void)store_->reports.TakeUnkeptRun(kNow + absl::Hours(1));
  Keep(*store_, "of three");
  RetentionPolicy policy;
  policy.project = "sqlite";
  policy.raw_days = 10;
  policy.full_days = 30;
  policy.daily_days = 90;
  EXPECT_OK(upkeep().retention.Set(policy, kOperator, kNow));
  RetentionOptions options;
  options.now = [] { return kNow; };
  EXPECT_OK(upkeep().retention.Apply("", options, kOperator));
  EXPECT_THAT(States(*store_), SizeIs(2));
  EXPECT_EQ(Kept(*store_), "nothing");
}

TEST_P(StoreContractTest, ARunIsGivenOnceToWhoLooksForChangesWhenItsReportIsDue) {
  const auto take = [this](absl::Time now) {
    const absl::StatusOr<std::optional<int64_t>> taken = store_->reports.TakeUnkeptRun(now);
    EXPECT_TRUE(taken.ok()) << taken.status();
    return taken.ok() && taken->has_value() ? **taken : 0;
  };
  const absl::Time due = kNow + kReportDelay;
  Record(*store_, MakeExecution("first"));
  EXPECT_EQ(take(due), 0) << "it is not analysed";
  Analyze(*store_, "first");
  NewExecution of_pull_request = MakeExecution("of a pull request");
  of_pull_request.run.pull_request = "17";
  Record(*store_, of_pull_request);
  Analyze(*store_, "of a pull request");
  const int64_t second = Record(*store_, MakeExecution("second")).run_id;
  Analyze(*store_, "second");
  EXPECT_EQ(take(kNow), 0) << "more of it may come";
  EXPECT_EQ(take(due), second);
  EXPECT_EQ(take(due), 1);
  EXPECT_EQ(take(due), 0);
  NewExecution more = MakeExecution("second");
  more.execution.shard = 2;
  Record(*store_, more);
  Analyze(*store_, "again");
  EXPECT_EQ(take(due), second) << "it says something else now";
  // A report that caches changes has examined all of its runs.
  AnalyzedRun(*store_, "third", 0);
  Keep(*store_, "found");
  EXPECT_EQ(take(due), 0);
}

}  // namespace

}  // namespace gprofhub::store
