// Cache of an issuer's keys, fetched on demand.
#pragma once

#include <functional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "collector/access/oidc/signing_keys.h"

namespace gprofhub::collector {

// Thread-safe. At most one thread at a time waits for the issuer, and at most once a minute,
// regardless of the tokens presented; a token signed with a cached key never waits.
class KeyCache {
 public:
  static constexpr absl::Duration kPause = absl::Minutes(1);  // minimum between two fetches
  static constexpr absl::Duration kFresh = absl::Hours(1);    // then they are fetched again
  static constexpr absl::Duration kMaxAge = absl::Hours(24);  // limit if fetching fails

  // `fetch` returns the key set's text, in bounded time.
  explicit KeyCache(std::function<absl::StatusOr<std::string>()> fetch)
      : fetch_(std::move(fetch)) {}

  // UNAUTHENTICATED if the issuer has no such key; UNAVAILABLE (try again) if the issuer does not
  // respond now.
  absl::StatusOr<SigningKey> Find(absl::string_view key_id, absl::Time now);

 private:
  // The cached key, unless it is older than `max_age`.
  absl::StatusOr<SigningKey> Known(const std::string& key_id, absl::Time now,
                                   absl::Duration max_age) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::function<absl::StatusOr<std::string>()> fetch_;
  absl::Mutex mutex_;
  SigningKeys keys_ ABSL_GUARDED_BY(mutex_);
  absl::Time fetched_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  absl::Time tried_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  bool fetching_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status last_error_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gprofhub::collector
