// Client of the collector service: finds missing blobs, sends one stream per execution, and retries
// transient errors.
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
#include "proto/collector.grpc.pb.h"

namespace gprofhub::ci {

// Sources of call tokens.

// Returns the token of each call; empty: no token is sent. Called from several threads.
using TokenSource = std::function<absl::StatusOr<std::string>()>;

// A constant token.
TokenSource FixedToken(std::string token);

// ID token request of a GitHub Actions job with `permissions: id-token: write`
// (docs.github.com/actions/reference/security/oidc).
struct GitHubTokenRequest {
  std::string url;       // ACTIONS_ID_TOKEN_REQUEST_URL
  std::string token;     // ACTIONS_ID_TOKEN_REQUEST_TOKEN
  std::string audience;  // the audience that the server expects
  // The response body of a GET with this "Authorization".
  std::function<absl::StatusOr<std::string>(const std::string& url,
                                            const std::string& authorization)>
      get;
  std::function<absl::Time()> now;
};

// ID tokens of the job, cached and renewed a minute before they expire.
// `get`'s errors; INTERNAL for an answer without a token.
TokenSource GitHubIdTokens(GitHubTokenRequest request);

// Expiry from an ID token's unverified claims (the server verifies them); the past for any other
// token.
absl::Time ExpiryOfIdToken(const std::string& token);

struct ClientOptions {
  TokenSource token = FixedToken("");
  absl::Duration call_timeout = absl::Minutes(5);

  int attempts = 6;  // at least 1
  // Exponential backoff up to the maximum; half of it is random, so that the jobs of a large build
  // do not retry at the same time.
  absl::Duration first_wait = absl::Milliseconds(500);
  absl::Duration max_wait = absl::Seconds(20);
  // Limit on the total of retry delays that an overloaded server requests. Such attempts do not
  // count towards the limit above.
  absl::Duration longest_obedience = absl::Minutes(10);

  std::function<void(absl::Duration)> sleep;       // absl::SleepFor outside of tests
  std::function<double()> random;                  // uniform in [0, 1)
  std::function<void(const std::string&)> notify;  // a sentence before each wait
  // Explains why the server cannot be reached; empty if unknown.
  std::function<std::string()> explain_unavailable = [] { return ""; };
};

// Bytes of the blobs that a header names, by SHA-256.
using BlobBytes = std::map<std::string, absl::string_view>;

struct UploadOutcome {
  v1::UploadResponse response;
  uint64_t bytes_sent = 0;  // of blobs the server lacked
};

// Thread-safe if the functions of its options are.
class CollectorClient {
 public:
  // `server` is for messages only.
  CollectorClient(std::unique_ptr<v1::Collector::StubInterface> stub, std::string server,
                  ClientOptions options)
      : stub_(std::move(stub)), server_(std::move(server)), options_(std::move(options)) {}

  // Sends one execution. Sending is idempotent, so UNAVAILABLE, DEADLINE_EXCEEDED, an aborted
  // stream and an error with a retry delay are retried; any other error is final. `blobs` holds
  // every blob that the header names.
  absl::StatusOr<UploadOutcome> Upload(const v1::UploadHeader& header, const BlobBytes& blobs);

  // Reports that the run is complete. Not retried: without it the report is only later.
  absl::Status FinishRun(const std::string& project, const std::string& run_id);

 private:
  // Result of one attempt, and the server's retry delay, if any.
  struct AttemptResult {
    absl::Status status;
    absl::Duration come_back_in = absl::InfiniteDuration();
    bool is_token_error = false;  // the token source failed; the server was not called
  };
  static AttemptResult TokenError(const absl::Status& status) {
    return {status, absl::InfiniteDuration(), /*is_token_error=*/true};
  }

  AttemptResult FindMissing(const v1::UploadHeader& header, v1::FindMissingBlobsResponse& response);
  AttemptResult UploadOnce(const v1::UploadHeader& header, const BlobBytes& blobs,
                           UploadOutcome& outcome);
  absl::Status Explain(const absl::Status& status) const;

  std::unique_ptr<v1::Collector::StubInterface> stub_;
  std::string server_;
  ClientOptions options_;
};

}  // namespace gprofhub::ci
