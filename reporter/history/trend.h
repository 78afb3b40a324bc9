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

// A function's name and what it is stored under: several hashes where static
// functions of one name lie in several files.
struct SeriesIdentity {
  std::string function;  // linkage name
  std::set<uint64_t> hashes;
};

// The function that `text` means among the profiles' functions: the same
// linkage name, else the same demangled name, else the same demangled name
// without parameters, else the only name with `text` as a part. Names and `text` are compared as
// Printable shows them, so that a name can be copied from a report. NOT_FOUND;
// INVALID_ARGUMENT with the candidates where several fit equally well.
absl::StatusOr<SeriesIdentity> ResolveFunction(
    const std::vector<profile::ComputedProfile>& profiles, absl::string_view text);

// Adds the hashes that the function has in `profile`.
void AddHashes(const profile::ComputedProfile& profile, SeriesIdentity& identity);

// Decoded segments of the function's buckets, by run: of each run one per
// target and bucket. An analysed run without a segment has an empty list.
using SegmentsByRun = std::map<int64_t, std::vector<profile::SeriesSegment>>;

// The function's points in `runs` (newest first; points come out oldest first).
// A run that is not in `segments` has not been analysed and is left out; one
// without the function gets a point of zero. Changes are marked within the runs of
// one branch and configuration, those of pull requests and forks left out.
v1::GetTrendResponse BuildTrend(const SeriesIdentity& identity,
                                const std::vector<store::RunRecord>& runs,
                                const SegmentsByRun& segments);

}  // namespace gprofhub::reporter
