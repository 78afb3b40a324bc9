#include "ci/upload/collector_client.h"

#include <grpcpp/client_context.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "base/http/percent_coding.h"
#include "base/network/network.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "ci/upload/connection/channel.h"

namespace gprofhub::ci {

namespace {

using Json = nlohmann::json;

constexpr absl::Duration kRenewBefore = absl::Minutes(1);

class GitHub {
 public:
  explicit GitHub(GitHubTokenRequest request) : request_(std::move(request)) {}

  absl::StatusOr<std::string> Token() {
    absl::MutexLock lock(&mutex_);
    if (request_.now() + kRenewBefore < end_) return token_;
    const std::string url =
        absl::StrCat(request_.url, absl::StrContains(request_.url, '?') ? "&" : "?",
                     "audience=", base::PercentEncoded(request_.audience));
    ASSIGN_OR_RETURN(const std::string answer,
                     request_.get(url, absl::StrCat("bearer ", request_.token)));
    const Json body = Json::parse(answer, nullptr, /*allow_exceptions=*/false);
    if (!body.is_object() || !body.contains("value") || !body["value"].is_string()) {
      return absl::InternalError("GitHub's response has no ID token");
    }
    ASSIGN_OR_RETURN(token_,
                     base::HeaderSecret("GitHub's ID token", body["value"].get<std::string>()));
    end_ = ExpiryOfIdToken(token_);
    return token_;
  }

 private:
  const GitHubTokenRequest request_;
  absl::Mutex mutex_;
  std::string token_ ABSL_GUARDED_BY(mutex_);
  absl::Time end_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace

TokenSource FixedToken(std::string token) {
  return [token = std::move(token)] { return token; };
}

TokenSource GitHubIdTokens(GitHubTokenRequest request) {
  return [github = std::make_shared<GitHub>(std::move(request))] { return github->Token(); };
}

absl::Time ExpiryOfIdToken(const std::string& token) {
  const std::vector<std::string> parts = absl::StrSplit(token, '.');
  std::string text;
  if (parts.size() != 3 || !absl::WebSafeBase64Unescape(parts[1], &text)) {
    return absl::InfinitePast();
  }
  const Json claims = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!claims.is_object() || !claims.contains("exp") || !claims["exp"].is_number_integer()) {
    return absl::InfinitePast();
  }
  return absl::FromUnixSeconds(claims["exp"].get<int64_t>());
}

namespace {

// Small enough for a slow connection to send one chunk before the server's stall timeout.
constexpr size_t kChunkBytes = 256 << 10;

// gRPC's convention for a server's retry delay.
constexpr char kPushback[] = "grpc-retry-pushback-ms";

absl::Duration Pushback(const grpc::ClientContext& context) {
  const auto& trailers = context.GetServerTrailingMetadata();
  const auto entry = trailers.find(kPushback);
  int64_t milliseconds = 0;
  if (entry == trailers.end() ||
      !absl::SimpleAtoi(absl::string_view(entry->second.data(), entry->second.size()),
                        &milliseconds) ||
      milliseconds < 0) {
    return absl::InfiniteDuration();
  }
  return absl::Milliseconds(milliseconds);
}

bool IsWorthAnotherAttempt(const absl::Status& status, absl::Duration come_back_in) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kAborted:
      return true;
    case absl::StatusCode::kResourceExhausted:
      // Without a retry delay the cause, such as a full disk or a size limit, is permanent.
      return come_back_in != absl::InfiniteDuration();
    default:
      return false;
  }
}

}  // namespace

CollectorClient::AttemptResult CollectorClient::FindMissing(
    const v1::UploadHeader& header, v1::FindMissingBlobsResponse& response) {
  v1::FindMissingBlobsRequest request;
  request.set_project(header.run().project());
  std::map<std::string, const v1::BlobRef*> named;  // the same blob may be named twice
  for (const v1::ImageRef& image : header.images()) {
    named[image.bundle().sha256()] = &image.bundle();
  }
  for (const v1::ProfileRef& profile : header.profiles()) {
    named[profile.data().sha256()] = &profile.data();
  }
  for (const auto& [sha256, blob] : named) *request.add_blobs() = *blob;
  const absl::StatusOr<std::string> token = options_.token();
  if (!token.ok()) return TokenError(token.status());
  grpc::ClientContext context;
  PrepareCall(*token, options_.call_timeout, context);
  const grpc::Status status = stub_->FindMissingBlobs(&context, request, &response);
  return {StatusOfCall(status), Pushback(context)};
}

