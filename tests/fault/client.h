// The client's side of the fault tests.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/support/status.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "collector/testing/sample_upload.h"
#include "proto/collector.grpc.pb.h"
#include "proto/query.grpc.pb.h"

namespace gprofhub::tests {

// The i-th upload of a test. It has a target of its own and a profile of about ten kilobytes;
// every fourth one has 150.
// Five uploads belong to one run.
collector::SampleUpload FaultTestUpload(uint32_t i);

// Sends an upload. Calls `progress` before each message, before the end of the stream, and before
// it waits for the answer.
grpc::Status Send(const std::shared_ptr<grpc::Channel>& channel,
                  const collector::SampleUpload& upload, const std::string& token,
                  const std::function<void()>& progress, v1::UploadResponse& response);

// The uploads of one test, and those that were acknowledged. Thread-safe.
class Uploads {
 public:
  // Through this connection from now on.
  void SendBy(std::shared_ptr<grpc::Channel> channel) { channel_ = std::move(channel); }
  // The i-th one.
  grpc::Status Send(uint32_t i);

  size_t acknowledged() const;
  // Fails the test if an acknowledged one is gone. Returns their runs.
  std::set<std::string> ExpectAllThere() const;

 private:
  std::shared_ptr<grpc::Channel> channel_;
  mutable absl::Mutex mutex_;
  std::map<uint32_t, std::string> runs_ ABSL_GUARDED_BY(mutex_);  // by number
};

// Polls until no analysis of the run is pending. Fails the test after a quarter of an hour: only a
// hang takes that long.
v1::Run AwaitAnalysis(const std::shared_ptr<grpc::Channel>& channel, const std::string& run_id);

}  // namespace gprofhub::tests
