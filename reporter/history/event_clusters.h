// Clusters change points of all functions and targets by their position in the history.
#pragma once

#include <cstddef>
#include <vector>

#include "reporter/history/series_change_points.h"

namespace gprofhub::reporter {

// Change points at one position in the history.
struct EventCluster {
  size_t last_before = 0;
  size_t at = 0;
  size_t first_after = 0;
  std::vector<SeriesChange> changes;
};

// The clusters in release order. A change joins the nearest cluster among the releases at which it
// may have happened. Without one, it starts a new cluster. Changes of counts come first, because
// they are located most precisely.
std::vector<EventCluster> ClusterChanges(std::vector<SeriesChange> changes);

// The targets of a cluster, those with the most changes first.
std::vector<size_t> TargetsOf(const EventCluster& cluster);

}  // namespace gprofhub::reporter
