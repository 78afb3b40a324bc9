#include "collector/access/issuers.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/glob.h"
#include "base/merge_queue.h"
#include "base/status_macros.h"
#include "base/text.h"

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
    if (!base::IsPullRequestNumber(job.run.pull_request)) return Missing("ref of a pull request");
  } else if (event == "merge_group") {
    // refs/heads/gh-readonly-queue/main/pr-17-<commit>
    job.run.kind = RunFacts::Kind::kPullRequest;
    absl::ConsumePrefix(&rest, "refs/heads/");
    const auto group = base::ParseMergeQueueBranch(rest);
    if (!group.has_value()) return Missing("ref of a merge queue");
    job.run.pull_request = group->pull_request;
    job.run.branch = std::string(rest);
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
  return absl::InternalError("unknown CI system");
}

namespace {

constexpr size_t kMaxFileBytes = 1 << 20;

absl::Status Bad(const std::string& place, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", problem));
}

absl::Status CheckMembers(const Json& object, const std::string& place,
                          std::initializer_list<const char*> known) {
  if (!object.is_object()) return Bad(place, "must be an object");
  for (const auto& [name, value] : object.items()) {
    bool is_known = false;
    for (const char* one : known) is_known = is_known || name == one;
    if (!is_known) return Bad(absl::StrCat(place, ".", name), "unknown field");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Text(const Json& object, const std::string& place, const char* name) {
  const auto found = object.find(name);
  const std::string field = absl::StrCat(place, ".", name);
  if (found == object.end()) return Bad(field, "is missing");
  if (!found->is_string() || found->get<std::string>().empty()) {
    return Bad(field, "must be a non-empty string");
  }
  return found->get<std::string>();
}

// The elements of a required list.
absl::StatusOr<const Json*> List(const Json& object, const std::string& place, const char* name) {
  const auto found = object.find(name);
  const std::string field = absl::StrCat(place, place.empty() ? "" : ".", name);
  if (found == object.end()) return Bad(field, "is missing");
  if (!found->is_array() || found->empty()) return Bad(field, "must be a non-empty list");
  return &*found;
}

absl::StatusOr<TrustedRepository> ReadRepository(const Json& entry, const std::string& place) {
  RETURN_IF_ERROR(CheckMembers(entry, place, {"repository", "project", "main"}));
  TrustedRepository made;
  for (const auto& [name, value] :
       {std::pair("repository", &made.repository), std::pair("project", &made.project)}) {
    ASSIGN_OR_RETURN(std::string text, Text(entry, place, name));
    *value = std::move(text);
  }
  if (!entry.contains("main")) return made;
  ASSIGN_OR_RETURN(const Json* main, List(entry, place, "main"));
  for (const Json& pattern : *main) {
    if (!pattern.is_string() || pattern.get<std::string>().empty()) {
      return Bad(place + ".main", "must contain branch patterns");
    }
    made.main.push_back(pattern.get<std::string>());
  }
  return made;
}

absl::StatusOr<Issuer> ReadIssuer(const Json& entry, const std::string& place) {
  RETURN_IF_ERROR(CheckMembers(entry, place, {"issuer", "system", "audience", "keys", "projects"}));
  Issuer made;
  std::string system;
  for (const auto& [name, value] : {std::pair("issuer", &made.issuer), std::pair("system", &system),
                                    std::pair("audience", &made.audience)}) {
    ASSIGN_OR_RETURN(std::string text, Text(entry, place, name));
    *value = std::move(text);
  }
  if (absl::EndsWith(made.issuer, "/")) {
    return Bad(place + ".issuer", "must equal the tokens' issuer, without a trailing slash");
  }
  if (system == "github") {
    made.system = CiSystem::kGitHub;
  } else if (system == "gitlab") {
    made.system = CiSystem::kGitLab;
  } else if (system == "buildkite") {
    made.system = CiSystem::kBuildkite;
  } else {
    return Bad(place + ".system", "must be github, gitlab or buildkite");
  }
  if (entry.contains("keys")) {
    ASSIGN_OR_RETURN(std::string keys, Text(entry, place, "keys"));
    made.keys = std::move(keys);
  }
  ASSIGN_OR_RETURN(const Json* projects, List(entry, place, "projects"));
  std::set<std::string> repositories;
  for (size_t i = 0; i < projects->size(); ++i) {
    const std::string where = absl::StrCat(place, ".projects[", i, "]");
    ASSIGN_OR_RETURN(TrustedRepository read, ReadRepository((*projects)[i], where));
    if (!repositories.insert(read.repository).second) {
      return Bad(where + ".repository", "is in the file twice");
    }
    made.projects.push_back(std::move(read));
  }
  return made;
}

}  // namespace

absl::StatusOr<std::vector<Issuer>> ParseIssuers(absl::string_view json) {
  if (json.size() > kMaxFileBytes) return absl::InvalidArgumentError("the file is too long");
  const Json file = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (file.is_discarded()) return absl::InvalidArgumentError("the file is not valid JSON");
  RETURN_IF_ERROR(CheckMembers(file, "file", {"issuers"}));
  ASSIGN_OR_RETURN(const Json* entries, List(file, "", "issuers"));
  std::vector<Issuer> issuers;
  std::set<std::string> names;
  for (size_t i = 0; i < entries->size(); ++i) {
    const std::string place = absl::StrCat("issuers[", i, "]");
    ASSIGN_OR_RETURN(Issuer read, ReadIssuer((*entries)[i], place));
    if (!names.insert(read.issuer).second) {
      return Bad(place + ".issuer", "is in the file twice");
    }
    issuers.push_back(std::move(read));
  }
  return issuers;
}

namespace {

constexpr size_t kMaxNameBytes = 300;

absl::StatusOr<Caller> CallerOf(const Issuer& issuer, const Json& claims) {
  ASSIGN_OR_RETURN(const CiJob job, ReadCiJob(issuer.system, claims));
  const auto entry = std::find_if(
      issuer.projects.begin(), issuer.projects.end(),
      [&job](const TrustedRepository& one) { return one.repository == job.repository; });
  if (entry == issuer.projects.end()) {
    return RefusedToken(absl::StrCat(
        "is of the repository ", base::Shortened(base::Printable(job.repository), kMaxNameBytes),
        ", which is not configured for a project"));
  }
  Caller caller;
  caller.project = entry->project;
  caller.scopes = Scopes().With(Scope::kUpload).With(Scope::kRead);
  const bool main =
      !job.trusted_branch.empty() &&
      std::any_of(entry->main.begin(), entry->main.end(), [&job](const std::string& pattern) {
        return base::GlobMatches(pattern, job.trusted_branch);
      });
  if (main) caller.scopes = caller.scopes.With(Scope::kUploadMain);
  caller.actor.name = base::Shortened(base::Printable(job.name), kMaxNameBytes);
  caller.run = job.run;
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
  ASSIGN_OR_RETURN(const UnverifiedToken said, LookAtToken(token));
  const auto trusted = std::find_if(trusted_.begin(), trusted_.end(), [&said](const Trusted& one) {
    return one.issuer.issuer == said.issuer;
  });
  if (trusted == trusted_.end()) return RefusedToken("is of an untrusted issuer");
  ASSIGN_OR_RETURN(const Json claims,
                   VerifyToken(token, said, {trusted->issuer.issuer, trusted->issuer.audience},
                               *trusted->keys, now));
  ASSIGN_OR_RETURN(Caller caller, CallerOf(trusted->issuer, claims));
  caller.expires =
      absl::FromUnixSeconds(static_cast<int64_t>(claims.at("exp").get<double>())) + kTokenSkew;
  return caller;
}

}  // namespace gprofhub::collector
