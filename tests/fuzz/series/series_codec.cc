// Series segments. Points that can be decoded ascend.

#include <cstdlib>

#include "profile/codec/series.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto segment =
      gprofhub::profile::DecodeSeries(absl::string_view(reinterpret_cast<const char*>(data), size));
  if (!segment.ok()) return 0;
  for (size_t i = 1; i < segment->points.size(); ++i) {
    if (segment->points[i - 1].function_hash >= segment->points[i].function_hash) std::abort();
  }
  return 0;
}
