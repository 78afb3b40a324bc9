// Change points of all functions of one target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "profile/codec/series.h"
#include "profile/computed.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"
#include "reporter/history/time_steps.h"

namespace gprofhub::reporter {

// Source of a history: releases in order, and the series and profiles of each target.

// Buckets of functions: `first` and those after it.
struct Buckets {
  uint32_t first = 0;
  uint32_t count = 1;
};

// One target's points of some buckets at one release.
struct ReleaseSeries {
  bool measured = false;
  // Not measured, because none of the target's inputs changed since the release before.
  bool unchanged = false;
  // Measured with the binaries of the last release before that measured the target. Then its times
  // differ only because the machine or the data do.
  bool same_binaries = false;
  std::vector<profile::SeriesSegment> segments;  // one per run
};

// Adds a run's points of a further bucket, or of the first one.
void AddBucket(profile::SeriesSegment of_bucket, profile::SeriesSegment& segment);

// Implemented over a store and over directories. Two threads may read.
class History {
 public:
  virtual ~History() = default;
  virtual const std::vector<v1::Release>& releases() const = 0;  // in order
  virtual const std::vector<std::string>& targets() const = 0;
  // By release. There are kSeriesBuckets.
  virtual absl::StatusOr<std::vector<ReleaseSeries>> ReadSeries(const std::string& target,
                                                                Buckets buckets) = 0;
  // One profile per run of a measured release.
  virtual absl::StatusOr<std::vector<profile::ComputedProfile>> ReadProfiles(
      const std::string& target, size_t release) = 0;
  // The release's known ancestor commits, nearest first.
  virtual absl::StatusOr<std::vector<std::string>> ReadAncestors(size_t release) = 0;
};

struct SeriesChange {
  size_t target = 0;  // index into History::targets()
  uint64_t function_hash = 0;
  v1::Finding::Metric metric = v1::Finding::CALLS;  // or SELF_TIME
  ChangePoint change;
};

// The change points of calls and self times, sorted by function, metric and release. Calls are per
// execution. Times are seconds per execution at the mean speed of the machines. A new level of
// them, or of counts that vary, begins only with other binaries. A function without a point at a
// measured release was not called there. Returns errors of the history.
absl::StatusOr<std::vector<SeriesChange>> FindSeriesChanges(History& history, size_t target);

}  // namespace gprofhub::reporter
