#include "reporter/history/event_clusters.h"

#include <gmock/gmock.h>

#include <vector>

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;

SeriesChange Change(v1::Finding::Metric metric, size_t last_before, size_t at, size_t first_after,
                    double strength = 5, size_t target = 0) {
  SeriesChange change;
  change.target = target;
  change.metric = metric;
  change.change.last_before = last_before;
  change.change.at = at;
  change.change.first_after = first_after;
  change.change.strength = strength;
  return change;
}

std::vector<size_t> PlacesOf(const std::vector<EventCluster>& clusters) {
  std::vector<size_t> places;
  for (const EventCluster& cluster : clusters) places.push_back(cluster.at);
  return places;
}

TEST(ClusterChanges, CountsOfOneReleaseAreOneEvent) {
  const auto clusters =
      ClusterChanges({Change(v1::Finding::CALLS, 3, 4, 4), Change(v1::Finding::CALLS, 3, 4, 4),
                      Change(v1::Finding::CALLS, 6, 7, 7)});
  EXPECT_THAT(PlacesOf(clusters), ElementsAre(4, 7));
  EXPECT_EQ(clusters[0].changes.size(), 2u);
}

TEST(ClusterChanges, ATimeJoinsTheNearestEventWithinItsReleases) {
  const auto clusters =
      ClusterChanges({Change(v1::Finding::SELF_TIME, 2, 6, 8), Change(v1::Finding::CALLS, 2, 3, 3),
                      Change(v1::Finding::CALLS, 6, 7, 7)});
  EXPECT_THAT(PlacesOf(clusters), ElementsAre(3, 7));
  EXPECT_EQ(clusters[1].changes.size(), 2u);
}

TEST(ClusterChanges, ATimeElsewhereIsAnEventOfItsOwn) {
  const auto clusters = ClusterChanges(
      {Change(v1::Finding::SELF_TIME, 4, 5, 6), Change(v1::Finding::CALLS, 1, 2, 2)});
  EXPECT_THAT(PlacesOf(clusters), ElementsAre(2, 5));
}

TEST(ClusterChanges, OfTimesTheClearestSaysWhere) {
  const auto clusters = ClusterChanges(
      {Change(v1::Finding::SELF_TIME, 1, 4, 6, 5), Change(v1::Finding::SELF_TIME, 2, 3, 4, 9)});
  EXPECT_THAT(PlacesOf(clusters), ElementsAre(3));
}

TEST(TargetsOf, ThoseWithTheMostChangesComeFirst) {
  EventCluster cluster;
  for (const size_t target : {1, 2, 2, 0}) {
    cluster.changes.push_back(Change(v1::Finding::CALLS, 1, 2, 2, 5, target));
  }
  EXPECT_THAT(TargetsOf(cluster), ElementsAre(2, 0, 1));
}

}  // namespace
}  // namespace gprofhub::reporter
