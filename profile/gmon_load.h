// The second time over a profile's bytes, which are known to be sound: numbers are loaded
// without looking right or left.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/gmon_check.h"
#include "profile/raw_profile.h"

namespace gprofhub {

using VisitArcs = absl::FunctionRef<void(absl::Span<const RawArc>)>;

// Of `bytes`, which `reading` found sound, the ranks of its histograms being set: adds
// histograms and blocks to `profile`, and gives `visit` the arcs in their order, so
// many at a time as stay in the nearest cache.
void LoadGmon(absl::string_view bytes, const GmonReading& reading, RawProfile& profile,
              VisitArcs visit);

}  // namespace gprofhub
