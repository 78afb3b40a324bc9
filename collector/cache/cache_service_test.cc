// Bazel's remote cache over a real gRPC connection to a real store.
#include "collector/cache/cache_service.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/hash.h"
#include "collector/access/authorizer.h"
#include "collector/call_server.h"
#include "collector/upload_session.h"
#include "proto/byte_stream.grpc.pb.h"
#include "proto/remote_cache.grpc.pb.h"
#include "store/testing/temp_store.h"

namespace gprofhub::collector {

namespace {

const std::string kHash(64, 'a');

TEST(ResourceNameTest, ABlobIsNamedWithAndWithoutAnInstance) {
  const auto plain = ParseReadName("blobs/" + kHash + "/12");
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->instance, "");
  EXPECT_EQ(plain->upload, "");
  EXPECT_EQ(plain->digest, (store::TransferDigest{kHash, 12}));
  EXPECT_EQ(ParseReadName("acme/db/blobs/" + kHash + "/0")->instance, "acme/db");
}

TEST(ResourceNameTest, AnUploadIsNamedByItsClient) {
  const auto upload = ParseWriteName("acme/db/uploads/u-1/blobs/" + kHash + "/7/name/of.file");
  ASSERT_TRUE(upload.ok()) << upload.status();
  EXPECT_EQ(upload->instance, "acme/db");
  EXPECT_EQ(upload->upload, "u-1");
  EXPECT_EQ(upload->digest, (store::TransferDigest{kHash, 7}));
  EXPECT_EQ(ParseWriteName("uploads/u/blobs/" + kHash + "/7")->instance, "");
}

TEST(ResourceNameTest, AnythingElseIsRefused) {
  for (const std::string& name :
       {std::string(), std::string("/"), "blobs/" + kHash, "blobs/" + kHash + "/",
        "blobs/" + kHash + "/-1", "blobs/" + kHash + "/+1", "blobs/" + kHash + "/01",
        "blobs/" + kHash + "/1x", "blobs/" + kHash + "/99999999999999999999",
        "blobs/" + kHash + "/1125899906842625", "blobs/" + std::string(64, 'A') + "/1",
        "blobs/" + std::string(63, 'a') + "/1", "blob/" + kHash + "/1",
        "compressed-blobs/zstd/" + kHash + "/1", "blobs/" + kHash + "/1/more",
        std::string(1000, 'x') + "/blobs/" + kHash + "/1", "\xff/blobs/" + kHash + "/1",
        std::string("a\0b", 3) + "/blobs/" + kHash + "/1"}) {
    EXPECT_EQ(ParseReadName(name).status().code(), absl::StatusCode::kInvalidArgument) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("uploads"), "blobs/" + kHash + "/1",
        "uploads//blobs/" + kHash + "/1", "uploads/u/v/blobs/" + kHash + "/1",
        "uploads/" + std::string(101, 'u') + "/blobs/" + kHash + "/1",
        "uploads/u/compressed-blobs/zstd/" + kHash + "/1", "uploads/u/blobs/" + kHash}) {
    EXPECT_EQ(ParseWriteName(name).status().code(), absl::StatusCode::kInvalidArgument) << name;
  }
}

TEST(ResourceNameTest, ADigestIsCheckedAndItsErrorNamesTheField) {
  build::bazel::remote::execution::v2::Digest digest;
  digest.set_hash(kHash);
  digest.set_size_bytes(3);
  EXPECT_EQ(*ToDigest("digest", digest), (store::TransferDigest{kHash, 3}));
  digest.set_size_bytes(-1);
  EXPECT_EQ(ToDigest("digests[2]", digest).status().message(), "digests[2].size_bytes: is -1");
  digest.set_hash("../" + kHash);
  EXPECT_FALSE(ToDigest("digest", digest).ok());
}

namespace reapi = build::bazel::remote::execution::v2;
namespace stream = google::bytestream;
using ::grpc::StatusCode;

constexpr uint64_t kPiece = store::TransferBlobs::kPieceBytes;

std::string LongText(char seed = 1) {
  std::string text(2 * kPiece + 100, '\0');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>((i * i >> 9) + seed);
  return text;
}

class CacheServiceTest : public testing::Test {
 protected:
  CacheServiceTest() { Start({}); }
  ~CacheServiceTest() override { server_->Shutdown(); }

