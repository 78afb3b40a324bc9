// One function's series over runs.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/codec/series.h"
#include "profile/computed.h"
#include "proto/query.pb.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// A function's name and the hashes that it is stored under. There are several where static
// functions of one name stand in several files.
struct SeriesIdentity {
  std::string function;  // linkage name
  std::set<uint64_t> hashes;
};

// The function that `text` means among the profiles' functions. Four ways are tried in this order:
// the same linkage name; the same demangled name; the same demangled name without parameters; the
// only name with `text` as a part. Names and `text` are compared as Printable shows them, so a name
// can be copied from a report. Errors: NOT_FOUND, and INVALID_ARGUMENT with the candidates where
// several fit equally well.
absl::StatusOr<SeriesIdentity> ResolveFunction(
    const std::vector<profile::ComputedProfile>& profiles, absl::string_view text);

// Adds the hashes that the function has in `profile`.
void AddHashes(const profile::ComputedProfile& profile, SeriesIdentity& identity);

// Decoded segments of the function's buckets, by run. A run has one for each target and bucket. The
// list of an analysed run without a segment is empty.
using SegmentsByRun = std::map<int64_t, std::vector<profile::SeriesSegment>>;

// The function's points in `runs`. The runs come newest first, the points oldest first. A run that
// is not in `segments` has not been analysed. It is left out. A run without the function gets a
// point of zero. Changes are marked within the runs of one branch and configuration. Runs of pull
// requests and forks have no marks.
v1::GetTrendResponse BuildTrend(const SeriesIdentity& identity,
                                const std::vector<store::RunRecord>& runs,
                                const SegmentsByRun& segments);

}  // namespace gprofhub::reporter
