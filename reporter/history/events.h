// A history's changes. The change points of all functions and targets are put together. There is
// one event for each release at which something changed. CompareSides finds its cause.
//
// All counts that changed at one release are one event. Times are known less exactly. A change of
// time may lie at several releases (ChangePoint). If one of these has an event, the change belongs
// to it. Otherwise it makes an event of its own. The clearest times come first.
//
// For each event, releases on both sides are compared: up to three of each side, and none beyond
// the neighbouring events. The cause is the finding with the highest rank among those that the
// series confirm.
//
// Memory holds three things:
// - a sixteenth (a bucket) of one target's points over all releases, about 70 bytes for each
//   function and release, and all of its points if they take no more than 6 MB;
// - 32 bytes a release for each function with enough samples to judge;
// - the profiles of one comparison.
// A target of 50,000 functions over 100 runs needs about 25 MB, and the profiles of six releases.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/query.pb.h"
#include "reporter/history/history.h"

namespace gprofhub::reporter {

struct ChangeEventOptions {
  // Also events in which cost only moved.
  bool all = false;
};

// Newest first. Errors are the history's.
absl::StatusOr<std::vector<v1::ChangeEvent>> FindChangeEvents(History& history,
                                                              const ChangeEventOptions& options);

// Leaves the newest `limit` events, and counts the others; 0 leaves all.
void LimitEvents(uint32_t limit, v1::GetChangesResponse& changes);

}  // namespace gprofhub::reporter
