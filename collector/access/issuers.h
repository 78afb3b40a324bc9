// Whose ID tokens are taken, and what they open: the file of `gprofhub serve --id-tokens`.
//
//   {"issuers": [
//     {"issuer": "https://token.actions.githubusercontent.com",
//      "system": "github",                       github, gitlab or buildkite
//      "audience": "https://gprofhub.example.com",
//      "keys": "https://…",                      optional: else found by discovery
//      "projects": [
//        {"repository": "acme/db", "project": "db",
//         "main": ["main", "release/*"]}]}]}     branches whose jobs may send the main line
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "collector/access/authorizer.h"
#include "collector/access/verify_token.h"

namespace gprofhub::collector {

// The CI job described by an ID token's claims, for each CI system.
//
//   GitHub Actions  docs.github.com/actions/reference/security/oidc: repository, ref, event_name,
//                   head_ref, run_id
//   GitLab CI       docs.gitlab.com/ci/secrets/id_token_authentication: project_path, ref,
//                   ref_type, ref_protected, pipeline_source, pipeline_id
//   Buildkite       buildkite.com/docs/agent/v3/cli-oidc: organization_slug, pipeline_slug,
//                   build_branch, build_tag, build_number

enum class CiSystem { kGitHub, kGitLab, kBuildkite };

struct CiJob {
  std::string repository;  // "owner/name", "group/project" or "organization/pipeline"
  std::string name;        // display name: repository, ref and run
  RunFacts run;
  // The branch whose own code runs in this job, if only users with write access to the branch can
  // start such jobs; else empty.
  std::string trusted_branch;
};

// UNAUTHENTICATED if a required claim is missing. `claims` are verified.
absl::StatusOr<CiJob> ReadCiJob(CiSystem system, const nlohmann::json& claims);

struct TrustedRepository {
  std::string repository;
  std::string project;
  std::vector<std::string> main;  // shell patterns of branches
};

struct Issuer {
  std::string issuer;  // as in the claim "iss"
  CiSystem system = CiSystem::kGitHub;
  std::string audience;
  std::string keys;  // URL of its key set; empty: found by discovery
  std::vector<TrustedRepository> projects;
};

// INVALID_ARGUMENT naming the place of a missing, unknown or wrongly typed field.
absl::StatusOr<std::vector<Issuer>> ParseIssuers(absl::string_view json);

// ID tokens of CI systems in place of stored secrets: OpenID Connect Core 1.0, 3.1.3.7, on JSON
// Web Tokens (RFC 7519) signed with RS256 or ES256 (RFC 7518).
//
// Checks, in this order:
//
//   1. the token is short, and its header names RS256 or ES256 and a key's id
//   2. its issuer is one of the file's, and has that key; the key is of that algorithm
//   3. the signature
//   4. issuer again, audience, end and beginning, from the claims as they were signed
//   5. the repository is one of the issuer's in the file
//
// So "alg": "none" and a MAC made with the public key are refused in step 1. The only unsigned
// value that is used is the name of the issuer whose keys are tried.

// Safe to call from several threads.
class IdTokens {
 public:
  IdTokens(std::vector<Issuer> issuers, const FetchUrl& fetch);

  // Verifies the token and returns its principal, with the scopes of its repository's entry: upload
  // and read, and, for a job of a main branch, upload-main. UNAUTHENTICATED names what is wrong
  // with the token; UNAVAILABLE if the issuer's keys cannot be fetched now.
  absl::StatusOr<Caller> Identify(absl::string_view token, absl::Time now) const;

 private:
  struct Trusted {
    Issuer issuer;
    std::unique_ptr<KeyCache> keys;
  };

  std::vector<Trusted> trusted_;
};

}  // namespace gprofhub::collector
