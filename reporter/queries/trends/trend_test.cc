#include "reporter/queries/trends/trend.h"

#include <gtest/gtest.h>

#include "absl/time/time.h"
#include "base/decoding/budget.h"
#include "base/decoding/decoding.h"
#include "reporter/queries/blob_reader.h"
#include "reporter/testing/stored_runs.h"
#include "store/testing/temp_store.h"

namespace gprofhub::reporter {
namespace {

using GetTrendTest = StoredRunsTest;

TEST_F(GetTrendTest, SampledRunsHaveNoTrend) {
  UploadSampled('a');
  Analyze(Profile(5));
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("main");
  EXPECT_EQ(GetTrend(store_.reading, store_.blobs, request).status().code(),
            absl::StatusCode::kNotFound);
  Upload('b');
  Analyze(Profile(9));
  EXPECT_EQ(GetTrend(store_.reading, store_.blobs, request)->points_size(), 1);
}

TEST_F(GetTrendTest, FollowsAFunctionOverTheRuns) {
  for (const auto& [commit, calls] : {std::pair('a', 100), std::pair('b', 120)}) {
    Upload(commit);
    Analyze(Profile(calls));
  }
  Upload('c');  // not analysed
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("parse");
  const absl::StatusOr<v1::GetTrendResponse> trend =
      GetTrend(store_.reading, store_.blobs, request);
  ASSERT_TRUE(trend.ok()) << trend.status();
  EXPECT_EQ(trend->function(), "_Z5parsei");
  EXPECT_EQ(trend->function_display(), "parse(int)");
  ASSERT_EQ(trend->points_size(), 2);
  EXPECT_EQ(trend->points(0).commit(), Commit('a'));
  EXPECT_EQ(trend->points(0).calls(), 100);
  EXPECT_EQ(trend->points(1).calls(), 120);
  EXPECT_NEAR(trend->points(1).self_seconds(), 0.5, 1e-6);
  request.set_function("absent");
  EXPECT_EQ(GetTrend(store_.reading, store_.blobs, request).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(GetTrendTest, PointsAreDecodedWithinTheBudget) {
  Upload('a');
  Analyze(Profile(100));
  constexpr uint64_t kBytes = base::DecodingBudget::kSeatBytes;
  base::DecodingBudget budget(kBytes, /*longest_wait=*/absl::ZeroDuration());
  base::DecodingCall call(budget, kProject, nullptr);
  const BlobReader blobs(BlobReader(store_.blobs), base::Decoding(call));
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("_Z5parsei");  // no profile is read
  {
    base::DecodingCall other(budget, "other", nullptr);
    ASSERT_TRUE(other.Take(kBytes).ok());
    const absl::Status refused = GetTrend(store_.reading, blobs, request).status();
    EXPECT_TRUE(base::IsShortOfDecoding(refused)) << refused;
  }
  EXPECT_EQ(GetTrend(store_.reading, blobs, request)->points_size(), 1);
  EXPECT_EQ(call.used(), 0u) << "it was given back";
}

TEST_F(GetTrendTest, AQuestionOverItsBudgetEnds) {
  Upload('a');
  Analyze(Profile(100));
  base::DecodingBudget budget(/*bytes=*/100);
  base::DecodingCall call(budget, kProject, nullptr);
  const BlobReader blobs(BlobReader(store_.blobs), base::Decoding(call));
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("_Z5parsei");  // no profile is read
  const absl::Status refused = GetTrend(store_.reading, blobs, request).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
  EXPECT_EQ(call.used(), 0u);
}

TEST_F(GetTrendTest, TellsOfSealedRunsAsOfOpenOnes) {
  seal_at_ = 4;
  std::vector<double> calls;
  for (char commit = 'a'; commit <= 'p'; ++commit) {
    Upload(commit);
    Analyze(Profile(commit == 'h' ? 250 : 100));
    calls.push_back(commit == 'h' ? 250 : 100);
  }
  // A run that is sealed already gets another shard.
  Upload(UploadedRun{.commit = 'b', .target = "//other:test"});
  Analyze(Profile(7));
  calls[1] += 7;
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("parse");
  const auto trend = GetTrend(store_.reading, store_.blobs, request);
  ASSERT_TRUE(trend.ok()) << trend.status();
  ASSERT_EQ(trend->points_size(), static_cast<int>(calls.size()));
  for (size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(trend->points(static_cast<int>(i)).calls(), calls[i]) << i;
    EXPECT_GT(trend->points(static_cast<int>(i)).self_seconds(), 0) << i;
  }
  request.set_limit(3);
  EXPECT_EQ(GetTrend(store_.reading, store_.blobs, request)->points_size(), 3);
}

TEST_F(GetTrendTest, AWholeLinkageNameNeedsNoProfile) {
  Upload('a');
  Analyze(Profile(100));
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("_Z5parsei");
  // Unreadable blobs.
  const store::Blobs nothing = store::MakeTempStore().blobs;
  const auto trend = GetTrend(store_.reading, nothing, request);
  ASSERT_TRUE(trend.ok()) << trend.status();
  EXPECT_EQ(trend->function_display(), "parse(int)");
  ASSERT_EQ(trend->points_size(), 1);
  EXPECT_EQ(trend->points(0).calls(), 100);
  request.set_function("parse");
  EXPECT_FALSE(GetTrend(store_.reading, nothing, request).ok());
}

TEST_F(GetTrendTest, AFunctionThatTheNewestRunsLostIsStillFoundByItsWholeName) {
  Upload('a');
  Analyze(Profile(100));
  Upload('b');
  Analyze(profile::ComputedProfile());
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("_Z5parsei");
  const auto trend = GetTrend(store_.reading, store_.blobs, request);
  ASSERT_TRUE(trend.ok()) << trend.status();
  ASSERT_EQ(trend->points_size(), 2);
  EXPECT_EQ(trend->points(1).calls(), 0);
}

}  // namespace
}  // namespace gprofhub::reporter
