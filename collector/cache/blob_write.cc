#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "collector/cache/cache_service.h"
#include "collector/fair_pool.h"
#include "collector/method.h"
#include "collector/validate.h"
#include "proto/byte_stream.pb.h"
#include "store/transfer_blobs.h"

namespace gprofhub::collector {

namespace {

// One blob received through ByteStream.Write.
//
// Bazel sends 16 KiB at a time. Bytes are buffered to pieces of 1 MiB, and each piece is one
// transaction of the store. A later stream, at any process of the store, resumes after the stored
// pieces; buffered bytes are lost.
//
// A blob that is not wanted is answered as if it had been received. An error would make Bazel abort
// the whole stream of build events (docs/bazel/remote-cache.md).

class BlobWrite final : public CallHandler {
 public:
  // `cache` outlives it.
  BlobWrite(CacheContext& cache, CallContext call)
      : cache_(cache), call_(std::move(call)), held_(cache.buffers) {}

  absl::Status Receive(absl::string_view bytes) override;
  bool WantsMore() const override { return !is_done_; }
  absl::StatusOr<NextMessage> Answer() override;

 private:
  absl::Status Begin(const google::bytestream::WriteRequest& first);
  absl::Status CheckWanted();
  absl::Status Gather(absl::string_view data);
  absl::Status Flush();

