#include "page/html/url.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/percent_coding.h"

namespace gprofhub::page {

Url Url::Path(std::initializer_list<absl::string_view> segments) {
  Url url;
  for (const absl::string_view segment : segments) {
    absl::StrAppend(&url.text_, "/", base::PercentEncoded(segment));
  }
  if (url.text_.empty()) url.text_ = "/";
  return url;
}

std::optional<Url> Url::External(absl::string_view address) {
  const bool is_http =
      absl::StartsWith(address, "https://") || absl::StartsWith(address, "http://");
  const auto is_plain = [](char c) {
    return absl::ascii_isgraph(static_cast<unsigned char>(c)) && !absl::StrContains("\"'<>`\\", c);
  };
  if (!is_http || !std::all_of(address.begin(), address.end(), is_plain)) return std::nullopt;
  Url url;
  url.text_ = std::string(address);
  url.is_external_ = true;
  return url;
}

Url Url::Here(absl::string_view fragment) { return Url().At(fragment); }

Url Url::With(absl::string_view name, absl::string_view value) const {
  if (value.empty()) return *this;
  Url url = *this;
  absl::StrAppend(&url.text_, absl::StrContains(text_, '?') ? "&" : "?", base::PercentEncoded(name),
                  "=", base::PercentEncoded(value));
  return url;
}

Url Url::At(absl::string_view fragment) const {
  Url url = *this;
  absl::StrAppend(&url.text_, "#", base::PercentEncoded(fragment));
  return url;
}

}  // namespace gprofhub::page
