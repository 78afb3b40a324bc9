// Sealed points. What can be decoded comes back when it is encoded again.

#include "profile/codec/series_chunk.h"

#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gprofhub::profile;
  const auto runs = DecodeSeriesChunk(absl::string_view(reinterpret_cast<const char*>(data), size));
  if (!runs.ok()) return 0;
  const auto again = DecodeSeriesChunk(EncodeSeriesChunk(*runs));
  if (!again.ok() || again->size() != runs->size()) std::abort();
  for (size_t i = 0; i < runs->size(); ++i) {
    if ((*again)[i].run_id != (*runs)[i].run_id) std::abort();
    if ((*again)[i].segment.points.size() != (*runs)[i].segment.points.size()) std::abort();
  }
  return 0;
}
