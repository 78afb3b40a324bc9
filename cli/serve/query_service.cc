#include "cli/serve/query_service.h"

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "cli/serve/analyzed_text.h"
#include "cli/serve/served_ordering.h"
#include "collector/grpc_call.h"
#include "reporter/queries/changes.h"
#include "reporter/queries/compare_runs.h"
#include "reporter/queries/explain.h"
#include "reporter/queries/follow_ups.h"
#include "reporter/queries/gate.h"
#include "reporter/queries/runs.h"
#include "reporter/queries/trend.h"

namespace gprofhub::cli {
namespace {

constexpr size_t kChunkBytes = 64 << 10;

using collector::Caller;
using collector::Scope;

// Authorises the call for `scope`, answers, and puts the answer where gRPC wants it.
template <typename Request, typename Response, typename Handler>
grpc::Status AnswerCaller(collector::Authorizer& authorizer, Scope scope,
                          const grpc::ServerContext& context, const Request& request,
                          Response& response, Handler handler) {
  const collector::Call call = collector::CallOf(context, Request::descriptor()->name());
  const absl::StatusOr<Caller> caller = authorizer.Authorize(call, request.project(), scope);
  if (!caller.ok()) return collector::ToGrpcStatus(caller.status());
  absl::StatusOr<Response> answer = handler(request, *caller);
  if (!answer.ok()) {
    authorizer.NoteRefusal(call, caller->actor, answer.status());
    return collector::ToGrpcStatus(answer.status());
  }
  response = *std::move(answer);
  return grpc::Status::OK;
}

// The same for a question, whose answer is the same for everybody.
template <typename Request, typename Response, typename Handler>
grpc::Status Answer(collector::Authorizer& authorizer, const grpc::ServerContext& call,
                    const Request& request, Response& response, Handler handler) {
  return AnswerCaller(authorizer, Scope::kRead, call, request, response,
                      [&handler](const Request& asked, const Caller&) { return handler(asked); });
}

// The same for a text, in pieces.
template <typename Request, typename Handler>
grpc::Status AnswerText(collector::Authorizer& authorizer, const grpc::ServerContext& call,
                        const Request& request, grpc::ServerWriter<v1::TextChunk>& stream,
                        Handler handler) {
  std::string text;
  const grpc::Status status = Answer(authorizer, call, request, text, handler);
  if (!status.ok()) return status;
  for (size_t at = 0; at < text.size(); at += kChunkBytes) {
    v1::TextChunk chunk;
    chunk.set_text(text.substr(at, kChunkBytes));
    if (!stream.Write(chunk)) return grpc::Status::CANCELLED;
  }
  return grpc::Status::OK;
}

}  // namespace

grpc::Status QueryService::ListRuns(grpc::ServerContext* call, const v1::ListRunsRequest* request,
                                    v1::ListRunsResponse* response) {
  return Answer(authorizer_, *call, *request, *response,
                [this](const auto& asked) { return reporter::ListRuns(reading_, asked); });
}

grpc::Status QueryService::GetRun(grpc::ServerContext* call, const v1::GetRunRequest* request,
                                  v1::Run* response) {
  return Answer(authorizer_, *call, *request, *response,
                [this](const auto& asked) { return reporter::GetRun(reading_, asked); });
}

grpc::Status QueryService::GetProfile(grpc::ServerContext* call,
                                      const v1::GetProfileRequest* request,
                                      v1::GetProfileResponse* response) {
  return Answer(authorizer_, *call, *request, *response, [this](const auto& asked) {
    return reporter::GetProfile(reading_, blobs_, asked);
  });
}

grpc::Status QueryService::GetListing(grpc::ServerContext* call,
                                      const v1::GetListingRequest* request,
                                      grpc::ServerWriter<v1::TextChunk>* stream) {
  return AnswerText(authorizer_, *call, *request, *stream,
                    [this](const auto& asked) { return ListingText(reading_, blobs_, asked); });
}

grpc::Status QueryService::Compare(grpc::ServerContext* call, const v1::CompareRequest* request,
                                   v1::Report* response) {
  return Answer(authorizer_, *call, *request, *response, [this](const auto& asked) {
    return reporter::CompareRuns(reading_, blobs_, asked);
  });
}

grpc::Status QueryService::Explain(grpc::ServerContext* call, const v1::ExplainRequest* request,
                                   v1::Explanation* response) {
  return Answer(authorizer_, *call, *request, *response, [this](const auto& asked) {
    return reporter::ExplainFinding(reading_, blobs_, asked);
  });
}

grpc::Status QueryService::GetTrend(grpc::ServerContext* call, const v1::GetTrendRequest* request,
                                    v1::GetTrendResponse* response) {
  return Answer(authorizer_, *call, *request, *response,
                [this](const auto& asked) { return reporter::GetTrend(reading_, blobs_, asked); });
}

grpc::Status QueryService::GetChanges(grpc::ServerContext* call,
                                      const v1::GetChangesRequest* request,
                                      v1::GetChangesResponse* response) {
  const auto changes = [this](const auto& asked) -> absl::StatusOr<v1::GetChangesResponse> {
    absl::StatusOr<v1::GetChangesResponse> found = reporter::GetChanges(reading_, blobs_, asked);
    if (!found.ok()) return found;
    absl::Status added = reporter::AddCulprits(reading_, gate_, asked.project(), *found);
    if (!added.ok()) return added;
    return found;
  };
  return Answer(authorizer_, *call, *request, *response, changes);
}

grpc::Status QueryService::GetOrdering(grpc::ServerContext* call,
                                       const v1::GetOrderingRequest* request,
                                       grpc::ServerWriter<v1::TextChunk>* stream) {
  return AnswerText(authorizer_, *call, *request, *stream,
                    [this](const auto& asked) { return OrderingText(reading_, blobs_, asked); });
}

grpc::Status QueryService::Acknowledge(grpc::ServerContext* call,
                                       const v1::AcknowledgeRequest* request,
                                       v1::Acknowledgement* response) {
  return AnswerCaller(authorizer_, Scope::kAcknowledge, *call, *request, *response,
                      [this](const auto& asked, const Caller& caller) {
                        return reporter::Acknowledge(gate_, asked, caller.actor, absl::Now());
                      });
}

grpc::Status QueryService::TakeBackAcknowledgement(
    grpc::ServerContext* call, const v1::TakeBackAcknowledgementRequest* request,
    v1::Acknowledgement* response) {
  return AnswerCaller(authorizer_, Scope::kAcknowledge, *call, *request, *response,
                      [this](const auto& asked, const Caller& caller) {
                        return reporter::TakeBackAcknowledgement(gate_, asked, caller.actor,
                                                                 caller.scopes.Has(Scope::kAdmin),
                                                                 absl::Now());
                      });
}

grpc::Status QueryService::ListAcknowledgements(grpc::ServerContext* call,
                                                const v1::ListAcknowledgementsRequest* request,
                                                v1::ListAcknowledgementsResponse* response) {
  return Answer(authorizer_, *call, *request, *response,
                [this](const auto& asked) { return reporter::ListAcknowledgements(gate_, asked); });
}

grpc::Status QueryService::RecordGated(grpc::ServerContext* call,
                                       const v1::RecordGatedRequest* request,
                                       v1::RecordGatedResponse* response) {
  return AnswerCaller(authorizer_, Scope::kUpload, *call, *request, *response,
                      [this](const auto& asked, const Caller&) {
                        return reporter::RecordGated(reading_, gate_, asked);
                      });
}

grpc::Status QueryService::GetGateStats(grpc::ServerContext* call,
                                        const v1::GetGateStatsRequest* request,
                                        v1::GetGateStatsResponse* response) {
  return Answer(authorizer_, *call, *request, *response, [this](const auto& asked) {
    return reporter::GetGateStats(reading_, gate_, asked);
  });
}

grpc::Status QueryService::GetAskedRerun(grpc::ServerContext* call,
                                         const v1::GetAskedRerunRequest* request,
                                         v1::AskedRerun* response) {
  return Answer(authorizer_, *call, *request, *response, [this](const auto& asked) {
    return reporter::GetAskedRerun(reading_, gate_, asked);
  });
}

grpc::Status QueryService::RecordCulprit(grpc::ServerContext* call,
                                         const v1::RecordCulpritRequest* request,
                                         v1::RecordCulpritResponse* response) {
  return Answer(authorizer_, *call, *request, *response, [this](const auto& asked) {
    return reporter::RecordCulprit(gate_, asked, absl::Now());
  });
}

}  // namespace gprofhub::cli
