// The messages of a stream: their order, their limits, and their effects.
#include "collector/upload_session.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "collector/access/authorizer.h"
#include "collector/call_server.h"
#include "collector/fair_pool.h"
#include "collector/testing/sample_upload.h"
#include "profile/testing/sample_profile.h"
#include "proto/collector.grpc.pb.h"
#include "proto/status_details.pb.h"
#include "store/testing/temp_store.h"

namespace gprofhub::collector {

namespace {

TEST_F(UploadSessionTest, StoresAnExecutionAndQueuesItsAnalysis) {
  const auto response = Send(upload_);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_FALSE(response->already_present());
  EXPECT_EQ(response->profiles_stored(), 1u);
  EXPECT_EQ(response->bytes_received(),
            profile::SampleBundle(1).size() + profile::SampleGmon(101).size());
  const std::vector<store::RunRecord> runs = store::RunsIn(store_.reading);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].commit, upload_.header.run().commit());
  const auto job = store_.jobs.Claim("w", kNow, absl::Minutes(1), 3);
  ASSERT_TRUE(job.ok() && job->has_value());
  EXPECT_EQ((*job)->target, "//db:test_1");
}

TEST_F(UploadSessionTest, AnswersTheSameUploadTwiceAndKeepsOneRecord) {
  const auto first = Send(upload_);
  const auto second = Send(upload_);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_TRUE(second->already_present());
  EXPECT_EQ(second->run_id(), first->run_id());
  EXPECT_EQ(second->profiles_stored(), 0u);
  EXPECT_EQ((*store_.reading.ListTargets(std::stoll(first->run_id())))[0].executions, 1u);
}

TEST_F(UploadSessionTest, RecordsNothingOfAClientThatLeftAfterItsLastMessage) {
  // At whichever place it is noticed.
  int places = 0;
  for (;; ++places) {
    cancelled_after_ = places;
    const auto response = Send(upload_);
    if (response.ok()) break;
    EXPECT_TRUE(absl::IsCancelled(response.status())) << response.status();
    EXPECT_TRUE(store::RunsIn(store_.reading).empty());
  }
  EXPECT_GE(places, 2) << "before the check of an image, and before recording";
}

TEST_F(UploadSessionTest, NeedsNotToBeSentBlobsThatAreHeld) {
  ASSERT_TRUE(Send(upload_).ok());
  upload_.header.mutable_execution()->set_run_number(2);
  upload_.chunks.clear();
  const auto response = Send(upload_);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_FALSE(response->already_present());
  EXPECT_EQ(response->bytes_received(), 0u);
}

TEST_F(UploadSessionTest, TakesChunksOfSeveralBlobsInTurns) {
  std::swap(upload_.chunks[0], upload_.chunks[1]);
  EXPECT_TRUE(Send(upload_).ok());
}

TEST_F(UploadSessionTest, TakesAnExecutionWithoutProfiles) {
  upload_.header.clear_profiles();
  upload_.header.clear_images();
  upload_.chunks.clear();
  EXPECT_TRUE(Send(upload_).ok());
}

TEST_F(UploadSessionTest, RefusesAStreamWithoutHeader) {
  ExpectRefused(std::vector<v1::UploadRequest>(), kInvalid, "header: is missing");
}

TEST_F(UploadSessionTest, RefusesAnEmptyMessage) {
  ExpectRefused({v1::UploadRequest()}, kInvalid, "part: is missing");
}

TEST_F(UploadSessionTest, RefusesAChunkBeforeTheHeader) {
  auto messages = upload_.Messages();
  std::swap(messages[0], messages[1]);
  ExpectRefused(messages, kInvalid, "header: must come before");
}

TEST_F(UploadSessionTest, RefusesASecondHeader) {
  auto messages = upload_.Messages();
  messages.push_back(messages[0]);
  ExpectRefused(messages, kInvalid, "header: was sent twice");
}

TEST_F(UploadSessionTest, RefusesChunksOutOfOrder) {
  std::swap(upload_.chunks[1], upload_.chunks[2]);
  ExpectRefused(upload_, kInvalid, "chunk.offset: ");
}

TEST_F(UploadSessionTest, RefusesAGapBetweenChunks) {
  upload_.chunks[2].set_offset(upload_.chunks[2].offset() + 1);
  ExpectRefused(upload_, kInvalid, "chunk.offset: ");
}

TEST_F(UploadSessionTest, RefusesAChunkTwice) {
  upload_.chunks.push_back(upload_.chunks[2]);
  ExpectRefused(upload_, kInvalid, "chunk.offset: ");
}

TEST_F(UploadSessionTest, RefusesMoreBytesThanAnnounced) {
  upload_.chunks[2].mutable_data()->push_back('x');
  ExpectRefused(upload_, kInvalid, "chunk.data: exceeds");
}

