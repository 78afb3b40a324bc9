#include "reporter/queries/trend.h"

#include <gtest/gtest.h>

#include "reporter/testing/stored_runs.h"

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

}  // namespace
}  // namespace gprofhub::reporter
