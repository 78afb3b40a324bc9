#include "tests/operator/calls.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "cli/client/query_client.h"
#include "proto/collector.grpc.pb.h"
#include "proto/health.pb.h"

namespace gprofhub::tests {

std::string UploadTraced(const std::shared_ptr<grpc::Channel>& channel,
                         const collector::SampleUpload& upload) {
  const auto stub = v1::Collector::NewStub(channel);
  grpc::ClientContext call;
  call.AddMetadata("traceparent", kTraceparent);
  v1::UploadResponse response;
  const auto stream = stub->Upload(&call, &response);
  for (const v1::UploadRequest& message : upload.Messages()) stream->Write(message);
  stream->WritesDone();
  const grpc::Status status = stream->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response.run_id();
}

grpc::Status AskForBlobs(const std::shared_ptr<grpc::Channel>& channel,
                         const std::string& project) {
  const auto stub = v1::Collector::NewStub(channel);
  grpc::ClientContext call;
  v1::FindMissingBlobsRequest request;
  request.set_project(project);
  v1::FindMissingBlobsResponse response;
  return stub->FindMissingBlobs(&call, request, &response);
}

std::string HealthOf(const std::shared_ptr<grpc::Channel>& channel, const std::string& service) {
  const absl::StatusOr<v1::HealthCheckResponse> health =
      cli::AskHealth(channel, service, absl::Minutes(5));
  if (!health.ok()) return absl::StatusCodeToString(health.status().code());
  return v1::HealthCheckResponse::ServingStatus_Name(health->status());
}

void AwaitHealth(const std::shared_ptr<grpc::Channel>& channel, const std::string& service,
                 const std::string& health) {
  const absl::Time deadline = absl::Now() + absl::Minutes(15);
  while (HealthOf(channel, service) != health) {
    if (absl::Now() > deadline) {
      ADD_FAILURE() << service << " does not become " << health;
      return;
    }
    absl::SleepFor(absl::Milliseconds(20));
  }
}

}  // namespace gprofhub::tests
