#include "cli/serve/query_service.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "cli/serve/analyzed_text.h"
#include "cli/serve/served_ordering.h"
#include "proto/query.pb.h"
#include "reporter/queries/changes.h"
#include "reporter/queries/compare_runs.h"
#include "reporter/queries/explain.h"
#include "reporter/queries/gate.h"
#include "reporter/queries/runs.h"
#include "reporter/queries/trend.h"

namespace gprofhub::cli {
namespace {

std::string Name(absl::string_view method) { return absl::StrCat("/gprofhub.v1.Query/", method); }

template <typename Request, typename Answer>
collector::Method Unary(absl::string_view method, Answer answer) {
  return collector::UnaryMethod<Request>(Name(method), std::move(answer));
}

template <typename Request, typename Answer>
collector::Method Text(absl::string_view method, Answer answer) {
  return collector::TextMethod<Request>(Name(method), std::move(answer), [](std::string piece) {
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
      Unary<v1::ListRunsRequest>(
          "ListRuns", [reading](const auto& asked) { return reporter::ListRuns(reading, asked); }),
      Unary<v1::GetRunRequest>(
          "GetRun", [reading](const auto& asked) { return reporter::GetRun(reading, asked); }),
      Unary<v1::GetProfileRequest>("GetProfile",
                                   [reading, blobs](const auto& asked) {
                                     return reporter::GetProfile(reading, blobs, asked);
                                   }),
      Text<v1::GetListingRequest>(
          "GetListing",
          [reading, blobs](const auto& asked) { return ListingText(reading, blobs, asked); }),
      Unary<v1::CompareRequest>("Compare",
                                [reading, blobs](const auto& asked) {
                                  return reporter::CompareRuns(reading, blobs, asked);
                                }),
      Unary<v1::ExplainRequest>("Explain",
                                [reading, blobs](const auto& asked) {
                                  return reporter::ExplainFinding(reading, blobs, asked);
                                }),
      Unary<v1::GetTrendRequest>("GetTrend",
                                 [reading, blobs](const auto& asked) {
                                   return reporter::GetTrend(reading, blobs, asked);
                                 }),
      Unary<v1::GetChangesRequest>("GetChanges",
                                   [reading, blobs](const auto& asked) {
                                     return reporter::GetChanges(reading, blobs, asked);
                                   }),
      Text<v1::GetOrderingRequest>(
          "GetOrdering",
          [reading, blobs](const auto& asked) { return OrderingText(reading, blobs, asked); }),
      Unary<v1::AcknowledgeRequest>(
          "Acknowledge",
          [gate](const auto& asked) { return reporter::Acknowledge(gate, asked, absl::Now()); }),
      Unary<v1::ListAcknowledgementsRequest>(
          "ListAcknowledgements",
          [gate](const auto& asked) { return reporter::ListAcknowledgements(gate, asked); }),
      Unary<v1::RecordGatedRequest>("RecordGated",
                                    [reading, gate](const auto& asked) {
                                      return reporter::RecordGated(reading, gate, asked);
                                    }),
      Unary<v1::GetGateStatsRequest>("GetGateStats",
                                     [reading, gate](const auto& asked) {
                                       return reporter::GetGateStats(reading, gate, asked);
                                     }),
  };
}

}  // namespace gprofhub::cli
