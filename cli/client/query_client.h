// The client's side of the query service.
#pragma once

#include <google/protobuf/message.h>
#include <grpcpp/channel.h>

#include <iostream>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "ci/upload/collector_client.h"
#include "ci/upload/results/ci_systems.h"
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

// Names the methods of the query service, for QueryClient::Call.
using QueryStub = v1::Query::StubInterface;
using TextStream = std::unique_ptr<grpc::ClientReaderInterface<v1::TextChunk>>;

// Names of runs in requests may also be of the working directory's git: HEAD, with ~N or ^, and
// tags. They are sent as commits.
//
// Errors are the server's, always with a message; UNAVAILABLE, DEADLINE_EXCEEDED and UNIMPLEMENTED
// name the server that did not answer, and how to start or select one. Fills in the project of
// every request. For a server that reads a replica, `notes` gets a line with the age of the
// answers.
class QueryClient {
 public:
  explicit QueryClient(const ServerOptions& options, std::ostream& notes = std::cerr,
                       absl::Duration timeout = absl::Minutes(2));

  // Call(&QueryStub::GetRun, request)
  template <typename Request, typename Response>
  absl::StatusOr<Response> Call(grpc::Status (QueryStub::*method)(grpc::ClientContext*,
                                                                  const Request&, Response*),
                                std::type_identity_t<Request> request) {
    request.set_project(options_.project);
    ResolveNames(request);
    Response response;
    const auto call = NewCall();
    RETURN_IF_ERROR(Explain(*call, (*stub_.*method)(call.get(), request, &response)));
    return response;
  }
  // For a text in chunks.
  template <typename Request>
  absl::StatusOr<std::string> Call(TextStream (QueryStub::*method)(grpc::ClientContext*,
                                                                   const Request&),
                                   std::type_identity_t<Request> request) {
    request.set_project(options_.project);
    ResolveNames(request);
    const auto call = NewCall();
    return ReadText(*call, (*stub_.*method)(call.get(), request));
  }

 private:
  // Replaces the names of runs that only git knows.
  void ResolveNames(google::protobuf::Message& request);
  // Deadline and token of one call.
  std::unique_ptr<grpc::ClientContext> NewCall() const;
  absl::Status Explain(const grpc::ClientContext& call, const grpc::Status& status) const;
  absl::StatusOr<std::string> ReadText(const grpc::ClientContext& call, TextStream stream) const;
  // Once.
  void NoteAge(const grpc::ClientContext& call) const;

  const ServerOptions options_;
  const ci::TokenSource token_;
  const std::unique_ptr<QueryStub> stub_;
  std::ostream& notes_;
  const absl::Duration timeout_;
  std::string resolved_;  // "HEAD is 3fa41c2…": names of the last request that git resolved
  mutable bool noted_age_ = false;
  mutable absl::Status token_error_;  // of the last call, if it went without a token
};

// The full hash of the commit that `name` means in a git repository; empty if it is not a name for
// git: HEAD or @, with ~N or ^, or a tag.
std::string CommitOfName(const ci::GitCommand& git, const std::string& name);

// The token of the command line, or that of the CI job that the command runs in.

// The options' token if there is one. Else, in a job of GitHub Actions where
// GPROFHUB_ID_TOKEN_AUDIENCE is set, the job's: UNAVAILABLE if GitHub cannot return one now,
// UNAUTHENTICATED if the job may not have ID tokens. Else none.
ci::TokenSource TokenSourceOf(const ServerOptions& options);

}  // namespace gprofhub::cli
