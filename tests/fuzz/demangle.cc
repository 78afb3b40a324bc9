// Linkage names. However a name is made, its text stays within megabytes.

#include "profile/demangle.h"

#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text =
      gprofhub::Demangle(absl::string_view(reinterpret_cast<const char*>(data), size));
  if (text.size() > (size_t{16} << 20)) std::abort();
  return 0;
}
