// One function's series over runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/computed.h"
#include "profile/series_codec.h"
#include "proto/query.pb.h"
#include "store/records.h"

namespace gprofhub {

// The linkage name that `text` means among the profiles' functions: the same
// linkage name, else the same demangled name, else the same demangled name
// without parameters, else the only name with `text` as a part. NOT_FOUND;
// INVALID_ARGUMENT with the candidates where several fit equally well.
absl::StatusOr<std::string> ResolveFunction(const std::vector<ComputedProfile>& profiles,
                                            absl::string_view text);

// Points of `function` (a linkage name) in `runs` (newest first; points come
// out oldest first), from the decoded segments of its bucket: of each run, one
// per target. A run without segments has not been analysed and is left out; a
// run that has them but not the function gets a point of zero.
v1::GetTrendResponse BuildTrend(absl::string_view function, const std::vector<RunRecord>& runs,
                                const std::map<int64_t, std::vector<SeriesSegment>>& segments);

}  // namespace gprofhub