  void Start(CacheOptions options) {
    if (server_ != nullptr) server_->Shutdown();
    options.quotas = &quotas_;
    service_ = std::make_unique<CacheService>(transfers_, options);
    auto calls = std::make_unique<CallServer>(service_->Methods(), AccessOf(authorizer_),
                                              CallServer::Options());
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterCallbackGenericService(calls.get());
    server_ = builder.BuildAndStart();
    calls_ = std::move(calls);
    const auto channel =
        grpc::CreateChannel(absl::StrCat("127.0.0.1:", port), grpc::InsecureChannelCredentials());
    bytes_ = stream::ByteStream::NewStub(channel);
    storage_ = reapi::ContentAddressableStorage::NewStub(channel);
    actions_ = reapi::ActionCache::NewStub(channel);
    capabilities_ = reapi::Capabilities::NewStub(channel);
  }

  // Context of the current caller.
  std::unique_ptr<grpc::ClientContext> NewCall() const {
    auto call = std::make_unique<grpc::ClientContext>();
    if (!token_.empty()) call->AddMetadata("authorization", "Bearer " + token_);
    if (!action_.empty()) {
      reapi::RequestMetadata metadata;
      metadata.set_action_id(action_);
      call->AddMetadata("build.bazel.remote.execution.v2.requestmetadata-bin",
                        metadata.SerializeAsString());
    }
    return call;
  }

  void UseToken(const std::string& project, const char* scopes) {
    token_ =
        MakeToken(store_.tokens, {project, "", *Scopes::Parse(scopes)}, {}, absl::Now())->token;
  }

  static std::string Name(const std::string& bytes, const std::string& upload = "u1") {
    return absl::StrCat("uploads/", upload, "/blobs/", base::Sha256Hex(bytes), "/", bytes.size());
  }

  // Sends `bytes` from offset `from` as the blob `name`, and finishes the write unless `finish` is
  // false.
  grpc::Status Write(const std::string& name, absl::string_view bytes, uint64_t from = 0,
                     bool finish = true) {
    const auto call = NewCall();
    response_.Clear();
    const auto writer = bytes_->Write(call.get(), &response_);
    constexpr size_t kChunk = 16 << 10;
    do {
      const absl::string_view data = bytes.substr(from, kChunk);
      stream::WriteRequest message;
      message.set_resource_name(name);
      message.set_write_offset(static_cast<int64_t>(from));
      message.set_data(std::string(data));
      from += data.size();
      message.set_finish_write(finish && from == bytes.size());
      if (!writer->Write(message)) break;
    } while (from < bytes.size());
    writer->WritesDone();
    return writer->Finish();
  }
  grpc::Status Write(const std::string& bytes) { return Write(Name(bytes), bytes); }

  int64_t Committed(const std::string& name, bool* complete = nullptr) const {
    stream::QueryWriteStatusRequest request;
    request.set_resource_name(name);
    stream::QueryWriteStatusResponse response;
    const grpc::Status status = bytes_->QueryWriteStatus(NewCall().get(), request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    if (complete != nullptr) *complete = response.complete();
    return response.committed_size();
  }

  grpc::Status Read(const std::string& bytes, std::string& read, int64_t offset = 0,
                    int64_t limit = 0) const {
    stream::ReadRequest request;
    request.set_resource_name(absl::StrCat("blobs/", base::Sha256Hex(bytes), "/", bytes.size()));
    request.set_read_offset(offset);
    request.set_read_limit(limit);
    const auto call = NewCall();
    const auto reader = bytes_->Read(call.get(), request);
    stream::ReadResponse response;
    read.clear();
    while (reader->Read(&response)) read += response.data();
    return reader->Finish();
  }

  // Number of blobs that the server wants.
  int Missing(const std::vector<std::string>& blobs, StatusCode code = StatusCode::OK,
              const std::string& instance = "") const {
    reapi::FindMissingBlobsRequest request;
    request.set_instance_name(instance);
    for (const std::string& bytes : blobs) {
      reapi::Digest& digest = *request.add_blob_digests();
      digest.set_hash(base::Sha256Hex(bytes));
      digest.set_size_bytes(static_cast<int64_t>(bytes.size()));
    }
    reapi::FindMissingBlobsResponse response;
    const grpc::Status status = storage_->FindMissingBlobs(NewCall().get(), request, &response);
    EXPECT_EQ(status.error_code(), code) << status.error_message();
    return response.missing_blob_digests_size();
  }

  bool Has(const std::string& bytes, const std::string& project = "default") const {
    return transfers_.Read(project, {base::Sha256Hex(bytes), bytes.size()}, bytes.size()).ok();
  }

  const std::string folder_ = store::MakeTempDir();
  const store::Store store_ = store::MakeTempStore(folder_);
  const store::TransferBlobs transfers_ = store::OpenTempTransfers(folder_);
  Authorizer authorizer_{store_.tokens, store_.audit};
  Quotas quotas_{[](const std::string&) -> absl::StatusOr<uint64_t> { return 0; }};
  std::string token_;
  std::string action_;
  stream::WriteResponse response_;
  std::unique_ptr<CacheService> service_;
  std::unique_ptr<CallServer> calls_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<stream::ByteStream::Stub> bytes_;
  std::unique_ptr<reapi::ContentAddressableStorage::Stub> storage_;
  std::unique_ptr<reapi::ActionCache::Stub> actions_;
  std::unique_ptr<reapi::Capabilities::Stub> capabilities_;
};

TEST_F(CacheServiceTest, BlobsOfAnySizeComeAndAreRead) {
  for (const std::string& bytes : {std::string("log"), std::string(kPiece, 'x'),
                                   std::string(kPiece + 1, 'y'), LongText(), std::string()}) {
    EXPECT_EQ(Missing({bytes}), bytes.empty() ? 0 : 1);
    const grpc::Status status = Write(bytes);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response_.committed_size(), static_cast<int64_t>(bytes.size()));
    EXPECT_EQ(Missing({bytes}), 0);
    std::string read;
    EXPECT_TRUE(Read(bytes, read).ok());
    EXPECT_TRUE(read == bytes);
  }
}

