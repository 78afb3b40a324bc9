// What a store packs number by number: any bytes as a content of each kind, against any others, and
// any bytes as what was packed. The first byte says where the base ends.

#include "store/packing/table_delta.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "base/table_layout.h"
#include "profile/layouts/describe_content.h"

namespace {

using gprofhub::base::ContentKind;

void PackAndUnpack(ContentKind kind, absl::string_view content, absl::string_view base) {
  const gprofhub::base::TableLayout layout = gprofhub::profile::DescribeContent(kind, content);
  const gprofhub::base::TableLayout base_layout = gprofhub::profile::DescribeContent(kind, base);
  const std::optional<std::string> packed =
      gprofhub::store::PackTables(content, layout, base, base_layout);
  // What is described is described well.
  if (!packed.has_value()) {
    if (!layout.empty() && !base_layout.empty()) std::abort();
    return;
  }
  const auto again = gprofhub::store::UnpackTables(*packed, base);
  if (!again.ok() || *again != content) std::abort();
  // With what was packed for another content as packed, most of it is looked at.
  (void)gprofhub::store::UnpackTables(*packed, content);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  absl::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t at = input.size() * static_cast<unsigned char>(input[0]) / 256;
  input.remove_prefix(1);
  const absl::string_view base = input.substr(0, at);
  const absl::string_view content = input.substr(base.size());
  for (const ContentKind kind :
       {ContentKind::kSymbols, ContentKind::kProfile, ContentKind::kResult}) {
    PackAndUnpack(kind, content, base);
    PackAndUnpack(kind, content, content);
  }
  (void)gprofhub::store::UnpackTables(content, base);
  return 0;
}
