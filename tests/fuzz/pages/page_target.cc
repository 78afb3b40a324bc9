// A request's address as a browser sends it. The result is text, and an address built from it leads
// to the same page.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/http/percent_coding.h"
#include "base/text.h"
#include "server/http/page_request.h"

namespace {

void CheckText(const std::string& text) {
  if (!gprofhub::base::IsUtf8(text) || text.find('\0') != std::string::npos) std::abort();
}

std::string AddressOf(const gprofhub::server::PageRequest& request) {
  std::string address = "/";
  for (const std::string& segment : request.path) {
    absl::StrAppend(&address, gprofhub::base::PercentEncoded(segment), "/");
  }
  std::vector<std::string> query;
  for (const auto& [name, value] : request.query) {
    query.push_back(absl::StrCat(gprofhub::base::PercentEncoded(name), "=",
                                 gprofhub::base::PercentEncoded(value)));
  }
  return absl::StrCat(address, "?", absl::StrJoin(query, "&"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view target(reinterpret_cast<const char*>(data), size);
  gprofhub::server::PageRequest request;
  if (!ParseTarget(target, request).ok()) return 0;
  if (request.target != target) std::abort();
  for (const std::string& segment : request.path) CheckText(segment);
  for (const auto& [name, value] : request.query) {
    CheckText(name);
    CheckText(value);
  }
  gprofhub::server::PageRequest again;
  if (!ParseTarget(AddressOf(request), again).ok()) std::abort();
  if (again.path != request.path || again.query != request.query) std::abort();
  return 0;
}
