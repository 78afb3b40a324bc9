// What a forge's webhook says: somebody wrote a comment on a pull request.
//
// The request may come from anybody. So it is read only after the secret that it proves to know,
// and of what it says, no more is used than which pull request's comments to read.
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
// INVALID_ARGUMENT if the body is not what the event is. `secret` is not empty.
absl::StatusOr<std::optional<HookComment>> ReadHook(const HookRequest& request,
                                                    absl::string_view secret);

}  // namespace gprofhub::reporter
