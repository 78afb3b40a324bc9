// Archive segments from an object store: a decoded segment equals the one that is filled with the
// same blobs.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/string_view.h"
#include "store/packing/standing_boxes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view box(reinterpret_cast<const char*>(data), size);
  const auto blobs = gprofhub::store::ReadBoxList(box);
  if (!blobs.ok()) return 0;
  gprofhub::store::BoxFiller filler;
  for (const gprofhub::store::BoxedBlob& blob : *blobs) {
    filler.Add(blob.name, box.substr(blob.first_byte, blob.length));
  }
  if (filler.blobs() != *blobs || filler.Finish() != box) std::abort();
  return 0;
}