TEST_F(UploadSessionTest, RefusesAnEmptyChunk) {
  upload_.chunks[0].clear_data();
  ExpectRefused(upload_, kInvalid, "chunk.data: is empty");
}

TEST_F(UploadSessionTest, RefusesABlobThatTheHeaderDoesNotName) {
  upload_.chunks[0].set_sha256(std::string(64, '0'));
  ExpectRefused(upload_, kInvalid, "chunk.sha256: is not listed");
}

TEST_F(UploadSessionTest, RefusesAStreamThatEndsWithinABlob) {
  upload_.chunks.pop_back();
  ExpectRefused(upload_, kInvalid, "chunk: the stream ended after");
}

TEST_F(UploadSessionTest, RefusesAStreamThatLacksABlob) {
  upload_.chunks.erase(upload_.chunks.begin());
  ExpectRefused(upload_, kInvalid, "chunk: the stream ended after 0 of");
}

TEST_F(UploadSessionTest, RefusesBytesThatDoNotHashToTheirName) {
  (*upload_.chunks[1].mutable_data())[5] ^= 1;
  ExpectRefused(upload_, absl::StatusCode::kDataLoss, "do not match its hash");
}

TEST_F(UploadSessionTest, RefusesAChunkOverTheLimit) {
  ReplaceProfile(upload_, 0, std::string(3001, 'x'));
  ExpectRefused(upload_, absl::StatusCode::kResourceExhausted, "chunk.data: has 3001 bytes");
}

TEST_F(UploadSessionTest, RefusesAProfileOverTheLimit) {
  ReplaceProfile(upload_, 0, std::string(4001, 'x'));
  ExpectRefused(upload_, absl::StatusCode::kResourceExhausted, "header.profiles[0].data.size");
}

TEST_F(UploadSessionTest, RefusesAnUploadOverTheLimit) {
  *upload_.header.add_profiles() = upload_.header.profiles(0);
  upload_.header.mutable_profiles(1)->set_process("gmon.18");
  ReplaceProfile(upload_, 0, std::string(3000, 'x'));
  ReplaceProfile(upload_, 1, std::string(2999, 'y'));
  ExpectRefused(upload_, absl::StatusCode::kResourceExhausted, "header: announces");
}

TEST_F(UploadSessionTest, RefusesTheSameExecutionWithOtherProfiles) {
  ASSERT_TRUE(Send(upload_).ok());
  ReplaceProfile(upload_, 0, profile::SampleGmon(4711));
  const auto response = Send(upload_);
  EXPECT_TRUE(absl::IsAlreadyExists(response.status())) << response.status();
}

TEST_F(UploadSessionTest, AsksWhetherTheCallerMayBeforeAnythingElse) {
  UploadSession session(context_, [](absl::string_view project) {
    EXPECT_EQ(project, "default");
    return absl::PermissionDeniedError("no");
  });
  upload_.header.mutable_run()->set_commit("bad");
  EXPECT_TRUE(absl::IsPermissionDenied(session.Receive(std::move(upload_.Messages()[0]))));
}

class ScarceMemoryTest : public UploadSessionTest {
 protected:
  // Half of the memory, a project's limit, fits two uploads and the header of a third; one upload
  // of another project still fits.
  ScarceMemoryTest()
      : UploadSessionTest(4 * (profile::SampleBundle(1).size() + profile::SampleGmon(101).size()) +
                          6 * HeaderMemory() + 64) {}

  static uint64_t HeaderMemory() { return Of(1, "default")[0].header().SpaceUsedLong(); }
  static std::vector<v1::UploadRequest> Of(uint32_t seed, const std::string& project) {
    SampleUpload upload = MakeSampleUpload(seed);
    upload.header.mutable_run()->set_project(project);
    return upload.Messages();
  }
};

TEST_F(ScarceMemoryTest, RefusesAnUploadWhileOthersOfItsProjectHoldTheMemoryThenTakesIt) {
  {
    UploadSession first = Session();
    UploadSession second = Session();
    // A header suffices: it reserves memory for itself and the blobs.
    ASSERT_TRUE(first.Receive(std::move(Of(1, "default")[0])).ok());
    ASSERT_TRUE(second.Receive(std::move(Of(2, "default")[0])).ok());
    const auto third = Send(Of(3, "default"));
    EXPECT_TRUE(absl::IsResourceExhausted(third.status())) << third.status();
    EXPECT_TRUE(ComeBackIn(third.status()).has_value());
    const auto other = Send(Of(3, "other"));
    EXPECT_TRUE(other.ok()) << other.status();
  }  // the stalled ones end
  EXPECT_TRUE(Send(Of(3, "default")).ok());
}

