// Finds the cause of an event. The releases around the event are compared. The cause is one of the
// comparison's findings, or is derived from the series themselves.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "proto/findings.pb.h"
#include "reporter/comparison/comparison_side.h"
#include "reporter/history/event_clusters.h"

namespace gprofhub::reporter {

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

}  // namespace gprofhub::reporter
