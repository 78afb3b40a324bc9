// A form as a browser sends it. Encoding the parsed values gives an equivalent form.

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/http/percent_coding.h"
#include "server/http/page_request.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const std::map<std::string, std::string> values = gprofhub::server::ParseForm(text);
  std::vector<std::string> parts;
  for (const auto& [name, value] : values) {
    if (name.size() + value.size() > size) std::abort();
    parts.push_back(absl::StrCat(gprofhub::base::PercentEncoded(name), "=",
                                 gprofhub::base::PercentEncoded(value)));
  }
  if (gprofhub::server::ParseForm(absl::StrJoin(parts, "&")) != values) std::abort();
  return 0;
}
