// Sealed points: a chunk's runs, and after a byte with their number, the points of a function.
// Decoded values survive encoding and decoding.

#include <cstdlib>
#include <vector>

#include "profile/codec/series.h"

namespace {

using namespace gprofhub::profile;

void CheckRuns(absl::string_view bytes) {
  const auto runs = DecodeChunkRuns(bytes);
  if (!runs.ok()) return;
  const auto again = DecodeChunkRuns(EncodeChunkRuns(*runs));
  if (!again.ok() || again->size() != runs->size()) std::abort();
  for (size_t i = 0; i < runs->size(); ++i) {
    if ((*again)[i].run_id != (*runs)[i].run_id) std::abort();
  }
}

void CheckColumns(absl::string_view bytes) {
  if (bytes.empty()) return;
  const size_t runs = static_cast<unsigned char>(bytes.front());
  const auto points = DecodeFunctionColumns(5, bytes.substr(1), runs);
  if (!points.ok() || points->empty()) return;
  std::vector<RunSegment> segments(runs);
  for (const auto& [run, point] : *points) segments.at(run).segment.points.push_back(point);
  const std::vector<FunctionColumns> packed = EncodeFunctionColumns(segments);
  if (packed.size() != 1) std::abort();
  const auto again = DecodeFunctionColumns(5, packed[0].bytes, runs);
  if (!again.ok() || again->size() != points->size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckRuns(bytes);
  CheckColumns(bytes);
  return 0;
}