CollectorClient::AttemptResult CollectorClient::UploadOnce(const v1::UploadHeader& header,
                                                           const BlobBytes& blobs,
                                                           UploadOutcome& outcome) {
  outcome = {};
  v1::FindMissingBlobsResponse missing;
  if (AttemptResult asked = FindMissing(header, missing); !asked.status.ok()) return asked;

  const absl::StatusOr<std::string> token = options_.token();
  if (!token.ok()) return TokenError(token.status());
  grpc::ClientContext context;
  PrepareCall(*token, options_.call_timeout, context);
  const auto stream = stub_->Upload(&context, &outcome.response);
  v1::UploadRequest message;
  *message.mutable_header() = header;
  // A failed write means that the server has ended the call: Finish returns the reason.
  bool open = stream->Write(message);
  for (const v1::BlobRef& blob : missing.missing()) {
    const auto found = blobs.find(blob.sha256());
    if (found == blobs.end()) {
      context.TryCancel();
      stream->Finish();
      return {absl::InternalError(absl::StrCat("the server requests blob ", blob.sha256(),
                                               ", which is not part of the upload"))};
    }
    const absl::string_view bytes = found->second;
    for (size_t offset = 0; open && offset < bytes.size(); offset += kChunkBytes) {
      const absl::string_view part = bytes.substr(offset, kChunkBytes);
      v1::BlobChunk& chunk = *message.mutable_chunk();
      chunk.set_sha256(blob.sha256());
      chunk.set_offset(offset);
      chunk.set_data(part.data(), part.size());
      open = stream->Write(message);
      if (open) outcome.bytes_sent += part.size();
    }
  }
  stream->WritesDone();
  const grpc::Status status = stream->Finish();
  return {StatusOfCall(status), Pushback(context)};
}

absl::StatusOr<UploadOutcome> CollectorClient::Upload(const v1::UploadHeader& header,
                                                      const BlobBytes& blobs) {
  UploadOutcome outcome;
  absl::Duration wait = options_.first_wait;
  absl::Duration obeyed = absl::ZeroDuration();
  for (int attempt = 1;;) {
    const AttemptResult result = UploadOnce(header, blobs, outcome);
    if (result.status.ok()) return outcome;
    const bool told = result.come_back_in != absl::InfiniteDuration();
    if (!IsWorthAnotherAttempt(result.status, result.come_back_in) ||
        (told ? obeyed + result.come_back_in > options_.longest_obedience
              : attempt >= options_.attempts)) {
      return result.is_token_error ? result.status : Explain(result.status);
    }
    // Jitter: clients with the same retry delay do not retry at the same time.
    const absl::Duration pause = told ? result.come_back_in * (1 + 0.5 * options_.random())
                                      : wait * (0.5 + 0.5 * options_.random());
    std::string note =
        absl::StrCat(server_, ": ", PlainReason(result.status.message()), "; retrying in ",
                     absl::FormatDuration(absl::Trunc(pause, absl::Milliseconds(1))));
    if (told) {
      obeyed += pause;
    } else {
      absl::StrAppend(&note, " (attempt ", ++attempt, " of ", options_.attempts, ")");
      wait = std::min(wait * 2, options_.max_wait);
    }
    options_.notify(note);
    options_.sleep(pause);
  }
}

absl::Status CollectorClient::FinishRun(const std::string& project, const std::string& run_id) {
  v1::FinishRunRequest request;
  request.set_project(project);
  request.set_run_id(run_id);
  ASSIGN_OR_RETURN(const std::string token, options_.token());
  grpc::ClientContext context;
  PrepareCall(token, options_.call_timeout, context);
  v1::FinishRunResponse response;
  const grpc::Status status = stub_->FinishRun(&context, request, &response);
  return status.ok() ? absl::OkStatus() : Explain(StatusOfCall(status));
}

absl::Status CollectorClient::Explain(const absl::Status& status) const {
  const std::optional<absl::Status> no_answer =
      ExplainNoAnswer(server_, status, options_.call_timeout, options_.explain_unavailable);
  if (no_answer.has_value()) return *no_answer;
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      return absl::UnavailableError(
          absl::StrCat(server_, " cannot answer now: ", status.message()));
    case absl::StatusCode::kPermissionDenied:
      return absl::PermissionDeniedError(
          absl::StrCat(server_, " rejects the upload: ", status.message()));
    case absl::StatusCode::kUnauthenticated:
      return absl::Status(
          status.code(),
          absl::StrCat(server_, " rejects the token (", status.message(),
                       "): pass a token of the project with --token-file or GPROFHUB_TOKEN"));
    case absl::StatusCode::kUnimplemented:
      return absl::UnimplementedError(
          absl::StrCat(server_, " does not accept uploads (", status.message(),
                       "): set --server or GPROFHUB_SERVER to a server with the role collector "
                       "that is at least as new as this command"));
    default:
      return base::WithContext(status, server_);
  }
}

}  // namespace gprofhub::ci
