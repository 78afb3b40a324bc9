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
// Memory holds three things:
// - a sixteenth (a bucket) of one target's points over all releases, about 70 bytes per function
//   and release, and all of its points if they take at most 6 MB;
// - 32 bytes per release for each function with enough samples to judge;
// - the profiles of one comparison.
//
// A target of 50,000 functions over 100 runs needs about 25 MB, and the profiles of six releases.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/query.pb.h"
#include "reporter/history/history.h"

namespace gprofhub::reporter {

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