  CacheContext& cache_;
  const CallContext call_;
  std::string resource_name_;
  store::TransferUpload upload_;  // its project is empty before the first message
  uint64_t position_ = 0;         // offset of the next expected byte
  uint64_t stored_ = 0;           // bytes in the store
  std::string gathered_;          // bytes from offset stored_ on
  Holding held_;                  // memory for them
  bool finished_ = false;         // the client has sent the last byte
  bool is_done_ = false;          // no further bytes are expected
  bool is_there_ = false;         // the blob is present, or not wanted
};

absl::Status BlobWrite::Receive(absl::string_view bytes) {
  google::bytestream::WriteRequest message;
  RETURN_IF_ERROR(ParseBounded(bytes, message));
  if (upload_.project.empty()) {
    RETURN_IF_ERROR(Begin(message));
    if (is_there_) {
      is_done_ = true;
      return absl::OkStatus();
    }
  } else if (!message.resource_name().empty() && message.resource_name() != resource_name_) {
    return FieldError("resource_name", "differs from the stream's first message");
  }
  const uint64_t size = upload_.digest.size;
  if (message.write_offset() < 0 || static_cast<uint64_t>(message.write_offset()) != position_) {
    return FieldError("write_offset", absl::StrCat("is ", message.write_offset(),
                                                   "; the next byte is ", position_));
  }
  if (message.data().size() > size - position_) {
    return FieldError("data", absl::StrCat("exceeds the ", size, " bytes of the blob"));
  }
  absl::string_view data = message.data();
  // Bytes that the store already has, if the client starts at an earlier offset.
  const uint64_t known = position_ < stored_ ? std::min(data.size(), stored_ - position_) : 0;
  position_ += data.size();
  data.remove_prefix(known);
  if (absl::Status status = Gather(data); !status.ok()) return ToClient(status);
  finished_ = message.finish_write();
  is_done_ = is_done_ || finished_;
  if (finished_ && position_ != size) {
    return FieldError("finish_write", absl::StrCat("is set after ", position_, " of the ", size,
                                                   " bytes of the blob"));
  }
  return absl::OkStatus();
}

absl::Status BlobWrite::Begin(const google::bytestream::WriteRequest& first) {
  ASSIGN_OR_RETURN(const BlobResource resource, ParseWriteName(first.resource_name()));
  ASSIGN_OR_RETURN(std::string project, ProjectOf(call_.caller, resource.instance, Scope::kUpload));
  resource_name_ = first.resource_name();
  upload_ = {std::move(project), resource.digest, resource.upload};
  if (absl::Status status = CheckWanted(); !status.ok() || is_there_) return status;
  ASSIGN_OR_RETURN(const store::TransferProgress progress, cache_.blobs.Progress(upload_));
  is_there_ = progress.whole;
  stored_ = progress.received;
  // A client resumes at the returned offset or starts again.
  if (first.write_offset() > 0 && !is_there_) {
    position_ = static_cast<uint64_t>(first.write_offset());
    if (position_ > stored_) {
      return absl::AbortedError(absl::StrCat("the upload continues at byte ", stored_, ", not at ",
                                             position_, "; query its state"));
    }
  }
  if (is_there_ || cache_.options.quotas == nullptr) return absl::OkStatus();
  const absl::Status paid =
      cache_.options.quotas->TakeBytes(upload_.project, upload_.digest.size - stored_);
  if (!paid.ok()) {
    NoteNotTaken(cache_, &NotTaken::quota, upload_.project, upload_.digest, paid.message());
    is_there_ = true;
  }
  return absl::OkStatus();
}

absl::Status BlobWrite::CheckWanted() {
  if (!IsOfBuildEvents(call_)) {
    ++cache_.not_taken.of_actions;
    is_there_ = true;
  } else if (upload_.digest.size > cache_.options.limits.blob_bytes) {
    NoteNotTaken(cache_, &NotTaken::too_large, upload_.project, upload_.digest,
                 absl::StrCat("at most ", cache_.options.limits.blob_bytes, " bytes are allowed"));
    is_there_ = true;
  }
  return absl::OkStatus();
}

absl::Status BlobWrite::Gather(absl::string_view data) {
  constexpr uint64_t kPiece = store::TransferBlobs::kPieceBytes;
  while (!data.empty() && !is_there_) {
    const absl::string_view part = data.substr(0, kPiece - gathered_.size());
    const bool has_room = held_.Take(upload_.project, part.size());
    gathered_.append(part.data(), part.size());
    data.remove_prefix(part.size());
    if (gathered_.size() == kPiece || !has_room) {
      // The last piece waits for the end: a blob of one piece is stored in one step.
      const bool is_whole = stored_ == 0 && gathered_.size() == upload_.digest.size;
      if (is_whole) continue;
      RETURN_IF_ERROR(Flush());
    }
  }
  return absl::OkStatus();
}

absl::Status BlobWrite::Flush() {
  const absl::Status status =
      cache_.blobs.Append(upload_, stored_, gathered_, cache_.options.limits, cache_.options.now());
  if (absl::IsOutOfRange(status)) {
    NoteNotTaken(cache_, &NotTaken::no_room, upload_.project, upload_.digest, status.message());
    is_there_ = is_done_ = true;
    return absl::OkStatus();
  }
  if (!status.ok()) return status;
  stored_ += gathered_.size();
  gathered_.clear();
  held_.Release();
  return absl::OkStatus();
}

absl::StatusOr<NextMessage> BlobWrite::Answer() {
  if (upload_.project.empty())
    return FieldError("resource_name", "is missing; the stream had no messages");
  google::bytestream::WriteResponse response;
  absl::Status status;
  if (finished_ && !is_there_ && stored_ == 0) {
    status = cache_.blobs.Put(upload_.project, upload_.digest, gathered_, cache_.options.limits,
                              cache_.options.now());
    if (absl::IsOutOfRange(status)) {
      NoteNotTaken(cache_, &NotTaken::no_room, upload_.project, upload_.digest, status.message());
      status = absl::OkStatus();
    }
  } else if (!is_there_) {
    if (!gathered_.empty()) status = Flush();
    if (status.ok() && finished_ && !is_there_) {
      status = cache_.blobs.Commit(upload_, cache_.options.now());
    }
  }
  if (!status.ok()) return ToClient(status);
  response.set_committed_size(
      static_cast<int64_t>(finished_ || is_there_ ? upload_.digest.size : stored_));
  return OneMessage(response.SerializeAsString());
}

}  // namespace

// google.bytestream.ByteStream: the bytes of one blob.

namespace {

namespace stream = google::bytestream;

constexpr absl::Duration kComeBackForABlob = absl::Seconds(2);

// The requested range of the blob.
struct Part {
  uint64_t offset = 0;
  uint64_t size = 0;
};

absl::StatusOr<Part> PartOf(const stream::ReadRequest& request, uint64_t blob_size) {
  if (request.read_offset() < 0 || static_cast<uint64_t>(request.read_offset()) > blob_size) {
    return absl::OutOfRangeError(absl::StrCat("read_offset is ", request.read_offset(),
                                              "; the blob has ", blob_size, " bytes"));
  }
  if (request.read_limit() < 0) return FieldError("read_limit", "is negative");
  Part part;
  part.offset = static_cast<uint64_t>(request.read_offset());
  part.size = blob_size - part.offset;
  if (request.read_limit() > 0) {
    part.size = std::min(part.size, static_cast<uint64_t>(request.read_limit()));
  }
  return part;
}

// The whole response is in memory before its first message is sent, because writing must not wait
// for the store. So each response and their total are bounded.
absl::StatusOr<NextMessage> Read(CacheContext& cache, const stream::ReadRequest& request,
                                 const CallContext& call) {
  ASSIGN_OR_RETURN(const BlobResource resource, ParseReadName(request.resource_name()));
  ASSIGN_OR_RETURN(const std::string project,
                   ProjectOf(call.caller, resource.instance, Scope::kRead));
  ASSIGN_OR_RETURN(const Part part, PartOf(request, resource.digest.size));
  if (part.size > cache.options.most_read) {
    return absl::ResourceExhaustedError(
        absl::StrCat("at most ", cache.options.most_read,
                     " bytes can be read at once; read the blob in parts with read_limit"));
  }
  auto held = std::make_shared<Holding>(cache.answers);
  if (!held->Take(project, part.size)) {
    return Overloaded("the responses in progress use all memory available to this project",
                      kComeBackForABlob, "ANSWER_MEMORY");
  }
  std::string bytes;
  do {
    ASSIGN_OR_RETURN(std::string next,
                     cache.blobs.ReadPart(project, resource.digest, part.offset + bytes.size(),
                                          part.size - bytes.size()));
    if (next.empty()) break;
    bytes += next;
  } while (bytes.size() < part.size);
  return InPieces(std::move(bytes), [held](std::string piece) {
    stream::ReadResponse response;
    response.set_data(std::move(piece));
    return response.SerializeAsString();
  });
}

}  // namespace

absl::StatusOr<std::string> CacheService::QueryWriteStatus(
    const stream::QueryWriteStatusRequest& request, const CallContext& call) {
  ASSIGN_OR_RETURN(const BlobResource resource, ParseWriteName(request.resource_name()));
  ASSIGN_OR_RETURN(std::string project, ProjectOf(call.caller, resource.instance, Scope::kUpload));
  const store::TransferUpload upload = {std::move(project), resource.digest, resource.upload};
  ASSIGN_OR_RETURN(store::TransferProgress progress, context_.blobs.Progress(upload));
  if (!progress.whole && progress.received == upload.digest.size) {
    // All bytes had arrived before the stream broke. Bazel treats this size as a complete upload.
    const absl::Status whole = context_.blobs.Commit(upload, context_.options.now());
    if (!whole.ok() && !absl::IsInvalidArgument(whole)) return ToClient(whole);
    progress.whole = whole.ok();
    progress.received = whole.ok() ? upload.digest.size : 0;
  }
  stream::QueryWriteStatusResponse response;
  response.set_committed_size(static_cast<int64_t>(progress.received));
  response.set_complete(progress.whole);
  return response.SerializeAsString();
}

std::vector<Method> CacheService::ByteStreamMethods() {
  Method write;
  write.name = "/google.bytestream.ByteStream/Write";
  write.one_message = false;
  write.start = [this](CallContext call) {
    return std::make_unique<BlobWrite>(context_, std::move(call));
  };
  return {std::move(write),
          UnaryCall<stream::ReadRequest>(
              "/google.bytestream.ByteStream/Read",
              [this](const stream::ReadRequest& request, const CallContext& call) {
                return Read(context_, request, call);
              }),
          UnaryCallTo<stream::QueryWriteStatusRequest>(
              "/google.bytestream.ByteStream/QueryWriteStatus",
              [this](const stream::QueryWriteStatusRequest& request, const CallContext& call) {
                return QueryWriteStatus(request, call);
              })};
}

}  // namespace gprofhub::collector
