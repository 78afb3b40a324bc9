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

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "collector/access/oidc/ci_job.h"

namespace gprofhub::collector {

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

}  // namespace gprofhub::collector
