#include "server/access.h"

#include <spdlog/spdlog.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/file.h"
#include "base/http/http.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "collector/access/issuers.h"
#include "collector/access/verify_token.h"
#include "collector/upload_session.h"
#include "collector/validate.h"
#include "server/signals.h"
#include "store/upkeep.h"

namespace gprofhub::server {

namespace {

// Warnings for a server that other machines reach. With required client certificates, no other
// client reaches HTTP/2.
void WarnOfExposure(const Exposure& exposure) {
  if (!exposure.tls.client_authorities.empty()) return;
  spdlog::warn(
      "{} can be reached from other machines{}, without the protection of a reverse proxy; listen "
      "on loopback behind the one of deploy/nginx.conf, or require client certificates with "
      "--tls-client-ca (docs/security.md)",
      exposure.listen.ToString(),
      exposure.tls.certificate.empty() ? ", without encryption of tokens and profiles" : "");
}

constexpr uint64_t kMaxFileBytes = 1 << 20;

// Checks of the server only: tokens use TLS, and projects have valid names.
absl::Status Check(const std::vector<collector::Issuer>& issuers) {
  for (const collector::Issuer& issuer : issuers) {
    for (const std::string& url : {issuer.issuer, issuer.keys}) {
      if (url.empty()) continue;
      RETURN_IF_ERROR(base::CheckHttpUrl(url));
    }
    for (const collector::TrustedRepository& one : issuer.projects) {
      RETURN_IF_ERROR(collector::ValidateProject("project", one.project));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<collector::Authorizer::IdTokens> MakeIdTokens(const IssuerOptions& options) {
  if (options.file.empty()) return nullptr;
  ASSIGN_OR_RETURN(const std::string text, base::ReadFile(options.file, kMaxFileBytes));
  absl::StatusOr<std::vector<collector::Issuer>> issuers = collector::ParseIssuers(text);
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
        ASSIGN_OR_RETURN(const base::HttpResponse answer,
                         http({"GET", url, {{"Accept", "application/json"}}, ""}));
        if (answer.status == 200) return answer.body;
        return absl::UnavailableError(absl::StrCat(url, " answers with status ", answer.status));
      });
  return [tokens](absl::string_view token, absl::Time now) { return tokens->Identify(token, now); };
}

namespace {

// The same, from a file that can be read again.
struct ReloadableIdTokens {
  collector::Authorizer::IdTokens identify;  // null if no file is named; so is the other
  // Errors as MakeIdTokens; after one nothing has changed.
  std::function<absl::Status()> reload;
};

absl::StatusOr<ReloadableIdTokens> MakeReloadableIdTokens(const IssuerOptions& options) {
  struct Shared {
    absl::Mutex mutex;
    std::shared_ptr<const collector::Authorizer::IdTokens> now ABSL_GUARDED_BY(mutex);
  };
  const auto shared = std::make_shared<Shared>();
  const auto load = [shared, options] {
    ASSIGN_OR_RETURN(collector::Authorizer::IdTokens made, MakeIdTokens(options));
    absl::MutexLock lock(&shared->mutex);
    shared->now = std::make_shared<const collector::Authorizer::IdTokens>(std::move(made));
    return absl::OkStatus();
  };
  if (options.file.empty()) return ReloadableIdTokens{};
  RETURN_IF_ERROR(load());
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

}  // namespace

AccessControl::AccessControl(const ServerContext& context, const AccessOptions& options,
                             const ServedRoles& roles, Exposure exposure)
    : context_(context),
      options_(options),
      roles_(roles),
      exposure_(std::move(exposure)),
      quotas_([ingest = context.store.store.ingest](const std::string& project) {
        return ingest.SentBytes(project);
      }) {}

AccessControl::~AccessControl() = default;

absl::Status AccessControl::Start() {
  if (roles_.collector || roles_.query) RETURN_IF_ERROR(CheckExposure());
  ASSIGN_OR_RETURN(ReloadableIdTokens id_tokens, MakeReloadableIdTokens(options_.issuers));
  if (id_tokens.reload) context_.reloading.Add("the file of --id-tokens", id_tokens.reload);
  const store::Store& store = context_.store.store;
  authorizer_ =
      std::make_unique<collector::Authorizer>(store.tokens, store.audit, id_tokens.identify);
  RETURN_IF_ERROR(LoadCertificates());
  return LoadQuotas();
}

collector::Access AccessControl::access() { return collector::AccessOf(*authorizer_, &quotas_); }

// Warns of what only a front stops where other machines reach the server.
absl::Status AccessControl::CheckExposure() const {
  ASSIGN_OR_RETURN(const bool loopback, IsLoopback(exposure_.listen));
  if (!loopback) {
    WarnOfExposure(exposure_);
    RETURN_IF_ERROR(CheckOpenness(exposure_.listen));
  }
  ASSIGN_OR_RETURN(const std::optional<ListenAddress> pages, BeyondLoopback(exposure_.pages));
  if (!roles_.query || !pages.has_value()) return absl::OkStatus();
  return CheckOpenness(*pages);
}

// Without tokens, every client that reaches a port may use it.
absl::Status AccessControl::CheckOpenness(const ListenAddress& address) const {
  ASSIGN_OR_RETURN(const bool has_tokens, context_.store.store.tokens.WereCreated());
  if (has_tokens || !options_.issuers.file.empty()) return absl::OkStatus();
  if (options_.allow_anonymous) {
    spdlog::warn("{} accepts every client: no token exists", address.ToString());
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(address.ToString(),
                   " can be reached from other machines and no token exists; create one with "
                   "`gprofhub token create`, or pass --allow-anonymous"));
}

absl::Status AccessControl::LoadCertificates() {
  if (exposure_.tls.certificate.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(certificates_, ServerCertificates::Load(exposure_.tls));
  const auto tell = [this] {
    spdlog::info(
        "the server's certificate expires at {}",
        absl::FormatTime(absl::RFC3339_sec, certificates_->expires(), absl::UTCTimeZone()));
  };
  tell();
  context_.reloading.Add("the files of --tls-cert, --tls-key and --tls-client-ca", [this, tell] {
    absl::Status status = certificates_->Reload();
    if (status.ok()) tell();
    return status;
  });
  return absl::OkStatus();
}

absl::Status AccessControl::LoadQuotas() {
  if (options_.quotas_file.empty()) return absl::OkStatus();
  const auto set = [this] { return SetQuotasOfFile(options_.quotas_file, quotas_); };
  RETURN_IF_ERROR(set());
  context_.reloading.Add("the file of --quotas", set);
  return absl::OkStatus();
}

}  // namespace gprofhub::server
