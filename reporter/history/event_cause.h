// Finds the cause of an event. The releases around the event are compared. The cause is one of the
// comparison's findings, or what the series themselves say.
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
  // `cluster` outlives it.
  explicit EventCause(const EventCluster& cluster) : cluster_(cluster) {}

  // Looks at one target: its number and label in the history, and the releases around the event.
  void AddTarget(size_t number, const std::string& label, const ComparisonSide& before,
                 const ComparisonSide& after);

  // The event's cause. A material one comes first, then a small one, and, with `all`, cost that
  // only moved. Of material ones, what the comparison found comes before what the series say.
  // Among these the one that stands for most (RankingShare) counts. Nothing if there is none.
  std::optional<v1::Finding> Find(bool all) const;

  // The series' change behind a finding that Find gave. nullptr if the function's series is not in
  // the cluster.
  const SeriesChange* SeriesOf(const v1::Finding& cause) const;

  // Functions that are causes, in all targets looked at.
  const std::set<std::string>& functions() const { return functions_; }

 private:
  const EventCluster& cluster_;
  std::optional<v1::Finding> cause_, from_series_, minor_, moved_;
  std::set<std::string> functions_;
  // By target's label, function and whether it is about calls. Into the cluster.
  std::map<std::tuple<std::string, std::string, bool>, const SeriesChange*> series_;
};

}  // namespace gprofhub::reporter
