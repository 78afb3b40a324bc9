// Responses of an S3 server: lists, errors, ranges. Each input goes through every parser.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "store/objects/location.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace store = gprofhub::store;
  const absl::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string code = store::ErrorCodeOf(input);
  if (!std::all_of(code.begin(), code.end(), absl::ascii_isalnum)) std::abort();
  const auto list = store::ParseList(input);
  if (list.ok()) {
    // Continuing from the last key makes progress.
    for (size_t i = 1; i < list->objects.size(); ++i) {
      if (list->objects[i].key <= list->objects[i - 1].key) std::abort();
    }
    if (list->is_truncated && list->objects.empty()) std::abort();
  }
  (void)store::ParseContentRange(input);
  return 0;
}
