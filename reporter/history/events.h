// Change events of a branch. The change points of all functions and targets are clustered: one
// event per release at which something changed. CompareSides finds its cause.
//
// All counts that changed at one release are one event. Times are located less precisely: a change
// of time may lie at several releases (ChangePoint). If one of these has an event, the change
// belongs to it. Otherwise it starts a new event. The times with the largest effect sizes come
// first.
//
// For each event, releases on both sides are compared: up to three of each side, and none beyond
// the neighbouring events. The cause is the highest-ranked finding that the series confirm.
//
// Memory holds three things, for each of two threads:
// - a sixteenth (a bucket) of one target's points over all releases, about 70 bytes per function
//   and release, or all of them, if they take at most 14 MB;
// - 32 bytes per release for each function with enough samples to judge;
// - the profiles of one comparison.
//
// A target of 50,000 functions over 100 runs needs about 25 MB each, and the profiles of six
// releases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"
#include "reporter/comparison/choose_reruns.h"
#include "reporter/history/series_change_points.h"

namespace gprofhub::reporter {

// Clusters change points of all functions and targets by their position in the history.

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

// Finds the cause of an event. The releases around the event are compared. The cause is one of the
// comparison's findings, or is derived from the series themselves.

class EventCause {
 public:
  // Keeps a reference to `cluster`.
  explicit EventCause(const EventCluster& cluster) : cluster_(cluster) {}

  // Adds one target: its number and label in the history, and the releases around the event.
  void AddTarget(size_t number, const std::string& label, const ComparisonSide& before,
                 const ComparisonSide& after);

  // The event's cause. Material ones have precedence over small ones, and these, with `all`, over
  // moved cost. Among material ones, the comparison's findings have precedence over those from the
  // series; then the largest RankingShare wins. Nothing if there is no cause.
  std::optional<v1::Finding> Find(bool all) const;

  // The series change behind a finding returned by Find. nullptr if the function's series is not in
  // the cluster.
  const SeriesChange* SeriesOf(const v1::Finding& cause) const;

  // Functions that are causes, in all added targets.
  const std::set<std::string>& functions() const { return functions_; }

 private:
  const EventCluster& cluster_;
  std::optional<v1::Finding> cause_, from_series_, minor_, moved_;
  std::set<std::string> functions_;
  // By target label, function and whether it is about calls. Points into the cluster.
  std::map<std::tuple<std::string, std::string, bool>, const SeriesChange*> series_;
};

struct ChangeEventOptions {
  // Whether to include events in which cost only moved.
  bool all = false;
};

// Newest first. Returns errors of the history.
absl::StatusOr<std::vector<v1::ChangeEvent>> FindChangeEvents(History& history,
                                                              const ChangeEventOptions& options);

// Keeps the newest `limit` events, and counts the others; 0 keeps all.
void LimitEvents(uint32_t limit, v1::GetChangesResponse& changes);

}  // namespace gprofhub::reporter
