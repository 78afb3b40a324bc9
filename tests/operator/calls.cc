#include "tests/operator/calls.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/time/clock.h"
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
  v1::HealthCheckRequest request;
  request.set_service(service);
  const grpc::Slice bytes(request.SerializeAsString());
  const grpc::ByteBuffer message(&bytes, 1);
  grpc::GenericStub stub(channel);
  grpc::ClientContext call;
  grpc::CompletionQueue queue;
  const auto reader = stub.PrepareUnaryCall(&call, "/grpc.health.v1.Health/Check", message, &queue);
  reader->StartCall();
  grpc::ByteBuffer answer;
  grpc::Status status;
  reader->Finish(&answer, &status, &queue);
  void* tag = nullptr;
  bool ok = false;
  EXPECT_TRUE(queue.Next(&tag, &ok));
  if (!status.ok()) {
    return absl::StatusCodeToString(static_cast<absl::StatusCode>(status.error_code()));
  }
  grpc::Slice slice;
  EXPECT_TRUE(answer.DumpToSingleSlice(&slice).ok());
  v1::HealthCheckResponse response;
  EXPECT_TRUE(response.ParseFromArray(slice.begin(), static_cast<int>(slice.size())));
  return v1::HealthCheckResponse::ServingStatus_Name(response.status());
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
