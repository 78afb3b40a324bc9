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

// The clusters in the order of their releases. A change joins the nearest cluster among the
// releases at which the change may have happened. If there is none, it makes a cluster of its own.
// Changes of counts come first, because their place is known best.
std::vector<EventCluster> ClusterChanges(std::vector<SeriesChange> changes);

// The targets of a cluster. Those with the most changes come first.
std::vector<size_t> TargetsOf(const EventCluster& cluster);

}  // namespace gprofhub::reporter
