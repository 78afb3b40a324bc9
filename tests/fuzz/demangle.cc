// Linkage names of any language. The text of a name is never longer than some tens of times the
// name.

#include "profile/demangle.h"

#include <cstdint>
#include <cstdlib>

#include "absl/strings/string_view.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using gprofhub::profile::DemanglingStyle;
  const absl::string_view name(reinterpret_cast<const char*>(data), size);
  for (const DemanglingStyle style :
       {DemanglingStyle::kAuto, DemanglingStyle::kGnuV3, DemanglingStyle::kJava,
        DemanglingStyle::kGnat, DemanglingStyle::kDlang, DemanglingStyle::kRust}) {
    if (gprofhub::profile::Demangle(name, style).size() > (size_t{1} << 20) + 512 * size)
      std::abort();
  }
  if (gprofhub::profile::DemangleWithoutParameters(name).size() > (size_t{1} << 20) + 512 * size) {
    std::abort();
  }
  return 0;
}
