// Source of a history: releases in order, and the series and profiles of each target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "profile/codec/series.h"
#include "profile/computed.h"
#include "proto/query.pb.h"

namespace gprofhub::reporter {

struct HistoryRelease {
  v1::Release about;
  std::vector<std::string> ancestors;  // known ancestor commits, nearest first
};

// One target's points of one bucket at one release.
struct ReleaseSeries {
  bool measured = false;
  // Not measured, because none of the target's inputs changed since the release before.
  bool unchanged = false;
  std::vector<profile::SeriesSegment> segments;  // one per run
};

// Implemented over a store and over directories.
class History {
 public:
  virtual ~History() = default;
  virtual const std::vector<HistoryRelease>& releases() const = 0;  // in order
  virtual const std::vector<std::string>& targets() const = 0;
  // By release. `bucket` is below kSeriesBuckets.
  virtual absl::StatusOr<std::vector<ReleaseSeries>> ReadSeries(const std::string& target,
                                                                uint32_t bucket) = 0;
  // One profile per run of a measured release.
  virtual absl::StatusOr<std::vector<profile::ComputedProfile>> ReadProfiles(
      const std::string& target, size_t release) = 0;
};

}  // namespace gprofhub::reporter
