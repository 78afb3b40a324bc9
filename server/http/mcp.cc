// The Model Context Protocol at /mcp: its streamable HTTP transport without streams or sessions, as
// every message has one complete answer. A browser's page of another site is refused: it could have
// been led to this address by DNS rebinding.
#include <google/protobuf/descriptor.h>

#include <memory>
#include <string>

#include "mcp/session.h"
#include "server/http/api.h"
#include "server/http/page_request.h"
#include "server/queries/query_methods.h"

namespace gprofhub::server {

namespace {

using google::protobuf::Message;

constexpr char kDefaultProject[] = "default";

mcp::Ask AskFor(const PageSources& sources, const std::string& project, bool may_read_source) {
  const auto call =
      [&sources, project, may_read_source](
          const std::string& name,
          std::unique_ptr<Message> request) -> absl::StatusOr<std::unique_ptr<Message>> {
    for (const QueryMethod& method : QueryTable()) {
      if (method.name != name || method.scope != collector::Scope::kRead) continue;
      request->GetReflection()->SetString(
          request.get(), request->GetDescriptor()->FindFieldByName("project"), project);
      const PageStore& store = sources.store;
      const ReadSource unavailable;
      return method.answer(
          {store.reading, store.blobs, store.gate,
           may_read_source ? sources.read_source : unavailable, "", &store.memory->queries},
          collector::Caller(), *request);
    }
    return absl::UnimplementedError(name);
  };
  return {call, sources.store.blobs.decoding()};
}

}  // namespace

PageAnswer AnswerMcp(const PageSources& sources, Visits& visits, const PageRequest& request) {
  absl::Status status = visits.CheckOrigin(request);
  if (!status.ok()) return ErrorJson(status);
  const absl::StatusOr<Visitor> visitor = visits.Identify(request);
  if (!visitor.ok()) return ErrorJson(visitor.status());
  if (!request.is_post) {
    PageAnswer answer = ErrorJson(absl::InvalidArgumentError("/mcp accepts POST only"));
    answer.code = 405;
    return answer;
  }
  const std::string& named = request.Query("project");
  const std::string project = named.empty() ? kDefaultProject : named;
  status = visits.Permit(*visitor, project, collector::Scope::kRead);
  if (status.ok()) status = CheckProject(sources.store, project);
  if (!status.ok()) return ErrorJson(status);
  const bool may_read_source = visits.PermitSource(*visitor, project).ok();
  PageAnswer answer;
  answer.type = "application/json";
  answer.body = mcp::AnswerMessage(request.body, AskFor(sources, project, may_read_source));
  if (answer.body.empty()) answer.code = 202;
  return answer;
}

}  // namespace gprofhub::server
