// Privilege escalation by callers with a token, or without: each attack runs against a real server
// process, on loopback. The tests also check at the server that nothing changed.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "collector/testing/sample_upload.h"
#include "profile/testing/sample_profile.h"
#include "proto/collector.grpc.pb.h"
#include "proto/query.grpc.pb.h"
#include "store/testing/temp_store.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"

namespace gprofhub::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr auto kDenied = grpc::StatusCode::PERMISSION_DENIED;
constexpr auto kUnauthenticated = grpc::StatusCode::UNAUTHENTICATED;

class TrustTest : public testing::Test {
 protected:
  std::string MakeToken(const std::string& project, const std::string& scopes,
                        const std::string& label = "ci") {
    const Ended made = RunGprofhub({"token", "create", "--project", project, "--scope", scopes,
                                    "--label", label, "--data-dir", folder_});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return std::string(absl::StripSuffix(made.out, "\n"));
  }

  grpc::Status Upload(const collector::SampleUpload& upload, const std::string& token) {
    response_.Clear();
    return Send(
        channel_, upload, token, [] {}, response_);
  }

  // Calls a method of the query service, or of the collector.
  template <typename Stub, typename Request, typename Response>
  grpc::Status Ask(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                   Stub& stub, const Request& request, const std::string& token,
                   Response& response) {
    grpc::ClientContext call;
    if (!token.empty()) call.AddMetadata("authorization", "Bearer " + token);
    return (stub.*method)(&call, request, &response);
  }

  std::vector<v1::Run> Runs(const std::string& project, const std::string& token) {
    v1::ListRunsRequest request;
    request.set_project(project);
    v1::ListRunsResponse response;
    const grpc::Status status = Ask(&v1::Query::Stub::ListRuns, *query_, request, token, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return {response.runs().begin(), response.runs().end()};
  }

  grpc::Status Acknowledge(const std::string& token, v1::Acknowledgement& response) {
    v1::AcknowledgeRequest request;
    request.set_project("default");
    request.mutable_acknowledgement()->set_function("*");
    request.mutable_acknowledgement()->set_reason("it is all right");
    request.mutable_acknowledgement()->set_author("the boss");
    return Ask(&v1::Query::Stub::Acknowledge, *query_, request, token, response);
  }

  std::string Audit() { return RunGprofhub({"audit", "--data-dir", folder_}).out; }

  const std::string folder_ = store::MakeTempDir();
  // The first token closes the server.
  const std::string main_token_ = MakeToken("default", "upload-main,read", "main");
  const std::string ci_token_ = MakeToken("default", "upload,read");
  ServeProcess server_{std::vector<std::string>{"--data-dir", folder_}};
  const std::shared_ptr<grpc::Channel> channel_ = server_.Connect();
  const std::unique_ptr<v1::Collector::Stub> collector_ = v1::Collector::NewStub(channel_);
  const std::unique_ptr<v1::Query::Stub> query_ = v1::Query::NewStub(channel_);
  v1::UploadResponse response_;
};

TEST_F(TrustTest, AForkDoesNotRewriteTheBaselineWithAnotherAttempt) {
  const collector::SampleUpload mainline = FaultTestUpload(1);
  ASSERT_TRUE(Upload(mainline, main_token_).ok());
  const std::string run_id = response_.run_id();
  collector::SampleUpload fork = FaultTestUpload(2);
  *fork.header.mutable_run() = mainline.header.run();
  *fork.header.mutable_execution() = mainline.header.execution();
  fork.header.mutable_execution()->set_attempt(2);
  for (const bool says_so : {true, false}) {
    fork.header.mutable_run()->set_from_fork(says_so);
    fork.header.mutable_run()->set_pull_request(says_so ? "17" : "");
    const grpc::Status status = Upload(fork, ci_token_);
    EXPECT_EQ(status.error_code(), kDenied) << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr(says_so ? "of the main line" : "upload-main"))
        << "it says which";
  }
  fork.header.mutable_run()->set_from_fork(false);
  fork.header.mutable_run()->set_pull_request("17");
  EXPECT_EQ(Upload(fork, ci_token_).error_code(), kDenied);
  const v1::Run run = Runs("default", ci_token_).at(0);
  EXPECT_EQ(run.run_id(), run_id);
  v1::GetRunRequest request;
  request.set_project("default");
  request.set_run(run_id);
  v1::Run found;
  ASSERT_TRUE(Ask(&v1::Query::Stub::GetRun, *query_, request, ci_token_, found).ok());
  ASSERT_THAT(found.targets(), SizeIs(1));
  EXPECT_EQ(found.targets(0).executions(), 1u);
}

