#include "reporter/queries/read_profiles.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

#include "reporter/testing/stored_runs.h"

namespace gprofhub::reporter {
namespace {

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

}  // namespace
}  // namespace gprofhub::reporter
