#include "cli/serve/http/pages/invocation_pages.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "page/views/addresses.h"
#include "page/views/bazel/invocation.h"
#include "reporter/queries/runs.h"

namespace gprofhub::cli {
namespace {

constexpr uint32_t kListedInvocations = 100;
constexpr char kLookAgainSeconds[] = "3";

absl::StatusOr<page::InvocationShown> Read(const PageCall& call,
                                           const store::InvocationRecord& invocation) {
  page::InvocationShown shown;
  shown.invocation = invocation;
  absl::StatusOr<std::vector<store::InvocationTarget>> targets =
      call.store().invocations.ListTargets(invocation.id);
  if (!targets.ok()) return targets.status();
  shown.targets = *std::move(targets);
  if (invocation.run_id == 0) return shown;
  v1::GetRunRequest request;
  request.set_project(invocation.project);
  request.set_run(absl::StrCat(invocation.run_id));
  request.set_with_executions(true);
  absl::StatusOr<v1::Run> run = reporter::GetRun(call.store().reading, request);
  // A run may be deleted before its invocation is forgotten.
  if (!run.ok() && !absl::IsNotFound(run.status())) return run.status();
  if (run.ok()) shown.run = *std::move(run);
  return shown;
}

absl::Status NoInvocation() {
  return absl::NotFoundError(
      "No invocation with this id has sent its build events, or none that you may read.");
}

}  // namespace

absl::StatusOr<PageAnswer> InvocationLink(PageCall& call) {
  const absl::StatusOr<std::vector<store::InvocationRecord>> all =
      call.store().invocations.Find(call.request.path[1]);
  if (!all.ok()) return all.status();
  std::vector<store::InvocationRecord> readable;
  for (const store::InvocationRecord& one : *all) {
    if (call.visits.Permit(call.visitor, one.project, collector::Scope::kRead).ok()) {
      readable.push_back(one);
    }
  }
  if (readable.empty()) {
    if (!call.visitor.caller.has_value()) return absl::UnauthenticatedError("log in to see it");
    return NoInvocation();
  }
  // Ids are chosen by their senders, so none of the invocations takes precedence.
  if (readable.size() > 1) {
    return Show(call, {"Invocations"}, page::SameInvocationView(readable));
  }
  const store::InvocationRecord& invocation = readable.front();
  const absl::StatusOr<page::InvocationShown> shown = Read(call, invocation);
  if (!shown.ok()) return shown.status();
  return GoTo(page::IsWhole(*shown)
                  ? page::CompareUrl(invocation.project, shown->run->run_id(), "")
                  : page::InvocationUrl(invocation.project, invocation.invocation_id));
}

absl::StatusOr<PageAnswer> InvocationsPage(PageCall& call) {
  const absl::StatusOr<std::vector<store::InvocationRecord>> invocations =
      call.store().invocations.List(call.context.project, kListedInvocations);
  if (!invocations.ok()) return invocations.status();
  return Show(call, {"Bazel’s invocations", "runs"}, page::InvocationsView(*invocations));
}

absl::StatusOr<PageAnswer> InvocationPage(PageCall& call) {
  const absl::StatusOr<std::vector<store::InvocationRecord>> all =
      call.store().invocations.Find(call.request.path[3]);
  if (!all.ok()) return all.status();
  for (const store::InvocationRecord& one : *all) {
    if (one.project != call.context.project) continue;
    const absl::StatusOr<page::InvocationShown> shown = Read(call, one);
    if (!shown.ok()) return shown.status();
    PageAnswer answer = Show(call, {absl::StrCat("Invocation ", one.invocation_id), "runs"},
                             page::InvocationView(call.context, *shown));
    if (page::IsUnderWay(*shown)) answer.headers.emplace_back("Refresh", kLookAgainSeconds);
    return answer;
  }
  return NoInvocation();
}

}  // namespace gprofhub::cli