TEST_F(ScarceMemoryTest, CountsBlobsThatNobodyAskedFor) {
  ASSERT_TRUE(Send(upload_).ok());
  UploadSession first = Session();
  UploadSession second = Session();
  ASSERT_TRUE(first.Receive(std::move(Of(2, "default")[0])).ok());
  ASSERT_TRUE(second.Receive(std::move(Of(3, "default")[0])).ok());
  const auto again = Send(upload_);  // the store has it, so its header reserves no blobs
  EXPECT_TRUE(absl::IsResourceExhausted(again.status())) << again.status();
}

}  // namespace

// The collector over a real gRPC connection to a real store.

namespace {

class CollectorServiceTest : public testing::Test {
 protected:
  CollectorServiceTest() {
    CollectorService::Options options;
    options.on_recorded = [this] { ++recorded_; };
    options.on_finished = [this] { ++finished_; };
    service_ =
        std::make_unique<CollectorService>(store_.blobs, store_.ingest, store_.reading, options);
    calls_ = std::make_unique<CallServer>(service_->Methods(), AccessOf(authorizer_),
                                          CallServer::Options());
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterCallbackGenericService(calls_.get());
    server_ = builder.BuildAndStart();
    stub_ = v1::Collector::NewStub(grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                                                       grpc::InsecureChannelCredentials()));
  }
  ~CollectorServiceTest() override { server_->Shutdown(); }

  // Sends the whole upload and waits for the response.
  grpc::Status Send(const SampleUpload& upload, const std::string& token = "") {
    grpc::ClientContext call;
    if (!token.empty()) call.AddMetadata("authorization", "Bearer " + token);
    response_.Clear();
    auto stream = stub_->Upload(&call, &response_);
    for (const v1::UploadRequest& message : upload.Messages()) {
      if (!stream->Write(message)) break;  // already refused
    }
    stream->WritesDone();
    return stream->Finish();
  }

  // Creates a token.
  std::string Make(const std::string& project, const char* scopes) {
    return MakeToken(store_.tokens, {project, "", *Scopes::Parse(scopes)}, {}, absl::Now())->token;
  }

  bool NothingStored() {
    bool nothing = store::RunsIn(store_.reading).empty();
    for (const v1::BlobChunk& chunk : upload_.chunks) {
      nothing = nothing && store_.blobs.FindMissing("default", {chunk.sha256()})->size() == 1;
    }
    return nothing;
  }

  const store::Store store_ = store::MakeTempStore();
  Authorizer authorizer_{store_.tokens, store_.audit};
  std::atomic<int> recorded_ = 0;
  std::atomic<int> finished_ = 0;
  std::unique_ptr<CollectorService> service_;
  std::unique_ptr<CallServer> calls_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<v1::Collector::Stub> stub_;
  SampleUpload upload_ = MakeSampleUpload(1);
  v1::UploadResponse response_;
};

TEST_F(CollectorServiceTest, ServesEveryMethodOfTheService) {
  const auto& service = *v1::UploadRequest::descriptor()->file()->FindServiceByName("Collector");
  std::set<std::string> declared, served;
  for (int i = 0; i < service.method_count(); ++i) {
    declared.insert(absl::StrCat("/", service.full_name(), "/", service.method(i)->name()));
  }
  for (const Method& method : service_->Methods()) served.insert(method.name);
  EXPECT_EQ(served, declared);
}

TEST_F(CollectorServiceTest, StoresAnUpload) {
  const grpc::Status status = Send(upload_);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.run_id(), "1");
  EXPECT_EQ(response_.profiles_stored(), 1u);
  EXPECT_EQ(recorded_, 1);
}

