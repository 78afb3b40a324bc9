#include "cli/serve/id_token_issuers.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/http/allowed_url.h"
#include "base/http/curl_client.h"
#include "base/read_file.h"
#include "base/status_context.h"
#include "collector/access/oidc/id_tokens.h"
#include "collector/access/oidc/issuers.h"
#include "collector/access/oidc/signing_keys.h"
#include "collector/validate.h"

namespace gprofhub::cli {
namespace {

constexpr uint64_t kMaxFileBytes = 1 << 20;

// Checks of the server only: tokens use TLS, and projects have valid names.
absl::Status Check(const std::vector<collector::Issuer>& issuers) {
  for (const collector::Issuer& issuer : issuers) {
    for (const std::string& url : {issuer.issuer, issuer.keys}) {
      if (url.empty()) continue;
      if (absl::Status status = base::CheckHttpUrl(url); !status.ok()) return status;
    }
    for (const collector::TrustedRepository& one : issuer.projects) {
      absl::Status status = collector::ValidateProject("project", one.project);
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<collector::Authorizer::IdTokens> MakeIdTokens(const IssuerOptions& options) {
  if (options.file.empty()) return nullptr;
  const absl::StatusOr<std::string> text = base::ReadFile(options.file, kMaxFileBytes);
  if (!text.ok()) return text.status();
  absl::StatusOr<std::vector<collector::Issuer>> issuers = collector::ParseIssuers(*text);
  const absl::Status usable = issuers.ok() ? Check(*issuers) : issuers.status();
  if (!usable.ok()) return base::WithContext(usable, options.file);
  base::CurlOptions curl;
  curl.connect_timeout = options.timeout;
  curl.timeout = options.timeout;
  curl.max_response_bytes = collector::kMaxKeySetBytes;
  curl.ca_file = options.ca_file;
  auto tokens = std::make_shared<const collector::IdTokens>(
      *std::move(issuers),
      [http = base::MakeCurlClient(curl)](const std::string& url) -> absl::StatusOr<std::string> {
        const absl::StatusOr<base::HttpResponse> answer =
            http({"GET", url, {{"Accept", "application/json"}}, ""});
        if (!answer.ok()) return answer.status();
        if (answer->status == 200) return answer->body;
        return absl::UnavailableError(absl::StrCat(url, " answers with status ", answer->status));
      });
  return [tokens](absl::string_view token, absl::Time now) { return tokens->Identify(token, now); };
}

absl::StatusOr<ReloadableIdTokens> MakeReloadableIdTokens(const IssuerOptions& options) {
  struct Shared {
    absl::Mutex mutex;
    std::shared_ptr<const collector::Authorizer::IdTokens> now ABSL_GUARDED_BY(mutex);
  };
  const auto shared = std::make_shared<Shared>();
  const auto load = [shared, options] {
    absl::StatusOr<collector::Authorizer::IdTokens> made = MakeIdTokens(options);
    if (!made.ok()) return made.status();
    absl::MutexLock lock(&shared->mutex);
    shared->now = std::make_shared<const collector::Authorizer::IdTokens>(*std::move(made));
    return absl::OkStatus();
  };
  if (options.file.empty()) return ReloadableIdTokens{};
  if (absl::Status status = load(); !status.ok()) return status;
  return ReloadableIdTokens{[shared](absl::string_view token, absl::Time now) {
                              std::shared_ptr<const collector::Authorizer::IdTokens> tokens;
                              {
                                absl::MutexLock lock(&shared->mutex);
                                tokens = shared->now;
                              }
                              return (*tokens)(token, now);
                            },
                            load};
}

}  // namespace gprofhub::cli
