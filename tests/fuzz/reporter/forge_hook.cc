// Requests to the listener of forges' webhooks. The first line is the sender, and the rest is the
// body. A body without a valid signature is not read, and of a valid one, the result is no more
// than a number.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/hash.h"
#include "reporter/forge/hook_request.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using gprofhub::reporter::HookRequest;
  constexpr char kSecret[] = "the secret";
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t end = bytes.find('\n');
  const absl::string_view who = bytes.substr(0, end);
  HookRequest request;
  if (end != absl::string_view::npos) request.body = std::string(bytes.substr(end + 1));
  request.headers["x-github-event"] = "issue_comment";
  request.headers["x-gitlab-event"] = "Note Hook";
  request.headers["x-gitlab-token"] = std::string(who);
  if (who == "github") {
    request.headers["x-hub-signature-256"] =
        absl::StrCat("sha256=", gprofhub::base::HmacSha256Hex(kSecret, request.body));
  }
  const auto read = gprofhub::reporter::ReadHook(request, kSecret);
  if (!read.ok() || !read->has_value()) return 0;
  if (who != "github" && who != kSecret) std::abort();
  const std::string& number = (*read)->pull_request;
  if (number.empty() || number.size() > 18 || (*read)->repository.empty()) std::abort();
  for (const char c : number) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) std::abort();
  }
  return 0;
}
