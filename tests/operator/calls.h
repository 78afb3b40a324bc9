// Calls of a client whose CI system has tracing.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/support/status.h>

#include <memory>
#include <string>

#include "collector/testing/sample_upload.h"
#include "proto/collector.pb.h"

namespace gprofhub::tests {

// The value of W3C `traceparent` in the calls below.
inline constexpr char kTraceId[] = "4bf92f3577b34da6a3ce929d0e0e4736";
inline constexpr char kTraceparent[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

// Uploads, and returns the run's id; fails the test if it is not taken.
std::string UploadTraced(const std::shared_ptr<grpc::Channel>& channel,
                         const collector::SampleUpload& upload);

// Asks for missing blobs of the project, without credentials.
grpc::Status AskForBlobs(const std::shared_ptr<grpc::Channel>& channel, const std::string& project);

// grpc.health.v1: "SERVING", "NOT_SERVING", or the name of the error.
std::string HealthOf(const std::shared_ptr<grpc::Channel>& channel, const std::string& service);

// Asks until the answer is this. Fails the test after a quarter of an hour.
void AwaitHealth(const std::shared_ptr<grpc::Channel>& channel, const std::string& service,
                 const std::string& health);

}  // namespace gprofhub::tests