TEST_F(TrustTest, AMainLineRunDoesNotTurnIntoAPullRequestsEither) {
  collector::SampleUpload of_pull_request = FaultTestUpload(1);
  of_pull_request.header.mutable_run()->set_pull_request("17");
  ASSERT_TRUE(Upload(of_pull_request, ci_token_).ok());
  collector::SampleUpload shard = FaultTestUpload(2);
  shard.header.mutable_run()->set_run_key(of_pull_request.header.run().run_key());
  EXPECT_EQ(Upload(shard, main_token_).error_code(), kDenied);
  shard.header.mutable_run()->set_pull_request("18");
  EXPECT_EQ(Upload(shard, ci_token_).error_code(), kDenied) << "another pull request";
  shard.header.mutable_run()->set_pull_request("17");
  EXPECT_TRUE(Upload(shard, ci_token_).ok());
}

TEST_F(TrustTest, ASecondSelfDeclaredMainLineRunIsRefused) {
  ASSERT_TRUE(Upload(FaultTestUpload(1), main_token_).ok());
  collector::SampleUpload mask = FaultTestUpload(1);
  mask.header.mutable_run()->set_run_key("mask");
  collector::ReplaceProfile(mask, 0, profile::SampleGmon(7));
  const grpc::Status status = Upload(mask, ci_token_);
  EXPECT_EQ(status.error_code(), kDenied);
  EXPECT_THAT(status.error_message(), HasSubstr("upload-main"));
  EXPECT_THAT(Runs("default", ci_token_), SizeIs(1));
}

TEST_F(TrustTest, ATokenOfAnotherProjectHasNoUseOfABlobsName) {
  const collector::SampleUpload ours = FaultTestUpload(1);
  ASSERT_TRUE(Upload(ours, main_token_).ok());
  const std::string thief = MakeToken("thief", "upload-main,read");

  v1::FindMissingBlobsRequest asked;
  asked.set_project("thief");
  *asked.add_blobs() = ours.header.images(0).bundle();
  *asked.add_blobs() = ours.header.profiles(0).data();
  v1::FindMissingBlobsResponse missing;
  ASSERT_TRUE(Ask(&v1::Collector::Stub::FindMissingBlobs, *collector_, asked, thief, missing).ok());
  EXPECT_THAT(missing.missing(), SizeIs(2)) << "not even whether others have it is said";

  collector::SampleUpload stolen = ours;
  stolen.header.mutable_run()->set_project("thief");
  const std::vector<v1::BlobChunk> chunks = stolen.chunks;
  stolen.chunks.clear();
  const grpc::Status status = Upload(stolen, thief);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
  EXPECT_THAT(Runs("thief", thief), SizeIs(0));
  EXPECT_TRUE(status.error_details().find(profile::SampleBundle(1)) == std::string::npos);

  stolen.chunks = chunks;  // a client that has the bytes may send them
  EXPECT_TRUE(Upload(stolen, thief).ok());
}

TEST_F(TrustTest, ACommitOfTheYear9999IsNotNewestForEver) {
  collector::SampleUpload pinned = FaultTestUpload(1);
  pinned.header.mutable_run()->set_run_key("pinned");
  pinned.header.mutable_run()->set_commit_unix_ms(253'402'300'799'000);
  ASSERT_TRUE(Upload(pinned, main_token_).ok());
  const std::string pinned_id = response_.run_id();
  EXPECT_EQ(Runs("default", main_token_).at(0).info().commit_unix_ms(), 253'402'300'799'000)
      << "what was said is shown";
  // A later arrival is newer, regardless of its claimed time.
  collector::SampleUpload later = FaultTestUpload(2);
  later.header.mutable_run()->set_run_key("later");
  later.header.mutable_run()->set_commit_unix_ms(absl::ToUnixMillis(absl::Now() + absl::Hours(1)));
  ASSERT_TRUE(Upload(later, main_token_).ok());
  EXPECT_EQ(Runs("default", main_token_).at(0).info().run_key(), "later");

  EXPECT_EQ(RunGprofhub({"admin", "delete-run", pinned_id, "--data-dir", folder_}).exit_code, 0);
  EXPECT_THAT(Runs("default", main_token_), SizeIs(1));
}

