// A remote cache on loopback that stores action results, for scripts: a repository that has its own
// in addition to gprofhub. Debian has no package of such a cache. It implements the part of the
// Remote Execution API that Bazel 4.2.3 uses, stores everything in memory, and serves until it is
// killed.
//
//   keeping_cache
//
// It prints its address.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/unknown_field_set.h"
#include "proto/byte_stream.grpc.pb.h"
#include "proto/remote_cache.grpc.pb.h"

namespace gprofhub::tests {
namespace {

namespace reapi = build::bazel::remote::execution::v2;
using google::bytestream::QueryWriteStatusRequest;
using google::bytestream::QueryWriteStatusResponse;
using google::bytestream::ReadRequest;
using google::bytestream::ReadResponse;
using google::bytestream::WriteRequest;
using google::bytestream::WriteResponse;
using grpc::ServerContext;
using grpc::Status;
using grpc::StatusCode;

constexpr size_t kPiece = 1 << 20;
constexpr int kResultField = 3;  // of UpdateActionResultRequest

// Texts by name, for all services.
class Texts {
 public:
  void Put(const std::string& name, const std::string& text) {
    const std::lock_guard lock(mutex_);
    texts_[name] = text;
  }
  std::optional<std::string> Get(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = texts_.find(name);
    if (found == texts_.end()) return std::nullopt;
    return found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> texts_;
};

std::string NameOf(const reapi::Digest& digest) {
  return absl::StrCat(digest.hash(), "/", digest.size_bytes());
}

// "HASH/SIZE" of a resource name.
std::string NameOf(const std::string& resource) {
  const std::vector<std::string> words = absl::StrSplit(resource, '/');
  for (size_t i = 0; i + 2 < words.size(); ++i) {
    if (words[i] == "blobs") return absl::StrCat(words[i + 1], "/", words[i + 2]);
  }
  return "";
}

class Capabilities final : public reapi::Capabilities::Service {
  Status GetCapabilities(ServerContext*, const reapi::GetCapabilitiesRequest*,
                         reapi::ServerCapabilities* answer) override {
    reapi::CacheCapabilities& cache = *answer->mutable_cache_capabilities();
    cache.add_digest_function(reapi::DigestFunction::SHA256);
    cache.mutable_action_cache_update_capabilities()->set_update_enabled(true);
    cache.set_symlink_absolute_path_strategy(reapi::SymlinkAbsolutePathStrategy::ALLOWED);
    answer->mutable_low_api_version()->set_major(2);
    answer->mutable_high_api_version()->set_major(2);
    return Status::OK;
  }
};

class Storage final : public reapi::ContentAddressableStorage::Service {
 public:
  explicit Storage(Texts& texts) : texts_(texts) {}

  Status FindMissingBlobs(ServerContext*, const reapi::FindMissingBlobsRequest* request,
                          reapi::FindMissingBlobsResponse* answer) override {
    for (const reapi::Digest& digest : request->blob_digests()) {
      if (!texts_.Get(NameOf(digest))) *answer->add_missing_blob_digests() = digest;
    }
    return Status::OK;
  }
  Status BatchUpdateBlobs(ServerContext*, const reapi::BatchUpdateBlobsRequest* request,
                          reapi::BatchUpdateBlobsResponse* answer) override {
    for (const auto& one : request->requests()) {
      texts_.Put(NameOf(one.digest()), one.data());
      *answer->add_responses()->mutable_digest() = one.digest();
    }
    return Status::OK;
  }
  Status BatchReadBlobs(ServerContext*, const reapi::BatchReadBlobsRequest* request,
                        reapi::BatchReadBlobsResponse* answer) override {
    for (const reapi::Digest& digest : request->digests()) {
      auto& one = *answer->add_responses();
      *one.mutable_digest() = digest;
      const std::optional<std::string> text = texts_.Get(NameOf(digest));
      if (text) one.set_data(*text);
      one.mutable_status()->set_code(text ? StatusCode::OK : StatusCode::NOT_FOUND);
    }
    return Status::OK;
  }

 private:
  Texts& texts_;
};

// gprofhub's proto has no action results: they are stored as unknown fields.
class Actions final : public reapi::ActionCache::Service {
  Status GetActionResult(ServerContext*, const reapi::GetActionResultRequest* request,
                         reapi::ActionResult* answer) override {
    const std::optional<std::string> text = results_.Get(NameOf(request->action_digest()));
    if (!text || !answer->ParseFromString(*text)) return {StatusCode::NOT_FOUND, "no such result"};
    return Status::OK;
  }
  Status UpdateActionResult(ServerContext*, const reapi::UpdateActionResultRequest* request,
                            reapi::ActionResult* answer) override {
    const google::protobuf::UnknownFieldSet& fields =
        request->GetReflection()->GetUnknownFields(*request);
    for (int i = 0; i < fields.field_count(); ++i) {
      const google::protobuf::UnknownField& field = fields.field(i);
      if (field.number() != kResultField ||
          field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
        continue;
      }
      results_.Put(NameOf(request->action_digest()), field.length_delimited());
      answer->ParseFromString(field.length_delimited());
    }
    return Status::OK;
  }

  Texts results_;
};

class Bytes final : public google::bytestream::ByteStream::Service {
 public:
  explicit Bytes(Texts& texts) : texts_(texts) {}

  Status Read(ServerContext*, const ReadRequest* request,
              grpc::ServerWriter<ReadResponse>* writer) override {
    const std::optional<std::string> text = texts_.Get(NameOf(request->resource_name()));
    if (!text) return {StatusCode::NOT_FOUND, "no such blob"};
    const auto begin = static_cast<size_t>(request->read_offset());
    if (begin > text->size()) return {StatusCode::OUT_OF_RANGE, "behind the blob's end"};
    const size_t limit =
        request->read_limit() > 0 ? static_cast<size_t>(request->read_limit()) : text->size();
    const size_t end = begin + std::min(limit, text->size() - begin);
    for (size_t at = begin; at < end; at += kPiece) {
      ReadResponse piece;
      piece.set_data(text->substr(at, std::min(kPiece, end - at)));
      if (!writer->Write(piece)) break;
    }
    return Status::OK;
  }
  Status Write(ServerContext*, grpc::ServerReader<WriteRequest>* reader,
               WriteResponse* answer) override {
    WriteRequest piece;
    std::string name, text;
    while (reader->Read(&piece)) {
      if (name.empty()) name = NameOf(piece.resource_name());
      text += piece.data();
      if (piece.finish_write()) texts_.Put(name, text);
    }
    answer->set_committed_size(static_cast<int64_t>(text.size()));
    return Status::OK;
  }
  Status QueryWriteStatus(ServerContext*, const QueryWriteStatusRequest* request,
                          QueryWriteStatusResponse* answer) override {
    const std::optional<std::string> text = texts_.Get(NameOf(request->resource_name()));
    answer->set_complete(text.has_value());
    answer->set_committed_size(text ? static_cast<int64_t>(text->size()) : 0);
    return Status::OK;
  }

 private:
  Texts& texts_;
};

int Main() {
  Texts blobs;
  Capabilities capabilities;
  Storage storage(blobs);
  Actions actions;
  Bytes bytes(blobs);
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterService(&capabilities);
  builder.RegisterService(&storage);
  builder.RegisterService(&actions);
  builder.RegisterService(&bytes);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) {
    std::cerr << "keeping_cache: no port can be had\n";
    return 1;
  }
  std::cout << "listening on 127.0.0.1:" << port << std::endl;
  server->Wait();
  return 0;
}

}  // namespace
}  // namespace gprofhub::tests

int main() { return gprofhub::tests::Main(); }
