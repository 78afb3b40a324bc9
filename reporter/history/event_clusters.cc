#include "reporter/history/event_clusters.h"

#include <algorithm>
#include <map>
#include <utility>

namespace gprofhub::reporter {

std::vector<EventCluster> ClusterChanges(std::vector<SeriesChange> changes) {
  // The most precisely located come first.
  std::stable_sort(changes.begin(), changes.end(),
                   [](const SeriesChange& a, const SeriesChange& b) {
                     const size_t width_a = a.change.first_after - a.change.last_before;
                     const size_t width_b = b.change.first_after - b.change.last_before;
                     const bool count_a = a.metric == v1::Finding::CALLS;
                     const bool count_b = b.metric == v1::Finding::CALLS;
                     if (count_a != count_b) return count_a;
                     if (count_a && width_a != width_b) return width_a < width_b;
                     return a.change.strength > b.change.strength;
                   });
  std::map<size_t, EventCluster> by_place;
  for (SeriesChange& found : changes) {
    const ChangePoint& change = found.change;
    EventCluster* nearest = nullptr;
    const auto distance = [&](size_t at) {
      return at < change.at ? change.at - at : at - change.at;
    };
    for (auto entry = by_place.upper_bound(change.last_before);
         entry != by_place.end() && entry->first <= change.first_after; ++entry) {
      if (nearest == nullptr || distance(entry->first) < distance(nearest->at)) {
        nearest = &entry->second;
      }
    }
    if (nearest == nullptr) {
      nearest = &by_place[change.at];
      *nearest = {change.last_before, change.at, change.first_after, {}};
    }
    nearest->changes.push_back(std::move(found));
  }
  std::vector<EventCluster> clusters;
  for (auto& [place, cluster] : by_place) clusters.push_back(std::move(cluster));
  return clusters;
}

std::vector<size_t> TargetsOf(const EventCluster& cluster) {
  std::map<size_t, size_t> changes;
  for (const SeriesChange& found : cluster.changes) ++changes[found.target];
  std::vector<size_t> targets;
  for (const auto& [target, count] : changes) targets.push_back(target);
  std::stable_sort(targets.begin(), targets.end(),
                   [&](size_t a, size_t b) { return changes[a] > changes[b]; });
  return targets;
}

}  // namespace gprofhub::reporter