TEST_F(TrustTest, WhoMayReadMayDoNothingElse) {
  const std::string reader = MakeToken("default", "read");
  collector::SampleUpload upload = FaultTestUpload(1);
  upload.header.mutable_run()->set_pull_request("17");
  EXPECT_EQ(Upload(upload, reader).error_code(), kDenied);
  v1::FindMissingBlobsRequest asked;
  asked.set_project("default");
  v1::FindMissingBlobsResponse missing;
  EXPECT_EQ(
      Ask(&v1::Collector::Stub::FindMissingBlobs, *collector_, asked, reader, missing).error_code(),
      kDenied);
  v1::Acknowledgement said;
  EXPECT_EQ(Acknowledge(reader, said).error_code(), kDenied);
  v1::RecordGatedRequest gated;
  gated.set_project("default");
  v1::RecordGatedResponse recorded;
  EXPECT_EQ(Ask(&v1::Query::Stub::RecordGated, *query_, gated, reader, recorded).error_code(),
            kDenied);
  EXPECT_THAT(Runs("default", reader), SizeIs(0));
}

TEST_F(TrustTest, PullRequestsJobReportsNothingAboutTheMainLine) {
  ASSERT_TRUE(Upload(FaultTestUpload(1), main_token_).ok());
  const std::string run_id = response_.run_id();
  v1::RecordCulpritRequest culprit;
  culprit.set_project("default");
  culprit.set_target("//db:test");
  culprit.set_function("parse");
  culprit.set_base_commit(std::string(40, 'a'));
  culprit.set_head_commit(std::string(40, 'd'));
  culprit.mutable_culprit()->set_commit(std::string(40, 'c'));
  culprit.mutable_culprit()->set_author("a colleague");
  v1::RecordCulpritResponse culprit_recorded;
  const auto record_culprit = &v1::Query::Stub::RecordCulprit;
  EXPECT_EQ(Ask(record_culprit, *query_, culprit, ci_token_, culprit_recorded).error_code(),
            kDenied);
  EXPECT_THAT(Audit(), Not(HasSubstr("culprit.record")));
  EXPECT_TRUE(Ask(record_culprit, *query_, culprit, main_token_, culprit_recorded).ok());
  EXPECT_THAT(Audit(), HasSubstr("culprit.record culprit 1"));

  v1::RecordGatedRequest gated;
  gated.set_project("default");
  gated.set_run(run_id);
  gated.add_gated()->set_rule("self");
  gated.mutable_gated(0)->set_target("//db:test");
  gated.mutable_gated(0)->set_function("parse");
  v1::RecordGatedResponse gated_recorded;
  const auto record_gated = &v1::Query::Stub::RecordGated;
  EXPECT_EQ(Ask(record_gated, *query_, gated, ci_token_, gated_recorded).error_code(), kDenied);
  EXPECT_TRUE(Ask(record_gated, *query_, gated, main_token_, gated_recorded).ok());

  v1::FinishRunRequest finish;
  finish.set_project("default");
  finish.set_run_id(run_id);
  v1::FinishRunResponse finished;
  const auto finish_run = &v1::Collector::Stub::FinishRun;
  EXPECT_EQ(Ask(finish_run, *collector_, finish, ci_token_, finished).error_code(), kDenied);
  EXPECT_TRUE(Ask(finish_run, *collector_, finish, main_token_, finished).ok());
}

TEST_F(TrustTest, WhoMaySendMayNotRead) {
  const std::string sender = MakeToken("default", "upload");
  v1::ListRunsRequest request;
  request.set_project("default");
  v1::ListRunsResponse response;
  EXPECT_EQ(Ask(&v1::Query::Stub::ListRuns, *query_, request, sender, response).error_code(),
            kDenied);
}

