#include "ci/upload/token_source.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "base/percent_coding.h"

namespace gprofhub::ci {
namespace {

using Json = nlohmann::json;

constexpr absl::Duration kRenewBefore = absl::Minutes(1);

// Expiry from the token's unverified claims (the server verifies them); the past if it has none.
absl::Time EndOf(const std::string& token) {
  const std::vector<std::string> parts = absl::StrSplit(token, '.');
  std::string text;
  if (parts.size() != 3 || !absl::WebSafeBase64Unescape(parts[1], &text)) {
    return absl::InfinitePast();
  }
  const Json claims = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!claims.is_object() || !claims.contains("exp") || !claims["exp"].is_number_integer()) {
    return absl::InfinitePast();
  }
  return absl::FromUnixSeconds(claims["exp"].get<int64_t>());
}

class GitHub {
 public:
  explicit GitHub(GitHubTokenRequest request) : request_(std::move(request)) {}

  absl::StatusOr<std::string> Token() {
    absl::MutexLock lock(&mutex_);
    if (request_.now() + kRenewBefore < end_) return token_;
    const std::string url =
        absl::StrCat(request_.url, absl::StrContains(request_.url, '?') ? "&" : "?",
                     "audience=", base::PercentEncoded(request_.audience));
    const absl::StatusOr<std::string> answer =
        request_.get(url, absl::StrCat("bearer ", request_.token));
    if (!answer.ok()) return answer.status();
    const Json body = Json::parse(*answer, nullptr, /*allow_exceptions=*/false);
    if (!body.is_object() || !body.contains("value") || !body["value"].is_string()) {
      return absl::InternalError("GitHub's answer has no ID token");
    }
    token_ = body["value"].get<std::string>();
    end_ = EndOf(token_);
    return token_;
  }

 private:
  const GitHubTokenRequest request_;
  absl::Mutex mutex_;
  std::string token_ ABSL_GUARDED_BY(mutex_);
  absl::Time end_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace

TokenSource FixedToken(std::string token) {
  return [token = std::move(token)] { return token; };
}

TokenSource GitHubIdTokens(GitHubTokenRequest request) {
  return [github = std::make_shared<GitHub>(std::move(request))] { return github->Token(); };
}

}  // namespace gprofhub::ci
