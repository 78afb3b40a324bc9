#include "collector/bes/remote_caches.h"

#include <grpcpp/client_context.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "base/hash.h"
#include "base/text.h"
#include "proto/byte_stream.grpc.pb.h"

namespace gprofhub::collector {

namespace {

bool IsNumber(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
}

}  // namespace

std::optional<HandedOverFile> ParseBytestream(absl::string_view uri) {
  if (!absl::ConsumePrefix(&uri, "bytestream://")) return std::nullopt;
  const std::vector<absl::string_view> parts = absl::StrSplit(uri, '/');
  const size_t count = parts.size();
  if (count < 4 || parts[count - 3] != "blobs") return std::nullopt;
  HandedOverFile file;
  if (!base::IsSha256Hex(parts[count - 2]) || !IsNumber(parts[count - 1]) ||
      !absl::SimpleAtoi(parts[count - 1], &file.size)) {
    return std::nullopt;
  }
  file.sha256 = std::string(parts[count - 2]);
  file.place = absl::StrJoin(parts.begin(), parts.end() - 3, "/");
  return file;
}

ReadHandedOver ReadFrom(store::TransferBlobs transfers) {
  return
      [transfers = std::move(transfers)](const std::string& project, const HandedOverFile& file) {
        return transfers.Read(project, {file.sha256, file.size}, file.size);
      };
}

namespace {

namespace stream = google::bytestream;

// Polling interval of Stop during a connection attempt.
constexpr absl::Duration kLookEvery = absl::Milliseconds(50);

absl::Status Stopped() { return absl::UnavailableError("the server is stopping; try again later"); }

}  // namespace

class RemoteCaches::Reader {
 public:
  Reader(RemoteCache cache, RemoteCacheOptions options)
      : cache_(std::move(cache)),
        options_(std::move(options)),
        stub_(stream::ByteStream::NewStub(cache_.channel)) {}

  bool Has(const std::string& project, const std::string& place) const {
    return project == cache_.project &&
           std::find(cache_.places.begin(), cache_.places.end(), place) != cache_.places.end();
  }

  absl::StatusOr<std::string> Read(const HandedOverFile& file) {
    if (IsResting()) return Away("it was unreachable a moment ago");
    if (!Connect()) {
      if (IsStopped()) return Stopped();
      Rest();
      return Away("it is unreachable");
    }
    std::string bytes;
    const grpc::Status status = Receive(file, bytes);
    if (!status.ok()) {
      if (IsStopped()) return Stopped();
      if (status.error_code() == grpc::StatusCode::UNAVAILABLE ||
          status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
        Rest();
      }
      return Away(absl::StrCat("it responded: ", base::Printable(status.error_message())));
    }
    if (bytes.size() != file.size || base::Sha256Hex(bytes) != file.sha256) {
      return absl::DataLossError(
          absl::StrCat("the remote cache at ", cache_.places.front(),
                       " returned content that does not match the digest in the build event"));
    }
    return bytes;
  }

  void Stop() {
    absl::MutexLock lock(&mutex_);
    is_stopped_ = true;
    for (grpc::ClientContext* call : calls_) call->TryCancel();
  }

 private:
  // Whether the connection succeeds within the timeout and before Stop.
  bool Connect() {
    const absl::Time deadline = absl::Now() + options_.connect;
    for (;;) {
      if (IsStopped()) return false;
      const absl::Time now = absl::Now();
      const absl::Time look = std::min(now + kLookEvery, deadline);
      if (cache_.channel->WaitForConnected(absl::ToChronoTime(look))) return true;
      if (look == deadline) return false;
    }
  }

  // A call that Stop cancels during this object's lifetime.
  class Call {
   public:
    Call(Reader& reader, absl::Time deadline) : reader_(reader) {
      context_.set_deadline(absl::ToChronoTime(deadline));
      absl::MutexLock lock(&reader_.mutex_);
      reader_.calls_.insert(&context_);
      if (reader_.is_stopped_) context_.TryCancel();
    }
    ~Call() {
      absl::MutexLock lock(&reader_.mutex_);
      reader_.calls_.erase(&context_);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    grpc::ClientContext& context() { return context_; }

   private:
    Reader& reader_;
    grpc::ClientContext context_;
  };

  // Reads at most one message beyond the file's size.
  grpc::Status Receive(const HandedOverFile& file, std::string& bytes) {
    Call cancellable(*this, absl::Now() + options_.whole);
    grpc::ClientContext& call = cancellable.context();
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
    return is_longer ? grpc::Status::OK : status;  // the caller reports the wrong size
  }

  absl::Status Away(absl::string_view why) const {
    return absl::NotFoundError(absl::StrCat("cannot read a file from the remote cache at ",
                                            cache_.places.front(), ": ", why));
  }
  bool IsResting() {
    absl::MutexLock lock(&mutex_);
    return options_.now() < rests_until_;
  }
  bool IsStopped() {
    absl::MutexLock lock(&mutex_);
    return is_stopped_;
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
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::set<grpc::ClientContext*> calls_ ABSL_GUARDED_BY(mutex_);
};

RemoteCaches::RemoteCaches(std::vector<RemoteCache> caches, const RemoteCacheOptions& options) {
  for (RemoteCache& cache : caches) {
    readers_.push_back(std::make_unique<Reader>(std::move(cache), options));
  }
}

RemoteCaches::~RemoteCaches() = default;

std::optional<absl::StatusOr<std::string>> RemoteCaches::Read(const std::string& project,
                                                              const HandedOverFile& file) const {
  for (const std::unique_ptr<Reader>& reader : readers_) {
    if (reader->Has(project, file.place)) return reader->Read(file);
  }
  return std::nullopt;
}

void RemoteCaches::Stop() {
  for (const std::unique_ptr<Reader>& reader : readers_) reader->Stop();
}

ReadHandedOver ReadAlsoFrom(const RemoteCaches& caches, ReadHandedOver own) {
  return [&caches, own = std::move(own)](const std::string& project, const HandedOverFile& file) {
    absl::StatusOr<std::string> bytes = own(project, file);
    if (!absl::IsNotFound(bytes.status())) return bytes;
    return caches.Read(project, file).value_or(std::move(bytes));
  };
}

}  // namespace gprofhub::collector
