// How programs of before schema version 25 packed points: a whole bucket of functions in one row.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/codec/series_chunk.h"

namespace gprofhub::profile {

// Takes it apart. Nothing is packed anew. DataLoss names the field that is wrong.
absl::StatusOr<SeriesChunk> SplitSealedBucket(absl::string_view bytes);

}  // namespace gprofhub::profile
