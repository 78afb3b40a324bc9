#include "cli/serve/query_service.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "cli/serve/texts/analyzed_text.h"
#include "cli/serve/texts/served_ordering.h"
#include "proto/query.pb.h"
#include "reporter/queries/changes.h"
#include "reporter/queries/compare_runs.h"
#include "reporter/queries/explain.h"
#include "reporter/queries/follow_ups.h"
#include "reporter/queries/gate.h"
#include "reporter/queries/runs.h"
#include "reporter/queries/trend.h"

namespace gprofhub::cli {
namespace {

std::string Name(absl::string_view method) { return absl::StrCat("/gprofhub.v1.Query/", method); }

using collector::Caller;
using collector::Scope;

// `answer` takes the request, and who asks.
template <typename Request, typename Answer>
collector::Method Act(absl::string_view method, Scope scope, Answer answer) {
  return collector::UnaryMethod<Request>(Name(method), scope, std::move(answer));
}

// A question. Its answer is the same for everybody.
template <typename Request, typename Answer>
collector::Method Ask(absl::string_view method, Answer answer) {
  return Act<Request>(
      method, Scope::kRead,
      [answer = std::move(answer)](const Request& asked, const Caller&) { return answer(asked); });
}

template <typename Request, typename Answer>
collector::Method AskText(absl::string_view method, Answer answer) {
  return collector::TextMethod<Request>(Name(method), Scope::kRead, std::move(answer),
                                        [](std::string piece) {
                                          v1::TextChunk chunk;
                                          chunk.set_text(std::move(piece));
                                          return chunk.SerializeAsString();
                                        });
}

}  // namespace

std::vector<collector::Method> QueryMethods(const store::Reading& reading,
                                            const store::Blobs& blobs,
                                            const store::GateRecords& gate) {
  return {
      Ask<v1::ListRunsRequest>(
          "ListRuns", [reading](const auto& asked) { return reporter::ListRuns(reading, asked); }),
      Ask<v1::GetRunRequest>(
          "GetRun", [reading](const auto& asked) { return reporter::GetRun(reading, asked); }),
      Ask<v1::GetProfileRequest>("GetProfile",
                                 [reading, blobs](const auto& asked) {
                                   return reporter::GetProfile(reading, blobs, asked);
                                 }),
      AskText<v1::GetListingRequest>(
          "GetListing",
          [reading, blobs](const auto& asked) { return ListingText(reading, blobs, asked); }),
      Ask<v1::CompareRequest>("Compare",
                              [reading, blobs](const auto& asked) {
                                return reporter::CompareRuns(reading, blobs, asked);
                              }),
      Ask<v1::ExplainRequest>("Explain",
                              [reading, blobs](const auto& asked) {
                                return reporter::ExplainFinding(reading, blobs, asked);
                              }),
      Ask<v1::GetTrendRequest>("GetTrend",
                               [reading, blobs](const auto& asked) {
                                 return reporter::GetTrend(reading, blobs, asked);
                               }),
      Ask<v1::GetChangesRequest>("GetChanges",
                                 [=](const auto& asked) -> absl::StatusOr<v1::GetChangesResponse> {
                                   absl::StatusOr<v1::GetChangesResponse> found =
                                       reporter::GetChanges(reading, blobs, asked);
                                   if (!found.ok()) return found;
                                   absl::Status added = reporter::AddCulprits(
                                       reading, gate, asked.project(), *found);
                                   if (!added.ok()) return added;
                                   return found;
                                 }),
      AskText<v1::GetOrderingRequest>(
          "GetOrdering",
          [reading, blobs](const auto& asked) { return OrderingText(reading, blobs, asked); }),
      Act<v1::AcknowledgeRequest>("Acknowledge", Scope::kAcknowledge,
                                  [gate](const auto& asked, const Caller& caller) {
                                    return reporter::Acknowledge(gate, asked, caller.actor,
                                                                 absl::Now());
                                  }),
      Act<v1::TakeBackAcknowledgementRequest>("TakeBackAcknowledgement", Scope::kAcknowledge,
                                              [gate](const auto& asked, const Caller& caller) {
                                                return reporter::TakeBackAcknowledgement(
                                                    gate, asked, caller.actor,
                                                    caller.scopes.Has(Scope::kAdmin), absl::Now());
                                              }),
      Ask<v1::ListAcknowledgementsRequest>(
          "ListAcknowledgements",
          [gate](const auto& asked) { return reporter::ListAcknowledgements(gate, asked); }),
      Act<v1::RecordGatedRequest>("RecordGated", Scope::kUpload,
                                  [reading, gate](const auto& asked, const Caller&) {
                                    return reporter::RecordGated(reading, gate, asked);
                                  }),
      Ask<v1::GetGateStatsRequest>("GetGateStats",
                                   [reading, gate](const auto& asked) {
                                     return reporter::GetGateStats(reading, gate, asked);
                                   }),
      Ask<v1::GetAskedRerunRequest>("GetAskedRerun",
                                    [reading, gate](const auto& asked) {
                                      return reporter::GetAskedRerun(reading, gate, asked);
                                    }),
      Act<v1::RecordCulpritRequest>("RecordCulprit", Scope::kUpload,
                                    [gate](const auto& asked, const Caller&) {
                                      return reporter::RecordCulprit(gate, asked, absl::Now());
                                    }),
  };
}

}  // namespace gprofhub::cli
