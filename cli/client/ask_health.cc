#include "cli/client/ask_health.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"
#include "ci/upload/call_status.h"
#include "ci/upload/channel.h"

namespace gprofhub::cli {

absl::StatusOr<v1::HealthCheckResponse> AskHealth(const std::shared_ptr<grpc::Channel>& channel,
                                                  const std::string& service,
                                                  absl::Duration timeout) {
  v1::HealthCheckRequest request;
  request.set_service(service);
  const grpc::Slice bytes(request.SerializeAsString());
  const grpc::ByteBuffer message(&bytes, 1);
  grpc::GenericStub stub(channel);
  grpc::ClientContext call;
  ci::PrepareCall("", timeout, call);
  grpc::CompletionQueue queue;
  const auto reader = stub.PrepareUnaryCall(&call, "/grpc.health.v1.Health/Check", message, &queue);
  reader->StartCall();
  grpc::ByteBuffer answer;
  grpc::Status status;
  reader->Finish(&answer, &status, &queue);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  if (!status.ok()) return ci::StatusOfCall(status);
  grpc::Slice slice;
  v1::HealthCheckResponse response;
  if (!answer.DumpToSingleSlice(&slice).ok() ||
      !response.ParseFromArray(slice.begin(), static_cast<int>(slice.size()))) {
    return absl::DataLossError("the answer is no health check's");
  }
  return response;
}

}  // namespace gprofhub::cli
