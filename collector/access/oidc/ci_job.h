// The CI job that an ID token speaks of, by the claims of its CI system.
//
//   GitHub Actions  docs.github.com/actions/reference/security/oidc: repository, ref, event_name,
//                   head_ref, run_id
//   GitLab CI       docs.gitlab.com/ci/secrets/id_token_authentication: project_path, ref,
//   ref_type,
//                   ref_protected, pipeline_source, pipeline_id
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
  std::string name;        // for people: repository, ref and run
  RunFacts run;
  // The branch whose own code runs in this job, if it is one that only those who may write to the
  // branch can start; else empty.
  std::string trusted_branch;
};

// UNAUTHENTICATED if a claim that must be there is not. `claims` are verified.
absl::StatusOr<CiJob> ReadCiJob(CiSystem system, const nlohmann::json& claims);

}  // namespace gprofhub::collector
