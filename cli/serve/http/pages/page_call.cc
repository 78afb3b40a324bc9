#include "cli/serve/http/pages/page_call.h"

#include "cli/serve/http/assets/assets.h"

namespace gprofhub::cli {

PageCall BeginCall(const PageSources& sources, Visits& visits, const PageRequest& request,
                   const Visitor& visitor) {
  PageCall call = {sources, visits, request, visitor, {}};
  call.context.assets = std::string(AssetsVersion());
  call.context.csrf = visits.SignOf(visitor);
  call.context.user = visitor.name();
  call.context.is_logged_in = visitor.is_logged_in;
  call.context.can_log_in = !visitor.caller.has_value();
  call.context.as_of = AsOfText(sources, "%Y-%m-%d %H:%M:%S UTC");
  return call;
}

absl::Status EnterProject(PageCall& call, const std::string& project, collector::Scope scope) {
  absl::Status status = call.visits.Permit(call.visitor, project, scope);
  if (!status.ok()) return status;
  call.context.project = project;
  const auto links = call.sources.links.find(project);
  if (links != call.sources.links.end()) call.context.links = links->second;
  call.context.may_acknowledge =
      call.visitor.caller.has_value() &&
      call.visits.Permit(call.visitor, project, collector::Scope::kAcknowledge).ok();
  return absl::OkStatus();
}

PageAnswer Show(const PageCall& call, const page::Frame& frame, const page::Html& content) {
  PageAnswer answer;
  answer.body = page::WholePage(call.context, frame, content);
  return answer;
}

PageAnswer GoTo(const page::Url& url) {
  PageAnswer answer;
  answer.code = 303;
  answer.headers.emplace_back("Location", url.text());
  return answer;
}

absl::Status NoSuchPage() { return absl::NotFoundError("The address leads to no page."); }

}  // namespace gprofhub::cli
