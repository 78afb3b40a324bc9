// Receives the files that Bazel's build events name (--remote_cache), in addition to the build
// event service (collector/bes/). To Bazel it is a remote cache (Remote Execution API v2) without
// results: files are kept for one day, for the readers of the events.
//
// Three rules follow from Bazel's behaviour (docs/bazel/remote-cache.md). Bazel aborts the whole
// event stream when one file cannot be uploaded, so an unwanted file is not refused: the server
// reports it as present. Every call carries the id of its action, so files that no event names are
// dropped. The server advertises that it stores results, because Bazel ends the build otherwise;
// they are dropped.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/log_fields.h"
#include "base/status_macros.h"
#include "collector/access/authorizer.h"
#include "collector/fair_pool.h"
#include "collector/method.h"
#include "collector/quotas.h"
#include "proto/byte_stream.pb.h"
#include "proto/remote_cache.pb.h"
#include "store/transfer_blobs.h"

namespace gprofhub::collector {

// Shared by the calls of Bazel's remote cache.

struct CacheOptions {
  store::TransferLimits limits;
  // Total of concurrent writes. If it runs short, writes use smaller pieces.
  uint64_t buffer_bytes = 64 << 20;
  // Total of concurrent responses with bytes of blobs.
  uint64_t answer_bytes = 128 << 20;
  // Limit of one such response.
  uint64_t most_read = 32 << 20;
  // Quotas of the projects; outlives the service. Null: no quotas.
  Quotas* quotas = nullptr;
  std::function<absl::Time()> now = absl::Now;
};

// Counters of blobs that were dropped, by reason. To Bazel they count as present.
struct NotTaken {
  std::atomic<uint64_t> of_actions = 0;  // no build event names them
  std::atomic<uint64_t> too_large = 0;
  std::atomic<uint64_t> no_room = 0;
  std::atomic<uint64_t> quota = 0;
  base::LineBudget lines{{}};  // a call may offer many blobs
};

struct CacheContext {
  CacheContext(store::TransferBlobs transfers, CacheOptions cache_options)
      : blobs(std::move(transfers)),
        options(std::move(cache_options)),
        buffers(options.buffer_bytes),
        answers(options.answer_bytes) {}

  const store::TransferBlobs blobs;
  const CacheOptions options;
  FairShare buffers;
  FairShare answers;
  NotTaken not_taken;
};

// The project that a call is about: the instance's name if there is one, else the token's project,
// else "default". An error unless the caller may do `scope` to it.
absl::StatusOr<std::string> ProjectOf(const Caller& caller, absl::string_view instance,
                                      Scope scope);

// Whether the call uploads files that build events name, by its request metadata. Assumed for calls
// without metadata.
bool IsOfBuildEvents(const CallContext& call);

// Maps an error of the store to a status that makes Bazel retry where a retry can help.
absl::Status ToClient(const absl::Status& status);

// Counts a dropped blob, by a counter of NotTaken, and logs it.
void NoteNotTaken(CacheContext& cache, std::atomic<uint64_t> NotTaken::*count,
                  absl::string_view project, const store::TransferDigest& digest,
                  absl::string_view why);

class CacheService {
 public:
  CacheService(store::TransferBlobs transfers, CacheOptions options)
      : context_(std::move(transfers), std::move(options)) {}
  CacheService(const CacheService&) = delete;
  CacheService& operator=(const CacheService&) = delete;

  // For a CallServer; the service outlives it.
  std::vector<Method> Methods();

  const NotTaken& not_taken() const { return context_.not_taken; }

 private:
  std::vector<Method> ByteStreamMethods();
  std::vector<Method> StorageMethods();

  absl::StatusOr<std::string> FindMissingBlobs(
      const build::bazel::remote::execution::v2::FindMissingBlobsRequest& request,
      const CallContext& call);
  absl::StatusOr<std::string> BatchUpdateBlobs(
      const build::bazel::remote::execution::v2::BatchUpdateBlobsRequest& request,
      const CallContext& call);
  absl::StatusOr<std::string> BatchReadBlobs(
      const build::bazel::remote::execution::v2::BatchReadBlobsRequest& request,
      const CallContext& call);
  absl::StatusOr<std::string> QueryWriteStatus(
      const google::bytestream::QueryWriteStatusRequest& request, const CallContext& call);

  CacheContext context_;
};

// Names of blobs, as Remote Execution API v2 writes them in calls of ByteStream.
// Source: remote_execution.proto, comments of service ContentAddressableStorage.

struct BlobResource {
  std::string instance;  // a project, or empty
  std::string upload;    // the client's name of the upload; empty for reads
  store::TransferDigest digest;
};

// "[INSTANCE/]blobs/HASH/SIZE". INVALID_ARGUMENT for anything else.
absl::StatusOr<BlobResource> ParseReadName(absl::string_view name);

// "[INSTANCE/]uploads/UUID/blobs/HASH/SIZE"; anything after a further slash is ignored.
absl::StatusOr<BlobResource> ParseWriteName(absl::string_view name);

// `field` is the digest's path in its message.
absl::StatusOr<store::TransferDigest> ToDigest(
    absl::string_view field, const build::bazel::remote::execution::v2::Digest& digest);

// Unary call: the response is computed from the request and the call's context. The handler checks
// permissions itself, because Bazel's messages name no project.

template <typename Request>
class UnaryCallHandler final : public CallHandler {
 public:
  // Returns the response's messages.
  using AnswerTo = std::function<absl::StatusOr<NextMessage>(const Request&, const CallContext&)>;

  UnaryCallHandler(CallContext context, AnswerTo answer)
      : context_(std::move(context)), answer_(std::move(answer)) {}

  absl::Status Receive(absl::string_view bytes) override { return ParseBounded(bytes, request_); }
  absl::StatusOr<NextMessage> Answer() override { return answer_(request_, context_); }

 private:
  const CallContext context_;
  const AnswerTo answer_;
  Request request_;
};

template <typename Request>
Method UnaryCall(std::string name, typename UnaryCallHandler<Request>::AnswerTo answer) {
  Method method;
  method.name = std::move(name);
  method.start = [answer = std::move(answer)](CallContext context) {
    return std::make_unique<UnaryCallHandler<Request>>(std::move(context), answer);
  };
  return method;
}

// The same for a response of one message, serialized.
template <typename Request, typename Answer>
Method UnaryCallTo(std::string name, Answer answer) {
  return UnaryCall<Request>(
      std::move(name),
      [answer](const Request& request, const CallContext& call) -> absl::StatusOr<NextMessage> {
        ASSIGN_OR_RETURN(std::string message, answer(request, call));
        return OneMessage(std::move(message));
      });
}

}  // namespace gprofhub::collector