TEST_F(CacheServiceTest, PartsAreRead) {
  const std::string bytes = LongText();
  ASSERT_TRUE(Write(bytes).ok());
  std::string read;
  EXPECT_TRUE(Read(bytes, read, 5, 3).ok());
  EXPECT_EQ(read, bytes.substr(5, 3));
  EXPECT_TRUE(Read(bytes, read, kPiece - 1, 5).ok());
  EXPECT_EQ(read, bytes.substr(kPiece - 1, 5));
  EXPECT_TRUE(Read(bytes, read, static_cast<int64_t>(bytes.size())).ok());
  EXPECT_EQ(read, "");
  EXPECT_EQ(Read(bytes, read, static_cast<int64_t>(bytes.size()) + 1).error_code(),
            StatusCode::OUT_OF_RANGE);
  EXPECT_EQ(Read(bytes, read, -1).error_code(), StatusCode::OUT_OF_RANGE);
  EXPECT_EQ(Read(bytes, read, 0, -1).error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Read("unknown", read).error_code(), StatusCode::NOT_FOUND);
}

TEST_F(CacheServiceTest, AReadThatIsTooLargeIsRefused) {
  CacheOptions options;
  options.most_read = 1000;
  Start(options);
  const std::string bytes(1001, 'x');
  ASSERT_TRUE(Write(bytes).ok());
  std::string read;
  EXPECT_EQ(Read(bytes, read).error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(Read(bytes, read, 0, 1000).ok());
}

TEST_F(CacheServiceTest, AWriteThatBrokeGoesOnWhereTheServerSays) {
  const std::string bytes = LongText();
  const std::string name = Name(bytes);
  EXPECT_EQ(Committed(name), 0);
  // The client ends without the last byte: the received bytes are kept.
  ASSERT_TRUE(Write(name, bytes.substr(0, kPiece + 5), 0, /*finish=*/false).ok());
  EXPECT_EQ(response_.committed_size(), static_cast<int64_t>(kPiece + 5));
  bool complete = true;
  EXPECT_EQ(Committed(name, &complete), static_cast<int64_t>(kPiece + 5));
  EXPECT_FALSE(complete);
  EXPECT_EQ(Missing({bytes}), 1);
  // An offset beyond the server's is refused; the client has to query it.
  EXPECT_EQ(Write(name, bytes, kPiece + 6).error_code(), StatusCode::ABORTED);
  ASSERT_TRUE(Write(name, bytes, kPiece + 5).ok());
  EXPECT_EQ(Committed(name, &complete), static_cast<int64_t>(bytes.size()));
  EXPECT_TRUE(complete);
  EXPECT_TRUE(Has(bytes));
}

TEST_F(CacheServiceTest, AWriteThatBeginsAnewIsTakenToo) {
  const std::string bytes = LongText();
  ASSERT_TRUE(Write(Name(bytes), bytes.substr(0, kPiece + 5), 0, /*finish=*/false).ok());
  ASSERT_TRUE(Write(bytes).ok());
  EXPECT_TRUE(Has(bytes));
}

TEST_F(CacheServiceTest, AStreamThatBreaksAfterTheLastByteIsNotTakenForDone) {
  const std::string bytes = LongText();
  const std::string name = Name(bytes);
  ASSERT_TRUE(Write(name, bytes, 0, /*finish=*/false).ok());
  EXPECT_FALSE(Has(bytes));
  // Bazel treats a complete committed size as success.
  EXPECT_EQ(Committed(name), static_cast<int64_t>(bytes.size()));
  EXPECT_TRUE(Has(bytes));

  const std::string other = LongText(2);
  const std::string wrong =
      absl::StrCat("uploads/u/blobs/", base::Sha256Hex(other), "/", other.size());
  ASSERT_TRUE(Write(wrong, bytes, 0, /*finish=*/false).ok());
  EXPECT_EQ(Committed(wrong), 0) << "the bytes are others";
  EXPECT_FALSE(Has(other));
}

TEST_F(CacheServiceTest, ABlobThatIsThereEndsTheWriteAtOnce) {
  const std::string bytes = LongText();
  ASSERT_TRUE(Write(bytes).ok());
  const auto call = NewCall();
  stream::WriteResponse response;
  const auto writer = bytes_->Write(call.get(), &response);
  stream::WriteRequest message;
  message.set_resource_name(Name(bytes, "u2"));
  message.set_data(bytes.substr(0, 10));
  EXPECT_TRUE(writer->Write(message));
  // The client has not finished the write.
  const grpc::Status status = writer->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.committed_size(), static_cast<int64_t>(bytes.size()));
}

