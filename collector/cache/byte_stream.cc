// google.bytestream.ByteStream: the bytes of one blob.
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/cache/blob_write.h"
#include "collector/cache/cache_service.h"
#include "collector/cache/resource_name.h"
#include "collector/cache/unary_call.h"
#include "collector/calls/overloaded.h"
#include "collector/field_error.h"

namespace gprofhub::collector {
namespace {

namespace stream = google::bytestream;

constexpr absl::Duration kComeBack = absl::Seconds(2);

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
  const absl::StatusOr<BlobResource> resource = ParseReadName(request.resource_name());
  if (!resource.ok()) return resource.status();
  const absl::StatusOr<std::string> project =
      ProjectOf(call.caller, resource->instance, Scope::kRead);
  if (!project.ok()) return project.status();
  const absl::StatusOr<Part> part = PartOf(request, resource->digest.size);
  if (!part.ok()) return part.status();
  if (part->size > cache.options.most_read) {
    return absl::ResourceExhaustedError(
        absl::StrCat("at most ", cache.options.most_read,
                     " bytes are read at once: read the blob in parts, with read_limit"));
  }
  auto held = std::make_shared<Holding>(cache.answers);
  if (!held->Take(*project, part->size)) {
    return Overloaded("answers under way hold all the memory that there is for this project's",
                      kComeBack, "ANSWER_MEMORY");
  }
  std::string bytes;
  do {
    absl::StatusOr<std::string> next = cache.blobs.ReadPart(
        *project, resource->digest, part->offset + bytes.size(), part->size - bytes.size());
    if (!next.ok()) return next.status();
    if (next->empty()) break;
    bytes += *next;
  } while (bytes.size() < part->size);
  return InPieces(std::move(bytes), [held](std::string piece) {
    stream::ReadResponse response;
    response.set_data(std::move(piece));
    return response.SerializeAsString();
  });
}

}  // namespace

absl::StatusOr<std::string> CacheService::QueryWriteStatus(
    const stream::QueryWriteStatusRequest& request, const CallContext& call) {
  const absl::StatusOr<BlobResource> resource = ParseWriteName(request.resource_name());
  if (!resource.ok()) return resource.status();
  absl::StatusOr<std::string> project = ProjectOf(call.caller, resource->instance, Scope::kUpload);
  if (!project.ok()) return project.status();
  const store::TransferUpload upload = {*std::move(project), resource->digest, resource->upload};
  absl::StatusOr<store::TransferProgress> progress = context_.blobs.Progress(upload);
  if (!progress.ok()) return progress.status();
  if (!progress->whole && progress->received == upload.digest.size) {
    // All bytes had arrived before the stream broke. Bazel treats this size as a complete upload.
    const absl::Status whole = context_.blobs.Commit(upload, context_.options.now());
    if (!whole.ok() && !absl::IsInvalidArgument(whole)) return ToClient(whole);
    progress->whole = whole.ok();
    progress->received = whole.ok() ? upload.digest.size : 0;
  }
  stream::QueryWriteStatusResponse response;
  response.set_committed_size(static_cast<int64_t>(progress->received));
  response.set_complete(progress->whole);
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
