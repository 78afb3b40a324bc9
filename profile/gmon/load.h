// The second time over a profile's bytes, which are known to be sound: numbers are loaded
// without looking right or left.
#pragma once

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/gmon/check.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// Arcs, and up to which byte of the file everything has been loaded.
using VisitArcs = absl::FunctionRef<void(absl::Span<const RawArc> arcs, size_t loaded)>;

// Of `bytes`, which `reading` found sound, the ranks of its histograms being set: puts the
// histograms in the place of those in `profile`, adds the blocks to it, and gives `visit` the arcs
// in their order, so many at a time as stay in the nearest cache.
void LoadGmon(absl::string_view bytes, const GmonReading& reading, RawProfile& profile,
              VisitArcs visit);

}  // namespace gprofhub::profile
