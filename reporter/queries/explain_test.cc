#include "reporter/queries/explain.h"

#include "reporter/findings/finding_id.h"
#include "reporter/queries/compare_runs.h"
#include "reporter/testing/stored_runs.h"

namespace gprofhub::reporter {
namespace {

using ExplainFindingTest = StoredRunsTest;

TEST_F(ExplainFindingTest, GivesThePathOfEachSide) {
  Upload('a');
  Analyze(Profile(10));
  Upload('b', {Commit('a')}, Commit('a'));
  Analyze(Profile(80));
  v1::CompareRequest compare;
  compare.set_project(kProject);
  compare.set_head(Commit('b'));
  const auto report = CompareRuns(store_.reading, store_.blobs, compare);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_GT(report->findings_size(), 0);
  v1::ExplainRequest request;
  request.set_project(kProject);
  request.set_head(Commit('b'));
  request.set_finding(FindingId(report->findings(0)).substr(0, 7));
  const auto explained = ExplainFinding(store_.reading, store_.blobs, request);
  ASSERT_TRUE(explained.ok()) << explained.status();
  EXPECT_EQ(explained->finding().function(), "_Z5parsei");
  EXPECT_EQ(explained->base().commit(), Commit('a'));
  ASSERT_EQ(explained->base().path_size(), 2);
  ASSERT_EQ(explained->head().path_size(), 2);
  EXPECT_EQ(explained->base().path(1).arc_calls(), 10);
  EXPECT_EQ(explained->head().path(1).arc_calls(), 80);
  EXPECT_EQ(explained->head().path(1).function_display(), "parse(int)");
  EXPECT_TRUE(explained->head().path(1).changed());
}

TEST_F(ExplainFindingTest, AnUnknownIdIsNotFound) {
  Upload('a');
  Analyze(Profile(10));
  Upload('b', {Commit('a')}, Commit('a'));
  Analyze(Profile(80));
  v1::ExplainRequest request;
  request.set_project(kProject);
  request.set_head(Commit('b'));
  request.set_finding("0123456789");
  EXPECT_EQ(ExplainFinding(store_.reading, store_.blobs, request).status().code(),
            absl::StatusCode::kNotFound);
  request.set_head("ccccccc");
  EXPECT_EQ(ExplainFinding(store_.reading, store_.blobs, request).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace gprofhub::reporter
