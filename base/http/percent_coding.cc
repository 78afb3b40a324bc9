#include "base/http/percent_coding.h"

#include <curl/curl.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::base {

namespace {

struct CurlFree {
  void operator()(char* text) const { curl_free(text); }
};
using CurlText = std::unique_ptr<char, CurlFree>;

}  // namespace

// libcurl interprets length 0 as "up to the first NUL byte", and fails only if memory is exhausted
// or a text has gigabytes.

std::string PercentEncoded(absl::string_view text) {
  if (text.empty()) return "";
  const CurlText encoded(curl_easy_escape(nullptr, text.data(), static_cast<int>(text.size())));
  if (encoded == nullptr) std::abort();
  return encoded.get();
}

std::string PercentDecoded(absl::string_view text) {
  if (text.empty()) return "";
  int size = 0;
  const CurlText decoded(
      curl_easy_unescape(nullptr, text.data(), static_cast<int>(text.size()), &size));
  if (decoded == nullptr) std::abort();
  return std::string(decoded.get(), static_cast<size_t>(size));
}

}  // namespace gprofhub::base
