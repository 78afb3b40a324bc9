#include "collector/access/run_trust.h"

#include "absl/strings/str_cat.h"

namespace gprofhub::collector {
namespace {

absl::Status TakeFacts(const RunFacts& facts, v1::RunInfo& run) {
  if (!facts.branch.empty()) run.set_branch(facts.branch);
  if (facts.untrusted) run.set_from_fork(true);
  switch (facts.kind) {
    case RunFacts::Kind::kBranch:
      if (run.pull_request().empty()) break;
      return absl::PermissionDeniedError(
          absl::StrCat("header.run.pull_request: the upload says ", run.pull_request(),
                       ", but the ID token says that the job was started for branch ", facts.branch,
                       " and no pull request"));
    case RunFacts::Kind::kPullRequest:
      if (!facts.pull_request.empty()) run.set_pull_request(facts.pull_request);
      if (!run.pull_request().empty()) break;
      return absl::PermissionDeniedError(
          "header.run.pull_request: the ID token says that the job was started for a pull request, "
          "but nobody says which: name it with --pull-request");
    case RunFacts::Kind::kUnknown:
      break;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SettleRun(const Caller& caller, v1::RunInfo& run) {
  if (caller.run.has_value()) {
    if (absl::Status status = TakeFacts(*caller.run, run); !status.ok()) return status;
  }
  const bool is_mainline = run.pull_request().empty() && !run.from_fork();
  if (!is_mainline || caller.scopes.Has(Scope::kUploadMain)) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat(
      "the run is no pull request's and no fork's, so others would be judged against it; that "
      "needs "
      "the scope ",
      NameOf(Scope::kUploadMain), ", and the token has ", caller.scopes.Names(),
      ": give the jobs of the main branch a token of their own, or name the --pull-request"));
}

}  // namespace gprofhub::collector
