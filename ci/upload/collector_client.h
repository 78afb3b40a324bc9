// The client's side of the collector's service: asks what is missing, sends one
// stream per execution, tries again where that can help.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ci/upload/token_source.h"
#include "proto/collector.grpc.pb.h"

namespace gprofhub::ci {

struct ClientOptions {
  TokenSource token = FixedToken("");
  absl::Duration call_timeout = absl::Minutes(5);

  int attempts = 6;  // at least 1
  // Doubled after each attempt, up to the maximum; half of it is random, so
  // that the jobs of a large build do not come back all at once.
  absl::Duration first_wait = absl::Milliseconds(500);
  absl::Duration max_wait = absl::Seconds(20);
  // A server that is overloaded says when to come back. It is obeyed for as long as this in all;
  // such an attempt does not count among the above.
  absl::Duration longest_obedience = absl::Minutes(10);

  std::function<void(absl::Duration)> sleep;       // absl::SleepFor outside of tests
  std::function<double()> random;                  // uniform in [0, 1)
  std::function<void(const std::string&)> notify;  // a sentence before each wait
  // Why there is no connection to the server, where that can be found out; else empty.
  std::function<std::string()> explain_unavailable = [] { return ""; };
};

// Bytes of the blobs that a header names, by SHA-256.
using BlobBytes = std::map<std::string, absl::string_view>;

struct UploadOutcome {
  v1::UploadResponse response;
  uint64_t bytes_sent = 0;  // of blobs the server lacked
};

// Safe to use from several threads, if the functions of its options are.
class CollectorClient {
 public:
  // `server` is for messages only.
  CollectorClient(std::unique_ptr<v1::Collector::StubInterface> stub, std::string server,
                  ClientOptions options)
      : stub_(std::move(stub)), server_(std::move(server)), options_(std::move(options)) {}

  // Sends one execution. It is safe to send it again, so UNAVAILABLE,
  // DEADLINE_EXCEEDED, an aborted stream and a server that names a time to come
  // back are tried again; whatever else the server says is final. `blobs` holds
  // every blob that the header names.
  absl::StatusOr<UploadOutcome> Upload(const v1::UploadHeader& header, const BlobBytes& blobs);

  // Says that all of the run was sent. It is tried once: without it the report only comes later.
  absl::Status FinishRun(const std::string& project, const std::string& run_id);

 private:
  // What one attempt came to, and when the server wants the next one, if it
  // said so.
  struct AttemptResult {
    absl::Status status;
    absl::Duration come_back_in = absl::InfiniteDuration();
  };

  AttemptResult FindMissing(const v1::UploadHeader& header, v1::FindMissingBlobsResponse& response);
  AttemptResult UploadOnce(const v1::UploadHeader& header, const BlobBytes& blobs,
                           UploadOutcome& outcome);
  absl::Status Explain(const absl::Status& status) const;

  std::unique_ptr<v1::Collector::StubInterface> stub_;
  std::string server_;
  ClientOptions options_;
};

}  // namespace gprofhub::ci
