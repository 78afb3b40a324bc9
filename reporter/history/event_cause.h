// Finds what an event's cause is, among what a comparison of the releases around it finds.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

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

  // The event's cause: a material one, else a small one; with `all`, else cost that
  // only moved. Nothing if no finding is one.
  std::optional<v1::Finding> Find(bool all) const;

  // Functions that are causes, in all targets looked at.
  const std::set<std::string>& functions() const { return functions_; }

 private:
  const EventCluster& cluster_;
  std::optional<v1::Finding> cause_, from_series_, minor_, moved_;
  std::set<std::string> functions_;
};

}  // namespace gprofhub::reporter
