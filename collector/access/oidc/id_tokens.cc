#include "collector/access/oidc/id_tokens.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/glob.h"
#include "base/printable.h"

namespace gprofhub::collector {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxNameBytes = 300;

absl::StatusOr<Caller> CallerOf(const Issuer& issuer, const Json& claims) {
  const absl::StatusOr<CiJob> job = ReadCiJob(issuer.system, claims);
  if (!job.ok()) return job.status();
  const auto entry = std::find_if(
      issuer.projects.begin(), issuer.projects.end(),
      [&job](const TrustedRepository& one) { return one.repository == job->repository; });
  if (entry == issuer.projects.end()) {
    return RefusedToken(absl::StrCat(
        "is of the repository ", base::Shortened(base::Printable(job->repository), kMaxNameBytes),
        ", which opens no project here"));
  }
  Caller caller;
  caller.project = entry->project;
  caller.scopes = Scopes().With(Scope::kUpload).With(Scope::kRead);
  const bool main =
      !job->trusted_branch.empty() &&
      std::any_of(entry->main.begin(), entry->main.end(), [&job](const std::string& pattern) {
        return base::GlobMatches(pattern, job->trusted_branch);
      });
  if (main) caller.scopes = caller.scopes.With(Scope::kUploadMain);
  caller.actor.name = base::Shortened(base::Printable(job->name), kMaxNameBytes);
  caller.run = job->run;
  return caller;
}

}  // namespace

IdTokens::IdTokens(std::vector<Issuer> issuers, const FetchUrl& fetch) {
  for (Issuer& issuer : issuers) {
    Trusted& trusted = trusted_.emplace_back();
    trusted.issuer = std::move(issuer);
    trusted.keys = std::make_unique<KeyCache>(
        [issuer = trusted.issuer, fetch]() -> absl::StatusOr<std::string> {
          if (!issuer.keys.empty()) return fetch(issuer.keys);
          return FetchKeys(issuer.issuer, fetch);
        });
  }
}

absl::StatusOr<Caller> IdTokens::Identify(absl::string_view token, absl::Time now) const {
  const absl::StatusOr<UnverifiedToken> said = LookAtToken(token);
  if (!said.ok()) return said.status();
  const auto trusted = std::find_if(trusted_.begin(), trusted_.end(), [&said](const Trusted& one) {
    return one.issuer.issuer == said->issuer;
  });
  if (trusted == trusted_.end()) return RefusedToken("is of an issuer that is not trusted here");
  const absl::StatusOr<Json> claims = VerifyToken(
      token, *said, {trusted->issuer.issuer, trusted->issuer.audience}, *trusted->keys, now);
  if (!claims.ok()) return claims.status();
  return CallerOf(trusted->issuer, *claims);
}

}  // namespace gprofhub::collector
