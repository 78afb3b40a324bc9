// Archive segments from an object store: a decoded segment equals the one that is filled with the
// same blobs.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/string_view.h"
#include "store/archive/segment_format.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view segment(reinterpret_cast<const char*>(data), size);
  const auto blobs = gprofhub::store::ReadSegmentIndex(segment);
  if (!blobs.ok()) return 0;
  gprofhub::store::SegmentWriter writer;
  for (const gprofhub::store::SegmentBlob& blob : *blobs) {
    writer.Add(blob.name, segment.substr(blob.first_byte, blob.length));
  }
  if (writer.blobs() != *blobs || writer.Finish() != segment) std::abort();
  return 0;
}
