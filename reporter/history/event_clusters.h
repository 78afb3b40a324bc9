// Change points of all functions and targets, put together by their place in the history.
#pragma once

#include <cstddef>
#include <vector>

#include "reporter/history/series_change_points.h"

namespace gprofhub::reporter {

// Change points with one place in the history.
struct EventCluster {
  size_t last_before = 0;
  size_t at = 0;
  size_t first_after = 0;
  std::vector<SeriesChange> changes;
};

// In the order of the releases. Changes of counts come first, for they know best where they are;
// a time's change joins a cluster that lies within the releases at which it may have happened.
std::vector<EventCluster> ClusterChanges(std::vector<SeriesChange> changes);

// Targets of a cluster, those with the most changes first.
std::vector<size_t> TargetsOf(const EventCluster& cluster);

}  // namespace gprofhub::reporter