TEST_F(CacheServiceTest, BytesThatAreNotTheBlobsAreRefused) {
  const std::string right = "right";
  EXPECT_EQ(Write(Name(right), "wrong").error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Write(Name(right), "too long").error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Write(Name(right), "rig").error_code(), StatusCode::INVALID_ARGUMENT) << "too short";
  EXPECT_EQ(Write("blobs/x/1", "right").error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Write("", "right").error_code(), StatusCode::INVALID_ARGUMENT);
  std::string other = LongText();
  ++other[kPiece + 3];
  EXPECT_EQ(Write(Name(LongText()), other).error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(transfers_.Held()->blobs, 0u);
}

TEST_F(CacheServiceTest, BatchesOfBlobsComeAndAreRead) {
  reapi::BatchUpdateBlobsRequest update;
  reapi::BatchReadBlobsRequest read;
  for (const char* bytes : {"one", "two"}) {
    reapi::BatchUpdateBlobsRequest::Request& request = *update.add_requests();
    request.mutable_digest()->set_hash(base::Sha256Hex(bytes));
    request.mutable_digest()->set_size_bytes(3);
    request.set_data(bytes == std::string("two") ? "bad" : bytes);
    *read.add_digests() = request.digest();
  }
  reapi::BatchUpdateBlobsResponse updated;
  ASSERT_TRUE(storage_->BatchUpdateBlobs(NewCall().get(), update, &updated).ok());
  ASSERT_EQ(updated.responses_size(), 2);
  EXPECT_EQ(updated.responses(0).status().code(), 0);
  EXPECT_EQ(updated.responses(1).status().code(), StatusCode::INVALID_ARGUMENT);
  reapi::BatchReadBlobsResponse got;
  ASSERT_TRUE(storage_->BatchReadBlobs(NewCall().get(), read, &got).ok());
  ASSERT_EQ(got.responses_size(), 2);
  EXPECT_EQ(got.responses(0).data(), "one");
  EXPECT_EQ(got.responses(1).status().code(), StatusCode::NOT_FOUND);
  read.mutable_digests(0)->set_size_bytes(5 << 20);
  EXPECT_EQ(storage_->BatchReadBlobs(NewCall().get(), read, &got).error_code(),
            StatusCode::INVALID_ARGUMENT);
}

TEST_F(CacheServiceTest, ResultsOfActionsAreTakenAndNeverThere) {
  reapi::ActionResult result;
  EXPECT_TRUE(actions_->UpdateActionResult(NewCall().get(), {}, &result).ok());
  EXPECT_EQ(actions_->GetActionResult(NewCall().get(), {}, &result).error_code(),
            StatusCode::NOT_FOUND);
  reapi::ServerCapabilities capabilities;
  ASSERT_TRUE(capabilities_->GetCapabilities(NewCall().get(), {}, &capabilities).ok());
  EXPECT_TRUE(
      capabilities.cache_capabilities().action_cache_update_capabilities().update_enabled());
  EXPECT_EQ(capabilities.cache_capabilities().digest_function(0), reapi::DigestFunction::SHA256);
}

TEST_F(CacheServiceTest, FilesThatNoBuildEventNamesAreNotTaken) {
  action_ = "0a1b2c";
  EXPECT_EQ(Missing({"an object file"}), 0);
  ASSERT_TRUE(Write("an object file").ok());
  EXPECT_EQ(response_.committed_size(), 14);
  EXPECT_FALSE(Has("an object file"));
  EXPECT_EQ(service_->not_taken().of_actions, 2u);
  action_ = "bes-upload";
  EXPECT_EQ(Missing({"a log"}), 1);
  ASSERT_TRUE(Write("a log").ok());
  EXPECT_TRUE(Has("a log"));
}

TEST_F(CacheServiceTest, WhatIsTooLargeIsNotTakenAndEndsNothing) {
  CacheOptions options;
  options.limits.blob_bytes = 10;
  options.limits.project_bytes = 2 * store::TransferLimits::kRowBytes;
  Start(options);
  EXPECT_EQ(Missing({"a large program", "log 1", "log 2", "log 3"}), 2);
  EXPECT_TRUE(Write("a large program").ok());
  EXPECT_FALSE(Has("a large program"));
  EXPECT_EQ(service_->not_taken().too_large, 2u);
  for (const char* log : {"log 1", "log 2", "log 3"}) EXPECT_TRUE(Write(log).ok()) << log;
  EXPECT_TRUE(Has("log 1") && Has("log 2"));
  EXPECT_FALSE(Has("log 3"));
  EXPECT_EQ(Missing({"log 3"}), 0) << "there is no room for it";
  EXPECT_EQ(service_->not_taken().no_room, 3u);
}

TEST_F(CacheServiceTest, ALargeBlobThatFindsNoRoomEndsNothing) {
  CacheOptions options;
  options.limits.project_bytes = 2 * kPiece;
  Start(options);
  const grpc::Status status = Write(LongText());
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.committed_size(), static_cast<int64_t>(LongText().size()));
  EXPECT_FALSE(Has(LongText()));
}

