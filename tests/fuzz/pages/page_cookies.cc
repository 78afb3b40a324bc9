// The header with cookies. Names and values are unencoded.

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "cli/serve/http/visits/page_request.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view header(reinterpret_cast<const char*>(data), size);
  const std::map<std::string, std::string> values = gprofhub::cli::ParseCookies(header);
  std::vector<std::string> parts;
  for (const auto& [name, value] : values) {
    if (!absl::StrContains(header, name) || !absl::StrContains(header, value)) std::abort();
    if (absl::StrContains(name, '=') || absl::StrContains(name, ';')) std::abort();
    if (absl::StrContains(value, ';')) std::abort();
    parts.push_back(absl::StrCat(name, "=", value));
  }
  if (gprofhub::cli::ParseCookies(absl::StrJoin(parts, "; ")) != values) std::abort();
  return 0;
}
