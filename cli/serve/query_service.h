// gprofhub.v1.Query over gRPC: a thin adapter around reporter/queries/runs.h,
// reporter/queries/gate.h
// and, for listings and orderings, the analyzer.
#pragma once

#include <utility>

#include "collector/access/authorizer.h"
#include "proto/query.grpc.pb.h"
#include "store/blobs.h"
#include "store/gate_records.h"
#include "store/reading.h"

namespace gprofhub::cli {

// Every call is authorised for the project that its request names.
class QueryService final : public v1::Query::Service {
 public:
  // `authorizer` outlives the service.
  QueryService(store::Reading reading, store::Blobs blobs, store::GateRecords gate,
               collector::Authorizer& authorizer)
      : reading_(std::move(reading)),
        blobs_(std::move(blobs)),
        gate_(std::move(gate)),
        authorizer_(authorizer) {}

  grpc::Status ListRuns(grpc::ServerContext* call, const v1::ListRunsRequest* request,
                        v1::ListRunsResponse* response) override;
  grpc::Status GetRun(grpc::ServerContext* call, const v1::GetRunRequest* request,
                      v1::Run* response) override;
  grpc::Status GetProfile(grpc::ServerContext* call, const v1::GetProfileRequest* request,
                          v1::GetProfileResponse* response) override;
  grpc::Status GetListing(grpc::ServerContext* call, const v1::GetListingRequest* request,
                          grpc::ServerWriter<v1::TextChunk>* stream) override;
  grpc::Status Compare(grpc::ServerContext* call, const v1::CompareRequest* request,
                       v1::Report* response) override;
  grpc::Status Explain(grpc::ServerContext* call, const v1::ExplainRequest* request,
                       v1::Explanation* response) override;
  grpc::Status GetTrend(grpc::ServerContext* call, const v1::GetTrendRequest* request,
                        v1::GetTrendResponse* response) override;
  grpc::Status GetChanges(grpc::ServerContext* call, const v1::GetChangesRequest* request,
                          v1::GetChangesResponse* response) override;
  grpc::Status GetOrdering(grpc::ServerContext* call, const v1::GetOrderingRequest* request,
                           grpc::ServerWriter<v1::TextChunk>* stream) override;
  grpc::Status Acknowledge(grpc::ServerContext* call, const v1::AcknowledgeRequest* request,
                           v1::Acknowledgement* response) override;
  grpc::Status ListAcknowledgements(grpc::ServerContext* call,
                                    const v1::ListAcknowledgementsRequest* request,
                                    v1::ListAcknowledgementsResponse* response) override;
  grpc::Status TakeBackAcknowledgement(grpc::ServerContext* call,
                                       const v1::TakeBackAcknowledgementRequest* request,
                                       v1::Acknowledgement* response) override;
  grpc::Status RecordGated(grpc::ServerContext* call, const v1::RecordGatedRequest* request,
                           v1::RecordGatedResponse* response) override;
  grpc::Status GetGateStats(grpc::ServerContext* call, const v1::GetGateStatsRequest* request,
                            v1::GetGateStatsResponse* response) override;
  grpc::Status GetAskedRerun(grpc::ServerContext* call, const v1::GetAskedRerunRequest* request,
                             v1::AskedRerun* response) override;
  grpc::Status RecordCulprit(grpc::ServerContext* call, const v1::RecordCulpritRequest* request,
                             v1::RecordCulpritResponse* response) override;

 private:
  const store::Reading reading_;
  const store::Blobs blobs_;
  const store::GateRecords gate_;
  collector::Authorizer& authorizer_;
};

}  // namespace gprofhub::cli
