#include "collector/access/oidc/key_cache.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace gprofhub::collector {

absl::StatusOr<SigningKey> KeyCache::Known(const std::string& key_id, absl::Time now,
                                           absl::Duration max_age) const {
  const auto found = keys_.find(key_id);
  if (found != keys_.end() && now - fetched_ < max_age) return found->second;
  if (fetching_) {
    return absl::UnavailableError("the issuer's keys are being fetched: try again in a moment");
  }
  if (!last_error_.ok() || now - fetched_ >= kMaxAge) {
    return absl::UnavailableError(
        absl::StrCat("the issuer's keys cannot be fetched: ", last_error_.message()));
  }
  return absl::UnauthenticatedError("the ID token is signed with no key that its issuer has");
}

absl::StatusOr<SigningKey> KeyCache::Find(absl::string_view key_id, absl::Time now) {
  const std::string id(key_id);
  {
    absl::MutexLock lock(&mutex_);
    absl::StatusOr<SigningKey> fresh = Known(id, now, kFresh);
    if (fresh.ok()) return fresh;
    if (fetching_ || now - tried_ < kPause) return Known(id, now, kMaxAge);
    fetching_ = true;
    tried_ = now;
  }
  absl::StatusOr<std::string> text = fetch_();
  absl::StatusOr<SigningKeys> keys =
      text.ok() ? ParseSigningKeys(*text) : absl::StatusOr<SigningKeys>(text.status());
  absl::MutexLock lock(&mutex_);
  fetching_ = false;
  last_error_ = keys.status();
  if (keys.ok()) {
    keys_ = *std::move(keys);
    fetched_ = now;
  }
  return Known(id, now, kMaxAge);
}

}  // namespace gprofhub::collector