TEST_F(CacheServiceTest, BytesAboveTheQuotaAreNotTakenAndEndNothing) {
  QuotaFile file;
  file.defaults.bytes_per_hour = 10;
  quotas_.Set(file);
  EXPECT_TRUE(Write("1234567").ok());
  EXPECT_TRUE(Write("7654321").ok());
  EXPECT_TRUE(Has("1234567"));
  EXPECT_FALSE(Has("7654321"));
  EXPECT_EQ(service_->not_taken().quota, 1u);
}

TEST_F(CacheServiceTest, WithoutMemoryForPiecesBlobsComeAllTheSame) {
  CacheOptions options;
  options.buffer_bytes = 0;
  Start(options);
  const std::string bytes = LongText();
  ASSERT_TRUE(Write(bytes).ok());
  EXPECT_TRUE(Has(bytes));
}

TEST_F(CacheServiceTest, ATokenOpensItsProjectAlone) {
  EXPECT_TRUE(Write("of nobody").ok());
  UseToken("db", "upload");
  EXPECT_TRUE(Write("secret").ok());
  EXPECT_TRUE(Has("secret", "db"));
  EXPECT_EQ(Missing({"secret"}), 0);
  EXPECT_EQ(Missing({"secret"}, StatusCode::OK, "db"), 0);
  EXPECT_EQ(Missing({"secret"}, StatusCode::PERMISSION_DENIED, "other"), 0);
  EXPECT_EQ(Write("other/" + Name("x"), "x").error_code(), StatusCode::PERMISSION_DENIED);
  std::string read;
  EXPECT_EQ(Read("secret", read).error_code(), StatusCode::PERMISSION_DENIED) << "needs read";

  UseToken("other", "upload,read");
  EXPECT_EQ(Missing({"secret"}), 1) << "having a hash is not having the right";
  EXPECT_EQ(Read("secret", read).error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(Write("db/" + Name("secret"), "secret").error_code(), StatusCode::PERMISSION_DENIED);
  UseToken("other", "read");
  EXPECT_EQ(Write("x").error_code(), StatusCode::PERMISSION_DENIED);
  reapi::ServerCapabilities capabilities;
  EXPECT_EQ(capabilities_->GetCapabilities(NewCall().get(), {}, &capabilities).error_code(),
            StatusCode::PERMISSION_DENIED);
  token_ = "";
  EXPECT_EQ(Write("x").error_code(), StatusCode::UNAUTHENTICATED);
}

}  // namespace

}  // namespace gprofhub::collector
