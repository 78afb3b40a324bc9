// Webhooks of forges: a comment was written on a pull request.
//
// Requests are untrusted. The body is parsed only after the request proves to know the secret, and
// is used only to decide which pull request's comments to read.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

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
// A body is JSON, or, of GitHub, a form whose field "payload" is JSON. UNIMPLEMENTED for other
// content types, whatever the event. INVALID_ARGUMENT if the body does not match the event.
// `secret` is not empty.
absl::StatusOr<std::optional<HookComment>> ReadHook(const HookRequest& request,
                                                    absl::string_view secret);

// Replay protection: accepts each request once.

// Remembers requests for a time, up to a maximum number: the oldest are evicted. Thread-safe.
class ReplayMemory {
 public:
  ReplayMemory(size_t most, absl::Duration time) : most_(most), time_(time) {}

  bool Knows(absl::string_view key, absl::Time now);
  void Remember(absl::string_view key, absl::Time now);

 private:
  void Forget(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t most_;
  const absl::Duration time_;
  absl::Mutex mutex_;
  std::set<std::string> keys_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::pair<absl::Time, std::string>> by_age_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gprofhub::reporter
