// Names as demanglers and other programs write them. A short name respects the limit, and is not
// longer than the name, except for the ellipsis.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/string_view.h"
#include "profile/names.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view name(reinterpret_cast<const char*>(data), size);
  for (const size_t most : {0, 1, 7, 40, 120, 5000}) {
    const std::string text = gprofhub::profile::ShortName(name, most);
    const size_t characters =
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
    if (characters > std::max<size_t>(most, 1)) std::abort();
    if (text.size() > size + 16) std::abort();
  }
  return 0;
}
