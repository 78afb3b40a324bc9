#include "collector/cache/blob_write.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/cache/resource_name.h"
#include "collector/calls/bounded_parse.h"
#include "collector/field_error.h"

namespace gprofhub::collector {

absl::Status BlobWrite::Receive(absl::string_view bytes) {
  google::bytestream::WriteRequest message;
  if (absl::Status status = ParseBounded(bytes, message); !status.ok()) return status;
  if (upload_.project.empty()) {
    if (absl::Status status = Begin(message); !status.ok()) return status;
    if (is_there_) {
      is_done_ = true;
      return absl::OkStatus();
    }
  } else if (!message.resource_name().empty() && message.resource_name() != resource_name_) {
    return FieldError("resource_name", "is another than in the stream's first message");
  }
  const uint64_t size = upload_.digest.size;
  if (message.write_offset() < 0 || static_cast<uint64_t>(message.write_offset()) != position_) {
    return FieldError("write_offset", absl::StrCat("is ", message.write_offset(),
                                                   "; the next byte is ", position_));
  }
  if (message.data().size() > size - position_) {
    return FieldError("data", absl::StrCat("goes beyond the ", size, " bytes of the blob"));
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
  const absl::StatusOr<BlobResource> resource = ParseWriteName(first.resource_name());
  if (!resource.ok()) return resource.status();
  absl::StatusOr<std::string> project = ProjectOf(call_.caller, resource->instance, Scope::kUpload);
  if (!project.ok()) return project.status();
  resource_name_ = first.resource_name();
  upload_ = {*std::move(project), resource->digest, resource->upload};
  if (absl::Status status = CheckWanted(); !status.ok() || is_there_) return status;
  const absl::StatusOr<store::TransferProgress> progress = cache_.blobs.Progress(upload_);
  if (!progress.ok()) return progress.status();
  is_there_ = progress->whole;
  stored_ = progress->received;
  // A client resumes at the returned offset or starts again.
  if (first.write_offset() > 0 && !is_there_) {
    position_ = static_cast<uint64_t>(first.write_offset());
    if (position_ > stored_) {
      return absl::AbortedError(absl::StrCat("the upload goes on at byte ", stored_, ", not at ",
                                             position_, ": ask for its state"));
    }
  }
  if (is_there_ || cache_.options.quotas == nullptr) return absl::OkStatus();
  const absl::Status paid =
      cache_.options.quotas->TakeBytes(upload_.project, upload_.digest.size - stored_);
  if (!paid.ok()) {
    NoteNotTaken(cache_.not_taken.quota, upload_.project, upload_.digest, paid.message());
    is_there_ = true;
  }
  return absl::OkStatus();
}

absl::Status BlobWrite::CheckWanted() {
  NotTaken& not_taken = cache_.not_taken;
  if (!IsOfBuildEvents(call_)) {
    ++not_taken.of_actions;
    is_there_ = true;
  } else if (upload_.digest.size > cache_.options.limits.blob_bytes) {
    NoteNotTaken(not_taken.too_large, upload_.project, upload_.digest,
                 absl::StrCat("at most ", cache_.options.limits.blob_bytes, " bytes are"));
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
      if (absl::Status status = Flush(); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status BlobWrite::Flush() {
  const absl::Status status =
      cache_.blobs.Append(upload_, stored_, gathered_, cache_.options.limits, cache_.options.now());
  if (absl::IsOutOfRange(status)) {
    NoteNotTaken(cache_.not_taken.no_room, upload_.project, upload_.digest, status.message());
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
  if (upload_.project.empty()) return FieldError("resource_name", "is missing: no message came");
  google::bytestream::WriteResponse response;
  absl::Status status;
  if (finished_ && !is_there_ && stored_ == 0) {
    status = cache_.blobs.Put(upload_.project, upload_.digest, gathered_, cache_.options.limits,
                              cache_.options.now());
    if (absl::IsOutOfRange(status)) {
      NoteNotTaken(cache_.not_taken.no_room, upload_.project, upload_.digest, status.message());
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

}  // namespace gprofhub::collector
