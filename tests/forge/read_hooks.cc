// Reads webhooks of GitHub as the server does. Each line of stdin is {"event": NAME, "body": TEXT};
// with "forged": true the signature has a wrong key. Each line of stdout is the result:
// {"repository": …, "pull_request": …}, null for events other than comments on pull requests, or
// {"error": …}.
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "reporter/forge/hook_request.h"

namespace gprofhub::tests {
namespace {

constexpr char kSecret[] = "0123456789abcdef";

nlohmann::json Read(const nlohmann::json& line) {
  reporter::HookRequest request;
  request.body = line.at("body").get<std::string>();
  request.headers["x-github-event"] = line.at("event").get<std::string>();
  const char* const secret = line.value("forged", false) ? "a guess" : kSecret;
  request.headers["x-hub-signature-256"] =
      absl::StrCat("sha256=", base::HmacSha256Hex(secret, request.body));
  const absl::StatusOr<std::optional<reporter::HookComment>> comment =
      reporter::ReadHook(request, kSecret);
  if (!comment.ok()) return {{"error", comment.status().ToString()}};
  if (!comment->has_value()) return nullptr;
  return {{"repository", (*comment)->repository}, {"pull_request", (*comment)->pull_request}};
}

}  // namespace
}  // namespace gprofhub::tests

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::cout << gprofhub::tests::Read(nlohmann::json::parse(line)).dump() << std::endl;
  }
  return 0;
}
