// Contract tests: an inspection finds each kind of damage, and no false ones.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "store/contract/upkeep_helpers.h"

namespace gprofhub::store {

namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(StoreContractTest, AStoreInUseIsFoundInOrder) {
  EXPECT_THAT(Kinds(upkeep()), IsEmpty()) << "empty";
  Record(*store_, MakeExecution("pending"));
  Record(*store_, MakeExecution("analysed"));
  Analyze(*store_);
  NewExecution cached = MakeExecution("cached");
  cached.execution.cached = true;
  cached.profiles.clear();
  cached.images.clear();
  cached.blobs.clear();
  EXPECT_EQ(Record(*store_, cached).profiles, 1u);
  EXPECT_THAT(Kinds(upkeep()), IsEmpty());
  InspectionOptions options;
  options.now = kNow;
  std::vector<std::string> phases;
  options.on_progress = [&](absl::string_view what, uint64_t done, uint64_t all) {
    EXPECT_LE(done, all);
    if (phases.empty() || phases.back() != what) phases.push_back(std::string(what));
  };
  const absl::StatusOr<InspectionSummary> summary = upkeep().inspection.Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->blobs, 4u);
  EXPECT_EQ(summary->damages, 0u);
  EXPECT_THAT(phases, Contains("references"));
  EXPECT_THAT(phases, Contains("blobs"));
}

TEST_P(StoreContractTest, BlobsThatNobodyRefersToAreNoDamage) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  EXPECT_OK(store_->removal.DeleteRun("sqlite", run_id, kOperator, kNow));
  EXPECT_THAT(Kinds(upkeep()), ElementsAre("blob.unused"));
  EXPECT_THAT(Kinds(upkeep(), /*damages_only=*/true), IsEmpty());
}

// For each row that is deleted behind the store's back, the inspection reports the rows that
// reference it.
TEST_P(StoreContractTest, EveryRowThatIsMissingIsFound) {
  struct Case {
    const char* deletion;
    std::vector<std::string> kinds;  // at least these
  };
  const Case cases[] = {
      {"DELETE FROM blob WHERE name IN (SELECT gmon FROM profile)", {"profile.without-blob"}},
      {"DELETE FROM blob WHERE name IN (SELECT bundle FROM image)", {"image.without-blob"}},
      {"DELETE FROM blob WHERE name IN (SELECT computed FROM target)", {"result.without-blob"}},
      {"DELETE FROM blob", {"right.without-blob"}},
      {"DELETE FROM blob_right", {"image.without-right", "profile.without-right"}},
      {"DELETE FROM image", {"profile.without-image"}},
      {"DELETE FROM execution",
       {"image.without-execution", "profile.without-execution", "target.without-executions"}},
      {"DELETE FROM target",
       {"execution.without-target", "job.without-target", "points.without-target",
        "run.without-targets"}},
      {"DELETE FROM run",
       {"target.without-run", "report.without-run", "gated.without-run",
        "rerun-request.without-run"}},
      {"DELETE FROM job", {"target.without-job"}},
      {"UPDATE target SET computed = NULL", {"target.without-result"}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.deletion);
    SetUp();  // a new store
    const int64_t run_id = Record(*store_, MakeExecution()).run_id;
    Analyze(*store_);
    GatedRecord gated{"sqlite", "17", "rule", "//db:query_test", "f", "f()", run_id};
    EXPECT_OK(store_->gate.AddGated({gated}));
    RerunRequestRecord request;
    request.project = "sqlite";
    request.pull_request = "17";
    request.run_id = run_id;
    request.commit = std::string(40, '1');
    request.author = "alice";
    request.created = kNow;
    request.source = "comment";
    EXPECT_OK(store_->gate.AddRerunRequest(request));
    ASSERT_THAT(Kinds(upkeep()), IsEmpty());
    home_->DamageRows(each.deletion);
    const std::vector<std::string> kinds = Kinds(upkeep(), /*damages_only=*/true);
    for (const std::string& kind : each.kinds) EXPECT_THAT(kinds, Contains(kind));
  }
}

}  // namespace

}  // namespace gprofhub::store
