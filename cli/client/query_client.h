// The client's side of the query service.
#pragma once

#include <grpcpp/channel.h>

#include <iostream>
#include <memory>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ci/upload/collector_client.h"
#include "cli/command/command.h"
#include "proto/health.pb.h"
#include "proto/query.grpc.pb.h"

namespace gprofhub::cli {

// grpc.health.v1, asked.

// Whether the service is serving; "" is the whole server. It needs no token, so none is sent.
// Errors are the call's. Source: https://github.com/grpc/grpc/blob/v1.51.1/doc/health-checking.md
absl::StatusOr<v1::HealthCheckResponse> AskHealth(const std::shared_ptr<grpc::Channel>& channel,
                                                  const std::string& service,
                                                  absl::Duration timeout);

// Connects to the server of the command line.

// Warns if a token would be sent unencrypted, or certificates would not be used.
std::shared_ptr<grpc::Channel> Connect(const ServerOptions& options);

// The reason why the connection of a call failed with UNAVAILABLE, as in ci::ExplainNoConnection.
std::string WhyNoAnswer(const ServerOptions& options);

// Errors are the server's, always with a message; UNAVAILABLE, DEADLINE_EXCEEDED and UNIMPLEMENTED
// name the server that did not answer, and how to start or select one. Fills in the project of
// every request. For a server that reads a replica, `notes` gets a line with the age of the
// answers.
class QueryClient {
 public:
  explicit QueryClient(const ServerOptions& options, std::ostream& notes = std::cerr);

  absl::StatusOr<v1::ListRunsResponse> ListRuns(v1::ListRunsRequest request);
  absl::StatusOr<v1::Report> Compare(v1::CompareRequest request);
  absl::StatusOr<v1::Explanation> ExplainFinding(v1::ExplainRequest request);
  absl::StatusOr<v1::GetTrendResponse> GetTrend(v1::GetTrendRequest request);
  absl::StatusOr<v1::GetChangesResponse> GetChanges(v1::GetChangesRequest request);
  absl::StatusOr<std::string> GetListing(v1::GetListingRequest request);
  absl::StatusOr<std::string> GetOrdering(v1::GetOrderingRequest request);
  absl::StatusOr<v1::Run> GetRun(v1::GetRunRequest request);
  absl::StatusOr<v1::Acknowledgement> Acknowledge(v1::AcknowledgeRequest request);
  absl::StatusOr<v1::ListAcknowledgementsResponse> ListAcknowledgements(
      bool with_taken_back = false);
  absl::StatusOr<v1::Acknowledgement> TakeBackAcknowledgement(
      v1::TakeBackAcknowledgementRequest request);
  absl::Status RecordGated(v1::RecordGatedRequest request);
  absl::StatusOr<v1::GetGateStatsResponse> GetGateStats();
  absl::StatusOr<v1::AskedRerun> GetAskedRerun(v1::GetAskedRerunRequest request);
  absl::Status RecordCulprit(v1::RecordCulpritRequest request);

 private:
  // Deadline and token of one call.
  std::unique_ptr<grpc::ClientContext> NewCall() const;
  absl::Status Explain(const grpc::ClientContext& call, const grpc::Status& status) const;
  absl::StatusOr<std::string> ReadText(const grpc::ClientContext& call,
                                       grpc::ClientReaderInterface<v1::TextChunk>& stream) const;
  // Once.
  void NoteAge(const grpc::ClientContext& call) const;

  const ServerOptions options_;
  const ci::TokenSource token_;
  const std::unique_ptr<v1::Query::StubInterface> stub_;
  std::ostream& notes_;
  mutable bool noted_age_ = false;
  mutable absl::Status token_error_;  // of the last call, if it went without a token
};

// The token of the command line, or that of the CI job that the command runs in.

// The options' token if there is one. Else, in a job of GitHub Actions where
// GPROFHUB_ID_TOKEN_AUDIENCE is set, the job's; FAILED_PRECONDITION if the job may not have ID
// tokens. Else none.
ci::TokenSource TokenSourceOf(const ServerOptions& options);

}  // namespace gprofhub::cli
