#include "collector/bes/remote_caches.h"

#include <grpcpp/client_context.h>

#include <algorithm>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/printable.h"
#include "base/sha256.h"
#include "proto/byte_stream.grpc.pb.h"

namespace gprofhub::collector {
namespace {

namespace stream = google::bytestream;

class CacheReader {
 public:
  CacheReader(RemoteCache cache, RemoteCacheOptions options)
      : cache_(std::move(cache)),
        options_(std::move(options)),
        stub_(stream::ByteStream::NewStub(cache_.channel)) {}

  bool Has(const std::string& project, const std::string& place) const {
    return project == cache_.project &&
           std::find(cache_.places.begin(), cache_.places.end(), place) != cache_.places.end();
  }

  absl::StatusOr<std::string> Read(const HandedOverFile& file) {
    if (IsResting()) return Away("it could not be reached a moment ago");
    if (!cache_.channel->WaitForConnected(absl::ToChronoTime(absl::Now() + options_.connect))) {
      Rest();
      return Away("it cannot be reached");
    }
    std::string bytes;
    const grpc::Status status = Receive(file, bytes);
    if (!status.ok()) {
      if (status.error_code() == grpc::StatusCode::UNAVAILABLE ||
          status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
        Rest();
      }
      return Away(absl::StrCat("it answers: ", base::Printable(status.error_message())));
    }
    if (bytes.size() != file.size || base::Sha256Hex(bytes) != file.sha256) {
      return absl::DataLossError(
          absl::StrCat("the remote cache at ", cache_.places.front(),
                       " has other bytes than the address in the build event says"));
    }
    return bytes;
  }

 private:
  // At most one message more than the file may have.
  grpc::Status Receive(const HandedOverFile& file, std::string& bytes) {
    grpc::ClientContext call;
    call.set_deadline(absl::ToChronoTime(absl::Now() + options_.whole));
    for (const auto& [name, value] : cache_.headers) call.AddMetadata(name, value);
    stream::ReadRequest request;
    request.set_resource_name(absl::StrCat(cache_.instance, cache_.instance.empty() ? "" : "/",
                                           "blobs/", file.sha256, "/", file.size));
    const auto reader = stub_->Read(&call, request);
    bool is_longer = false;
    for (stream::ReadResponse response; !is_longer && reader->Read(&response);) {
      bytes += response.data();
      is_longer = bytes.size() > file.size;
    }
    if (is_longer) call.TryCancel();
    const grpc::Status status = reader->Finish();
    return is_longer ? grpc::Status::OK : status;  // the caller compares the size
  }

  absl::Status Away(absl::string_view why) const {
    return absl::NotFoundError(
        absl::StrCat("a file is in the remote cache at ", cache_.places.front(), ", and ", why));
  }
  bool IsResting() {
    absl::MutexLock lock(&mutex_);
    return options_.now() < rests_until_;
  }
  void Rest() {
    absl::MutexLock lock(&mutex_);
    rests_until_ = options_.now() + options_.rest;
  }

  const RemoteCache cache_;
  const RemoteCacheOptions options_;
  const std::unique_ptr<stream::ByteStream::Stub> stub_;
  absl::Mutex mutex_;
  absl::Time rests_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace

ReadHandedOver ReadAlsoFrom(std::vector<RemoteCache> caches, ReadHandedOver own,
                            const RemoteCacheOptions& options) {
  auto readers = std::make_shared<std::vector<std::unique_ptr<CacheReader>>>();
  for (RemoteCache& cache : caches) {
    readers->push_back(std::make_unique<CacheReader>(std::move(cache), options));
  }
  return
      [readers, own = std::move(own)](const std::string& project,
                                      const HandedOverFile& file) -> absl::StatusOr<std::string> {
        absl::StatusOr<std::string> bytes = own(project, file);
        if (!absl::IsNotFound(bytes.status())) return bytes;
        for (const std::unique_ptr<CacheReader>& reader : *readers) {
          if (reader->Has(project, file.place)) return reader->Read(file);
        }
        return bytes;
      };
}

}  // namespace gprofhub::collector
