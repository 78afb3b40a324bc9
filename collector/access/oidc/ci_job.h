// The CI job described by an ID token's claims, for each CI system.
//
//   GitHub Actions  docs.github.com/actions/reference/security/oidc: repository, ref, event_name,
//                   head_ref, run_id
//   GitLab CI       docs.gitlab.com/ci/secrets/id_token_authentication: project_path, ref,
//                   ref_type, ref_protected, pipeline_source, pipeline_id
//   Buildkite       buildkite.com/docs/agent/v3/cli-oidc: organization_slug, pipeline_slug,
//                   build_branch, build_tag, build_number
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "collector/access/caller.h"

namespace gprofhub::collector {

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

}  // namespace gprofhub::collector
