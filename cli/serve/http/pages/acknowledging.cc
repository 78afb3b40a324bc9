#include "cli/serve/http/pages/acknowledging.h"

#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "page/views/addresses.h"
#include "reporter/queries/gate.h"

namespace gprofhub::cli {

absl::StatusOr<PageAnswer> Acknowledge(const PageCall& call) {
  const PageRequest& form = call.request;
  v1::AcknowledgeRequest asked;
  asked.set_project(call.context.project);
  v1::Acknowledgement& said = *asked.mutable_acknowledgement();
  said.set_function(form.Form("function"));
  said.set_target(form.Form("target"));
  said.set_pull_request(form.Form("pull_request"));
  said.set_reason(form.Form("reason"));
  said.set_author(form.Form("author"));  // for anonymous users
  said.set_not_a_regression(form.Form("kind") == "false-alarm");
  const absl::StatusOr<v1::Acknowledgement> kept =
      reporter::Acknowledge(call.store().gate, asked, call.visitor.caller->actor, absl::Now());
  if (!kept.ok()) return kept.status();
  return GoTo(page::FindingUrl(call.context.project, form.Form("run"), form.Form("base"),
                               form.Form("finding")));
}

absl::StatusOr<PageAnswer> TakeBack(const PageCall& call) {
  v1::TakeBackAcknowledgementRequest asked;
  asked.set_project(call.context.project);
  int64_t id = 0;
  if (!absl::SimpleAtoi(call.request.Form("id"), &id)) {
    return absl::InvalidArgumentError("id: must be a number");
  }
  asked.set_id(id);
  const bool anybodys = call.visitor.caller->scopes.Has(collector::Scope::kAdmin);
  const absl::StatusOr<v1::Acknowledgement> taken = reporter::TakeBackAcknowledgement(
      call.store().gate, asked, call.visitor.caller->actor, anybodys, absl::Now());
  if (!taken.ok()) return taken.status();
  return GoTo(page::GateUrl(call.context.project));
}

}  // namespace gprofhub::cli
