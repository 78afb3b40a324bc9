// Webhooks of forges: a comment was written on a pull request.
//
// Requests are untrusted. The body is parsed only after the request proves to know the secret, and
// is used only to decide which pull request's comments to read.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

struct HookRequest {
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

enum class HookForge { kGitHub, kGitLab };

struct HookComment {
  HookForge forge = HookForge::kGitHub;
  std::string repository;    // "owner/name"
  std::string pull_request;  // digits
};

// The comment; nothing for another event, and for a comment on an issue. UNAUTHENTICATED unless
// - X-Hub-Signature-256 is "sha256=" and the HMAC of the body under the secret (GitHub), or
// - X-Gitlab-Token is the secret.
//
// INVALID_ARGUMENT if the body does not match the event. `secret` is not empty.
absl::StatusOr<std::optional<HookComment>> ReadHook(const HookRequest& request,
                                                    absl::string_view secret);

}  // namespace gprofhub::reporter
