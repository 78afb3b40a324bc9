// A history's changes: change points of all functions and targets, put together to
// one event per release at which something changed, with the cause that CompareSides
// finds there.
//
// A release's counts that changed are one event. Times are known less exactly: a
// time's change belongs to the event within the releases at which it may lie
// (ChangePoint), else it makes one of its own, the clearest times first. For each
// event the releases on both sides, up to three of each and none beyond the
// neighbouring events, are compared: the cause is the comparison's highest-ranked
// finding that the series confirm.
//
// Memory: a sixteenth (a bucket) of one target's points over all releases at a time,
// about 70 bytes a function and release; of functions with enough samples to judge,
// 32 bytes a release; and the profiles of one comparison. A target of 50,000
// functions over 100 runs needs about 25 MB, and six releases' profiles.
#pragma once

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

}  // namespace gprofhub::reporter