TEST_F(TrustTest, CiCannotAcknowledgeAnythingInAnybodysName) {
  v1::Acknowledgement said;
  EXPECT_EQ(Acknowledge(ci_token_, said).error_code(), kDenied);
  EXPECT_EQ(Acknowledge(main_token_, said).error_code(), kDenied);
  const std::string alice = MakeToken("default", "read,acknowledge", "alice");
  ASSERT_TRUE(Acknowledge(alice, said).ok());
  EXPECT_EQ(said.author(), "alice (token 3)") << "whose token it is, whatever the call says";
}

TEST_F(TrustTest, WhatARevokedTokenSaidIsShownAndTakenBack) {
  const std::string mallory = MakeToken("default", "acknowledge", "mallory");
  const std::string alice = MakeToken("default", "read,acknowledge", "alice");
  const std::string admin = MakeToken("default", "acknowledge,admin", "admin");
  v1::Acknowledgement said;
  ASSERT_TRUE(Acknowledge(mallory, said).ok());
  EXPECT_EQ(RunGprofhub({"token", "revoke", "3", "--data-dir", folder_}).exit_code, 0);
  EXPECT_EQ(Acknowledge(mallory, said).error_code(), kUnauthenticated);

  v1::ListAcknowledgementsRequest list;
  list.set_project("default");
  v1::ListAcknowledgementsResponse listed;
  ASSERT_TRUE(Ask(&v1::Query::Stub::ListAcknowledgements, *query_, list, alice, listed).ok());
  ASSERT_THAT(listed.acknowledgements(), SizeIs(1));
  EXPECT_TRUE(listed.acknowledgements(0).token_revoked());

  v1::TakeBackAcknowledgementRequest request;
  request.set_project("default");
  request.set_id(listed.acknowledgements(0).id());
  v1::Acknowledgement taken;
  const auto take_back = &v1::Query::Stub::TakeBackAcknowledgement;
  EXPECT_EQ(Ask(take_back, *query_, request, alice, taken).error_code(), kDenied);
  ASSERT_TRUE(Ask(take_back, *query_, request, admin, taken).ok());
  EXPECT_EQ(taken.taken_back_by(), "admin (token 5)");
  listed.Clear();
  ASSERT_TRUE(Ask(&v1::Query::Stub::ListAcknowledgements, *query_, list, alice, listed).ok());
  EXPECT_THAT(listed.acknowledgements(), SizeIs(0));
}

TEST_F(TrustTest, AFloodOfRefusedCallsIsAFewRowsOfTheLog) {
  v1::FindMissingBlobsRequest asked;
  asked.set_project("default");
  for (int i = 0; i < 500; ++i) {
    v1::FindMissingBlobsResponse missing;
    const std::string guess = absl::StrCat("gph_", absl::Hex(i, absl::kZeroPad16));
    EXPECT_EQ(Ask(&v1::Collector::Stub::FindMissingBlobs, *collector_, asked, guess, missing)
                  .error_code(),
              kUnauthenticated);
  }
  EXPECT_EQ(server_.Stop().exit_code, 0);
  const std::string log = Audit();
  size_t rows = 0;
  for (size_t at = log.find("refused "); at != std::string::npos;
       at = log.find("refused ", at + 1)) {
    ++rows;
  }
  EXPECT_GE(rows, 2u) << log;
  EXPECT_LE(rows, 30u) << log << "a row a minute and kind";
  EXPECT_THAT(log, HasSubstr("FindMissingBlobs"));
}

TEST_F(TrustTest, TheLogSaysWhoSentARunAndFromWhere) {
  ASSERT_TRUE(Upload(FaultTestUpload(1), main_token_).ok());
  const std::string log = Audit();
  EXPECT_THAT(log, HasSubstr("run.create run 1"));
  EXPECT_THAT(log, HasSubstr("main (token 1)"));
  EXPECT_THAT(log, HasSubstr("127.0.0.1"));
  EXPECT_THAT(log, HasSubstr("token.create token 2"));
}

}  // namespace
}  // namespace gprofhub::tests