TEST_F(CollectorServiceTest, HearsThatARunIsSentWholeFromWhoMaySendIt) {
  ASSERT_TRUE(Send(upload_).ok());
  const std::string reader = Make("default", "read");
  const auto finish = [&](const std::string& run_id, const std::string& token) {
    grpc::ClientContext call;
    call.AddMetadata("authorization", "Bearer " + token);
    v1::FinishRunRequest request;
    request.set_project("default");
    request.set_run_id(run_id);
    v1::FinishRunResponse response;
    return stub_->FinishRun(&call, request, &response).error_code();
  };
  const std::string sender = Make("default", "upload-main");
  EXPECT_EQ(finish("1", sender), grpc::StatusCode::OK);
  EXPECT_EQ(finished_, 1);
  EXPECT_EQ(finish("1", Make("default", "upload")), grpc::StatusCode::PERMISSION_DENIED)
      << "a run of the main line";
  EXPECT_EQ(finish("1", reader), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(finish("2", sender), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(finish("-1", sender), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(finish("latest", sender), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(finished_, 1);
}

TEST_F(CollectorServiceTest, KeepsOneRecordOfTheSameUploadTwice) {
  ASSERT_TRUE(Send(upload_).ok());
  ASSERT_TRUE(Send(upload_).ok());
  EXPECT_TRUE(response_.already_present());
  EXPECT_EQ(recorded_, 1);
  EXPECT_EQ((*store_.reading.ListTargets(1))[0].executions, 1u);
}

TEST_F(CollectorServiceTest, SaysWhichBlobsAreMissing) {
  ASSERT_TRUE(Send(upload_).ok());
  v1::FindMissingBlobsRequest request;
  request.set_project("default");
  *request.add_blobs() = upload_.header.profiles(0).data();
  v1::BlobRef& other = *request.add_blobs();
  other.set_sha256(std::string(64, '0'));
  other.set_size(17);
  grpc::ClientContext call;
  v1::FindMissingBlobsResponse response;
  ASSERT_TRUE(stub_->FindMissingBlobs(&call, request, &response).ok());
  ASSERT_EQ(response.missing_size(), 1);
  EXPECT_EQ(response.missing(0).sha256(), other.sha256());
  EXPECT_EQ(response.missing(0).size(), 17u);
}

TEST_F(CollectorServiceTest, NamesTheBadFieldInTheStatusDetails) {
  upload_.header.mutable_run()->set_commit("main");
  const grpc::Status status = Send(upload_);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  v1::StatusDetails details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), grpc::StatusCode::INVALID_ARGUMENT);
  ASSERT_EQ(details.details_size(), 1);
  EXPECT_EQ(details.details(0).type_url(), "type.googleapis.com/google.rpc.BadRequest");
  v1::BadRequest violations;
  ASSERT_TRUE(violations.ParseFromString(details.details(0).value()));
  EXPECT_EQ(violations.field_violations(0).field(), "header.run.commit");
  EXPECT_TRUE(NothingStored());
}

TEST_F(CollectorServiceTest, AnswersAHashMismatchWithDataLoss) {
  (*upload_.chunks[1].mutable_data())[3] ^= 1;
  EXPECT_EQ(Send(upload_).error_code(), grpc::StatusCode::DATA_LOSS);
  EXPECT_TRUE(NothingStored());
}

TEST_F(CollectorServiceTest, AnswersAHostileProfileWithTheReadersMessage) {
  ReplaceProfile(upload_, 0, profile::SampleGmon(7).substr(0, 60));
  const grpc::Status status = Send(upload_);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(absl::StrContains(status.error_message(), "gmon.17")) << status.error_message();
  EXPECT_TRUE(NothingStored());
}

TEST_F(CollectorServiceTest, StoresNothingOfACutStream) {
  {
    grpc::ClientContext call;
    auto stream = stub_->Upload(&call, &response_);
    const auto messages = upload_.Messages();
    for (size_t i = 0; i + 1 < messages.size(); ++i) ASSERT_TRUE(stream->Write(messages[i]));
    call.TryCancel();
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  server_->Shutdown();  // returns after the handler has returned
  EXPECT_TRUE(NothingStored());
}

TEST_F(CollectorServiceTest, WantsATokenOnceThereIsOne) {
  const std::string made = Make("default", "upload-main");
  const std::string other = Make("other", "upload-main");
  EXPECT_EQ(Send(upload_).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(Send(upload_, "gph_nonsense").error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(Send(upload_, other).error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_TRUE(NothingStored());
  EXPECT_TRUE(Send(upload_, made).ok());
}

TEST_F(CollectorServiceTest, WantsATokenForAskingWhatIsMissing) {
  Make("default", "upload");
  v1::FindMissingBlobsRequest request;
  request.set_project("default");
  grpc::ClientContext call;
  v1::FindMissingBlobsResponse response;
  EXPECT_EQ(stub_->FindMissingBlobs(&call, request, &response).error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
}

TEST_F(CollectorServiceTest, AnswersAnOversizedBlobWithResourceExhausted) {
  upload_.header.mutable_profiles(0)->mutable_data()->set_size(uint64_t{1} << 40);
  EXPECT_EQ(Send(upload_).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(NothingStored());
}

// A full disk, as the kernel reports it: files of this process cannot grow.
class FullDisk {
 public:
  FullDisk() {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none = {0, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_;
};

TEST_F(CollectorServiceTest, AnswersAFullDiskWithResourceExhaustedAndRecovers) {
  {
    const FullDisk full;
    EXPECT_EQ(Send(upload_).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  }
  EXPECT_TRUE(NothingStored());
  const grpc::Status status = Send(upload_);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_FALSE(response_.already_present());
}

}  // namespace

}  // namespace gprofhub::collector
