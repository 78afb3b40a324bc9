// A real server under load, and the clients that load it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "collector/testing/sample_upload.h"
#include "proto/collector.grpc.pb.h"
#include "tests/fault/serve_process.h"

namespace gprofhub::tests {

// The i-th upload of a load: its own target and a profile of about `bytes`. A thousand are a run.
collector::SampleUpload LoadUpload(uint32_t i, size_t bytes);

// One upload with `profiles` small profiles.
collector::SampleUpload UploadOfManyBlobs(uint32_t profiles);

struct Load {
  int clients = 16;
  // All clients together; 0: as fast as the server takes them. With a rate, an upload's time begins
  // when it is due, whether or not a client is free then.
  double uploads_per_second = 0;
  size_t bytes = 64 << 10;
  absl::Duration lasts = absl::Seconds(2);
};

struct Outcome {
  uint64_t acknowledged = 0;
  uint64_t put_off = 0;               // responses with a time to retry
  std::vector<std::string> failures;  // any other answer
  std::vector<absl::Duration> times;  // of those acknowledged
  absl::Duration took;

  double PerSecond() const;
};

class LoadedServer {
 public:
  // `gprofhub serve` in all roles, with a data directory of its own; in the control group
  // GPROFHUB_LOAD_GROUP, if set.
  explicit LoadedServer(std::vector<std::string> arguments = {});

  const std::string& folder() const { return folder_; }
  const std::string& address() const { return process_->address(); }
  pid_t pid() const { return process_->pid(); }

  // Unique uploads. Clients retry at the time that the server gives. Calls `now_and_then` about
  // every 50th of the time.
  Outcome Run(
      const Load& load, const std::function<void()>& now_and_then = [] {});

  // One upload; returns its duration. Fails the test if it is not acknowledged.
  absl::Duration RunOne(const collector::SampleUpload& upload);

  // Kills the server (kill -9), starts it again, and checks every upload that it acknowledged.
  // Returns how many of them are lost.
  uint64_t CountLostAfterAKill();

 private:
  void Start();
  void Client(const Load& load, absl::Time begin, std::atomic<uint32_t>& next, Outcome& outcome);
  bool UploadOne(v1::Collector::StubInterface& stub, const collector::SampleUpload& upload,
                 absl::Time until, Outcome& outcome);

  const std::string folder_;
  const std::vector<std::string> arguments_;
  std::unique_ptr<ServeProcess> process_;
  uint32_t first_ = 0;  // upload of the next load
  absl::Mutex mutex_;
  std::vector<std::string> acknowledged_ ABSL_GUARDED_BY(mutex_);  // their profiles' blobs
};

}  // namespace gprofhub::tests
