#include "reporter/forge/github_auth.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"

namespace gprofhub {
namespace {

constexpr absl::Duration kRenewBefore = absl::Minutes(5);

std::string Base64Url(absl::string_view bytes) {
  std::string text = absl::WebSafeBase64Escape(bytes);
  while (!text.empty() && text.back() == '=') text.pop_back();
  return text;
}

absl::StatusOr<std::string> SignRs256(absl::string_view text, absl::string_view pem) {
  const std::unique_ptr<BIO, int (*)(BIO*)> file(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  // A key that wants a password is refused rather than asked for on a terminal.
  const auto no_password = [](char*, int, int, void*) { return -1; };
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(
      file == nullptr ? nullptr
                      : PEM_read_bio_PrivateKey(file.get(), nullptr, no_password, nullptr),
      EVP_PKEY_free);
  if (key == nullptr || EVP_PKEY_base_id(key.get()) != EVP_PKEY_RSA) {
    return absl::InvalidArgumentError(
        "the App's key is no RSA private key in PEM without password");
  }
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                   EVP_MD_CTX_free);
  size_t length = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  if (context == nullptr ||
      EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &length, bytes, text.size()) != 1) {
    return absl::InternalError("libcrypto cannot sign");
  }
  std::string signature(length, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &length,
                     bytes, text.size()) != 1) {
    return absl::InternalError("libcrypto cannot sign");
  }
  signature.resize(length);
  return signature;
}

}  // namespace

absl::StatusOr<std::string> MakeAppJwt(absl::string_view app_id, absl::string_view private_key_pem,
                                       absl::Time now) {
  const nlohmann::json claims = {
      {"iat", absl::ToUnixSeconds(now - absl::Minutes(1))},
      {"exp", absl::ToUnixSeconds(now + absl::Minutes(9))},
      {"iss", std::string(app_id)},
  };
  const std::string signed_part =
      absl::StrCat(Base64Url(R"({"alg":"RS256","typ":"JWT"})"), ".", Base64Url(claims.dump()));
  absl::StatusOr<std::string> signature = SignRs256(signed_part, private_key_pem);
  if (!signature.ok()) return signature.status();
  return absl::StrCat(signed_part, ".", Base64Url(*signature));
}

struct GitHubInstallation::State {
  State(std::string base_url, HttpClient http, ForgeClock the_clock, GitHubApp the_app,
        std::string the_repository)
      : clock(std::move(the_clock)),
        app(std::move(the_app)),
        repository(std::move(the_repository)),
        api({std::move(base_url), std::move(http), clock, [this] { return Headers(); }, {}, ""}) {}

  absl::StatusOr<HttpHeaders> Headers() const {
    absl::StatusOr<std::string> jwt = MakeAppJwt(app.app_id, app.private_key_pem, clock.now());
    if (!jwt.ok()) return jwt.status();
    return HttpHeaders{{"Authorization", absl::StrCat("Bearer ", *jwt)},
                       {"Accept", "application/vnd.github+json"},
                       {"X-GitHub-Api-Version", "2022-11-28"}};
  }

  absl::Status Renew() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    absl::StatusOr<nlohmann::json> installation =
        api.Get(absl::StrCat("/repos/", repository, "/installation"));
    if (!installation.ok()) return installation.status();
    const std::string name = repository.substr(repository.find('/') + 1);
    // No more rights than the reporter uses, for this repository only.
    const nlohmann::json wanted = {{"repositories", {name}},
                                   {"permissions",
                                    {{"checks", "write"},
                                     {"contents", "read"},
                                     {"issues", "write"},
                                     {"metadata", "read"},
                                     {"pull_requests", "write"}}}};
    absl::StatusOr<nlohmann::json> made = api.Send(
        "POST",
        absl::StrCat("/app/installations/", JsonNumber(*installation, "id"), "/access_tokens"),
        wanted);
    if (!made.ok()) return made.status();
    absl::Time end;
    std::string error;
    if (JsonText(*made, "token").empty() ||
        !absl::ParseTime(absl::RFC3339_full, JsonText(*made, "expires_at"), &end, &error)) {
      return absl::InternalError("GitHub's answer has no token, or no time until which it is good");
    }
    token = JsonText(*made, "token");
    token_end = end;
    return absl::OkStatus();
  }

  const ForgeClock clock;
  const GitHubApp app;
  const std::string repository;
  const RestApi api;
  absl::Mutex mutex;
  std::string token ABSL_GUARDED_BY(mutex);
  absl::Time token_end ABSL_GUARDED_BY(mutex) = absl::InfinitePast();
  std::string login ABSL_GUARDED_BY(mutex);
};

GitHubInstallation::GitHubInstallation(std::string base_url, HttpClient http, ForgeClock clock,
                                       GitHubApp app, std::string repository)
    : state_(std::make_unique<State>(std::move(base_url), std::move(http), std::move(clock),
                                     std::move(app), std::move(repository))) {}

GitHubInstallation::~GitHubInstallation() = default;

absl::StatusOr<std::string> GitHubInstallation::Token() {
  absl::MutexLock lock(&state_->mutex);
  if (state_->clock.now() + kRenewBefore >= state_->token_end) {
    if (absl::Status status = state_->Renew(); !status.ok()) return status;
  }
  return state_->token;
}

absl::StatusOr<std::string> GitHubInstallation::Login() {
  absl::MutexLock lock(&state_->mutex);
  if (state_->login.empty()) {
    absl::StatusOr<nlohmann::json> app = state_->api.Get("/app");
    if (!app.ok()) return app.status();
    if (JsonText(*app, "slug").empty()) return absl::InternalError("GitHub's App has no slug");
    state_->login = absl::StrCat(JsonText(*app, "slug"), "[bot]");
  }
  return state_->login;
}

}  // namespace gprofhub
