#include "reporter/worker/delivery_worker.h"

#include <gtest/gtest.h>

#include "reporter/queries/changes.h"
#include "reporter/testing/stored_runs.h"
#include "store/testing/temp_store.h"

namespace gprofhub::reporter {

namespace {

class ChangesKeeperTest : public StoredRunsTest {
 protected:
  ChangesKeeper Keeper() {
    ChangesKeeperOptions options;
    options.name = "keeper";
    options.now = [this] { return now_; };
    return {store_.reports, store_.reading, store_.blobs, options};
  }

  // Whether the branch's changes are available without reading a profile.
  bool AreKept() {
    v1::GetChangesRequest request;
    request.set_project(kProject);
    request.set_branch("main");
    const absl::StatusOr<FoundChanges> found = FindChanges(store_.reading, store_.blobs, request);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() && !found->to_keep.has_value();
  }

  absl::Time now_ = kNow + store::kReportDelay;
};

TEST_F(ChangesKeeperTest, KeepsWhatItFindsOfTheNewestRunsBranch) {
  auto keeper = Keeper();
  EXPECT_FALSE(*keeper.RunOnce());
  for (const char commit : {'a', 'b', 'c', 'd'}) {
    Upload(commit);
    Analyze(Profile(commit < 'c' ? 100 : 200));
  }
  EXPECT_FALSE(AreKept());
  EXPECT_TRUE(*keeper.RunOnce());
  EXPECT_TRUE(AreKept());
  EXPECT_FALSE(*keeper.RunOnce()) << "the newest run looked at the others, too";
  Upload('e');
  EXPECT_TRUE(AreKept()) << "it is not analysed yet";
  EXPECT_FALSE(*keeper.RunOnce());
  Analyze(Profile(200));
  EXPECT_FALSE(AreKept()) << "there is one run more";
  EXPECT_TRUE(*keeper.RunOnce());
  EXPECT_TRUE(AreKept());
}

TEST_F(ChangesKeeperTest, ARunThatIsNotAnalysedDoesNotHideTheOneBefore) {
  Upload('a');
  Analyze(Profile(100));
  Upload('b');
  auto keeper = Keeper();
  EXPECT_TRUE(*keeper.RunOnce());
  EXPECT_TRUE(AreKept());
  Analyze(Profile(100));
  EXPECT_TRUE(*keeper.RunOnce());
  EXPECT_TRUE(AreKept());
}

TEST_F(ChangesKeeperTest, WaitsForWhatMayStillComeOfARun) {
  Upload('a');
  Analyze(Profile(100));
  now_ = kNow;
  auto keeper = Keeper();
  EXPECT_FALSE(*keeper.RunOnce());
  now_ += store::kReportDelay;
  EXPECT_TRUE(*keeper.RunOnce());
}

TEST_F(ChangesKeeperTest, GoesOnAfterABranchWhoseProfilesCannotBeRead) {
  for (const char commit : {'a', 'b', 'c', 'd'}) {
    Upload(commit);
    Analyze(Profile(commit < 'c' ? 100 : 200));
  }
  ChangesKeeperOptions options;
  options.now = [this] { return now_; };
  ChangesKeeper keeper(store_.reports, store_.reading, store::MakeTempStore().blobs, options);
  EXPECT_TRUE(*keeper.RunOnce());
  EXPECT_FALSE(AreKept());
  for (int i = 0; i < 10 && *keeper.RunOnce(); ++i) continue;
  EXPECT_FALSE(*keeper.RunOnce()) << "each run is looked at once";
}

}  // namespace

}  // namespace gprofhub::reporter
