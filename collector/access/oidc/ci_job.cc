#include "collector/access/oidc/ci_job.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace gprofhub::collector {
namespace {

using Json = nlohmann::json;

// A string claim, or a number as its digits; empty if absent or of another type.
std::string Claim(const Json& claims, const char* name) {
  const auto found = claims.find(name);
  if (found == claims.end()) return "";
  if (found->is_string()) return found->get<std::string>();
  if (found->is_number_integer()) return std::to_string(found->get<int64_t>());
  return "";
}

absl::Status Missing(const char* name) {
  return absl::UnauthenticatedError(absl::StrCat("the ID token has no claim ", name));
}

bool IsNumber(absl::string_view text) {
  return !text.empty() && text.size() <= 18 && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
}

template <size_t N>
bool IsOneOf(absl::string_view text, const std::array<absl::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// For the first three, the job runs the code of the branch in `ref`. For other events `ref` may be
// the default branch while the job runs untrusted code: pull_request_target, workflow_run,
// issue_comment.
constexpr std::array<absl::string_view, 3> kGitHubBranchEvents = {"push", "schedule",
                                                                  "workflow_dispatch"};
// These run the pull request's code; jobs of forks get no ID token unless the repository allows it.
constexpr std::array<absl::string_view, 3> kGitHubPullRequestEvents = {
    "pull_request", "pull_request_review", "pull_request_review_comment"};

absl::StatusOr<CiJob> ReadGitHub(const Json& claims) {
  CiJob job;
  job.repository = Claim(claims, "repository");
  const std::string ref = Claim(claims, "ref");
  const std::string event = Claim(claims, "event_name");
  if (job.repository.empty()) return Missing("repository");
  if (event.empty()) return Missing("event_name");
  job.name = absl::StrCat("github ", job.repository, " ", ref, " run ", Claim(claims, "run_id"));
  absl::string_view rest = ref;
  if (IsOneOf(event, kGitHubPullRequestEvents)) {
    // refs/pull/17/merge
    if (!absl::ConsumePrefix(&rest, "refs/pull/")) return Missing("ref of a pull request");
    job.run.kind = RunFacts::Kind::kPullRequest;
    job.run.pull_request = std::string(rest.substr(0, rest.find('/')));
    job.run.branch = Claim(claims, "head_ref");
    if (!IsNumber(job.run.pull_request)) return Missing("ref of a pull request");
  } else if (IsOneOf(event, kGitHubBranchEvents)) {
    job.run.kind = RunFacts::Kind::kBranch;
    if (absl::ConsumePrefix(&rest, "refs/heads/")) {
      job.run.branch = std::string(rest);
      job.trusted_branch = job.run.branch;
    }
  } else {
    job.run.kind = RunFacts::Kind::kUnknown;
    job.run.untrusted = true;
  }
  return job;
}

constexpr std::array<absl::string_view, 3> kGitLabBranchSources = {"push", "schedule", "web"};
constexpr std::array<absl::string_view, 2> kGitLabPullRequestSources = {
    "merge_request_event", "external_pull_request_event"};

// No claim has the number of the merge request.
absl::StatusOr<CiJob> ReadGitLab(const Json& claims) {
  CiJob job;
  job.repository = Claim(claims, "project_path");
  const std::string ref = Claim(claims, "ref");
  const std::string source = Claim(claims, "pipeline_source");
  if (job.repository.empty()) return Missing("project_path");
  if (source.empty()) return Missing("pipeline_source");
  job.name =
      absl::StrCat("gitlab ", job.repository, " ", ref, " pipeline ", Claim(claims, "pipeline_id"));
  const bool is_branch = Claim(claims, "ref_type") == "branch";
  if (is_branch) job.run.branch = ref;
  if (IsOneOf(source, kGitLabPullRequestSources)) {
    job.run.kind = RunFacts::Kind::kPullRequest;
  } else if (IsOneOf(source, kGitLabBranchSources)) {
    job.run.kind = RunFacts::Kind::kBranch;
    if (is_branch && Claim(claims, "ref_protected") == "true") job.trusted_branch = ref;
  } else {
    // A child pipeline or a trigger: no claim has its cause.
    job.run.kind = RunFacts::Kind::kUnknown;
  }
  return job;
}

// No claim distinguishes builds of pull requests: build_branch is then the source branch.
absl::StatusOr<CiJob> ReadBuildkite(const Json& claims) {
  CiJob job;
  const std::string organization = Claim(claims, "organization_slug");
  const std::string pipeline = Claim(claims, "pipeline_slug");
  const std::string branch = Claim(claims, "build_branch");
  if (organization.empty()) return Missing("organization_slug");
  if (pipeline.empty()) return Missing("pipeline_slug");
  if (branch.empty()) return Missing("build_branch");
  job.repository = absl::StrCat(organization, "/", pipeline);
  job.name = absl::StrCat("buildkite ", job.repository, " ", branch, " build ",
                          Claim(claims, "build_number"));
  job.run.branch = branch;
  if (Claim(claims, "build_tag").empty()) job.trusted_branch = branch;
  return job;
}

}  // namespace

absl::StatusOr<CiJob> ReadCiJob(CiSystem system, const Json& claims) {
  switch (system) {
    case CiSystem::kGitHub:
      return ReadGitHub(claims);
    case CiSystem::kGitLab:
      return ReadGitLab(claims);
    case CiSystem::kBuildkite:
      return ReadBuildkite(claims);
  }
  return absl::InternalError("a CI system that is none");
}

}  // namespace gprofhub::collector
