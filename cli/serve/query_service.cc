#include "cli/serve/query_service.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "base/decoding/decoding.h"
#include "cli/serve/texts/served_listing.h"
#include "cli/serve/texts/served_ordering.h"
#include "proto/query.pb.h"
#include "reporter/queries/blob_reader.h"
#include "reporter/queries/changes.h"
#include "reporter/queries/compare_runs.h"
#include "reporter/queries/explain.h"
#include "reporter/queries/follow_ups.h"
#include "reporter/queries/gate.h"
#include "reporter/queries/runs.h"
#include "reporter/queries/trends/trend.h"

namespace gprofhub::cli {
namespace {

std::string Name(absl::string_view method) { return absl::StrCat("/gprofhub.v1.Query/", method); }

using collector::CallContext;
using collector::Scope;
using reporter::BlobReader;

// `answer` takes the request, and the call.
template <typename Request, typename Answer>
collector::Method Act(absl::string_view method, Scope scope, Answer answer) {
  return collector::UnaryMethod<Request>(Name(method), scope, std::move(answer));
}

// A query with the same answer for every caller.
template <typename Request, typename Answer>
collector::Method Ask(absl::string_view method, Answer answer) {
  return Act<Request>(method, Scope::kRead,
                      [answer = std::move(answer)](const Request& asked, const CallContext&) {
                        return answer(asked);
                      });
}

// Makes methods whose responses are decoded from blobs.
class Decoders {
 public:
  Decoders(const store::Blobs& blobs, base::DecodingBudget& budget)
      : blobs_(blobs), budget_(budget) {}

  // `answer` takes the request and a BlobReader, which decodes in the project's part of the budget
  // for as long as the caller waits.
  template <typename Request, typename Answer>
  collector::Method Ask(absl::string_view method, Answer answer) const {
    return Act<Request>(method, Scope::kRead, Within<Request>(std::move(answer)));
  }
  // The same for a text.
  template <typename Request, typename Answer>
  collector::Method AskText(absl::string_view method, Answer answer) const {
    return collector::TextMethod<Request>(
        Name(method), Scope::kRead, Within<Request>(std::move(answer)), [](std::string piece) {
          v1::TextChunk chunk;
          chunk.set_text(std::move(piece));
          return chunk.SerializeAsString();
        });
  }

 private:
  template <typename Request, typename Answer>
  auto Within(Answer answer) const {
    return [blobs = blobs_, &budget = budget_, answer = std::move(answer)](
               const Request& asked, const CallContext& call) {
      base::DecodingCall decoding(budget, asked.project(), call.cancelled);
      return answer(asked, BlobReader(blobs, base::Decoding(decoding)));
    };
  }

  const store::Blobs& blobs_;
  base::DecodingBudget& budget_;
};

}  // namespace

std::vector<collector::Method> QueryMethods(const store::Reading& reading,
                                            const store::Blobs& stored,
                                            base::DecodingBudget& decoding,
                                            const store::GateRecords& gate,
                                            const ReadSource& read_source) {
  const Decoders decoders(stored, decoding);
  return {
      Ask<v1::ListRunsRequest>(
          "ListRuns", [reading](const auto& asked) { return reporter::ListRuns(reading, asked); }),
      Ask<v1::GetRunRequest>(
          "GetRun", [reading](const auto& asked) { return reporter::GetRun(reading, asked); }),
      decoders.Ask<v1::GetProfileRequest>("GetProfile",
                                          [reading](const auto& asked, const BlobReader& blobs) {
                                            return reporter::GetProfile(reading, blobs, asked);
                                          }),
      decoders.AskText<v1::GetListingRequest>(
          "GetListing",
          [reading, read_source](const auto& asked, const BlobReader& blobs) {
            return ListingText(reading, blobs, read_source, asked);
          }),
      decoders.Ask<v1::CompareRequest>("Compare",
                                       [reading](const auto& asked, const BlobReader& blobs) {
                                         return reporter::CompareRuns(reading, blobs, asked);
                                       }),
      decoders.Ask<v1::ExplainRequest>("Explain",
                                       [reading](const auto& asked, const BlobReader& blobs) {
                                         return reporter::ExplainFinding(reading, blobs, asked);
                                       }),
      decoders.Ask<v1::GetTrendRequest>("GetTrend",
                                        [reading](const auto& asked, const BlobReader& blobs) {
                                          return reporter::GetTrend(reading, blobs, asked);
                                        }),
      decoders.Ask<v1::GetChangesRequest>(
          "GetChanges",
          [reading, gate](const auto& asked,
                          const BlobReader& blobs) -> absl::StatusOr<v1::GetChangesResponse> {
            absl::StatusOr<v1::GetChangesResponse> found =
                reporter::GetChanges(reading, blobs, asked);
            if (!found.ok()) return found;
            absl::Status added = reporter::AddCulprits(reading, gate, asked.project(), *found);
            if (!added.ok()) return added;
            return found;
          }),
      decoders.AskText<v1::GetOrderingRequest>(
          "GetOrdering",
          [reading](const auto& asked, const BlobReader& blobs) {
            return OrderingText(reading, blobs, asked);
          }),
      Act<v1::AcknowledgeRequest>("Acknowledge", Scope::kAcknowledge,
                                  [gate](const auto& asked, const CallContext& call) {
                                    return reporter::Acknowledge(gate, asked, call.caller.actor,
                                                                 absl::Now());
                                  }),
      Act<v1::TakeBackAcknowledgementRequest>(
          "TakeBackAcknowledgement", Scope::kAcknowledge,
          [gate](const auto& asked, const CallContext& call) {
            return reporter::TakeBackAcknowledgement(
                gate, asked, call.caller.actor, call.caller.scopes.Has(Scope::kAdmin), absl::Now());
          }),
      Ask<v1::ListAcknowledgementsRequest>(
          "ListAcknowledgements",
          [gate](const auto& asked) { return reporter::ListAcknowledgements(gate, asked); }),
      Act<v1::RecordGatedRequest>("RecordGated", Scope::kUpload,
                                  [reading, gate](const auto& asked, const CallContext&) {
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
                                    [gate](const auto& asked, const CallContext&) {
                                      return reporter::RecordCulprit(gate, asked, absl::Now());
                                    }),
  };
}

}  // namespace gprofhub::cli
