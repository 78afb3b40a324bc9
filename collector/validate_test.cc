#include "collector/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "collector/testing/sample_upload.h"
#include "profile/codec/message.h"
#include "profile/gmon/writer.h"
#include "profile/testing/sample_profile.h"
#include "proto/status_details.pb.h"
#include "store/testing/temp_store.h"

namespace gprofhub::collector {

namespace {

TEST(FieldError, NamesTheFieldInTheMessageAndTheDetails) {
  const absl::Status status = FieldError("header.run.commit", "is missing");
  EXPECT_EQ(status, FieldError("header.run.commit", "is missing"));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "header.run.commit: is missing");
  const auto payload = status.GetPayload(kBadRequestUrl);
  ASSERT_TRUE(payload.has_value());
  v1::BadRequest details;
  ASSERT_TRUE(details.ParseFromString(std::string(*payload)));
  ASSERT_EQ(details.field_violations_size(), 1);
  EXPECT_EQ(details.field_violations(0).field(), "header.run.commit");
  EXPECT_EQ(details.field_violations(0).description(), "is missing");
}

TEST(FieldError, ASizeOverTheLimitIsAnErrorOfItsOwn) {
  EXPECT_EQ(FieldTooLarge("chunk.data", "has 9 bytes").code(),
            absl::StatusCode::kResourceExhausted);
}

using ::testing::HasSubstr;

TEST(CheckBundle, GivesTheSymbolsWithoutTheirLines) {
  const profile::SymbolTable sample = profile::SampleSymbols(1);
  const auto symbols = CheckBundle("bundle", profile::SampleBundle(1), {});
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_EQ(symbols->functions.size(), sample.functions.size());
  EXPECT_TRUE(symbols->lines.empty());
}

TEST(CheckBundle, RefusesWhatIsNoBundle) {
  EXPECT_THAT(std::string(CheckBundle("bundle", "bytes", {}).status().message()),
              HasSubstr("bundle: "));
}

TEST(CheckCountedProfile, TakesAGmonFileOfTheImage) {
  const profile::SymbolTable image = profile::SampleSymbols(1);
  EXPECT_TRUE(CheckCountedProfile("profile", profile::SampleGmon(7), "gmon.7", image, {}).ok());
  const absl::Status status = CheckCountedProfile("profile", "bytes", "gmon.7", image, {});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("profile: not a valid profile of "));
}

TEST(CheckCountedProfile, RefusesARecordingThatHasNothingOfTheImage) {
  const absl::Status status =
      CheckCountedProfile("profile", profile::PackRecording(profile::OrderlyRecording()),
                          "a.7.gprofhub", profile::SampleSymbols(1), {});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(profile::SampleSymbols(1).build_id));
}

TEST(CheckSampledProfile, RefusesBytesThatAreNoStacks) {
  EXPECT_THAT(
      std::string(CheckSampledProfile("profile", "bytes", "p.stacks", profile::SampleSymbols(1), {})
                      .message()),
      HasSubstr("profile: p.stacks"));
}

}  // namespace

// Contents of uploads: profiles and bundles must be readable and belong together.

namespace {

// Stacks in main, which called sum from 0x1010.
std::string SampleStacks() {
  profile::ImageStacks stacks;
  stacks.functions = {0x1000, 0x1200};
  stacks.frames = {{1, 0x10}, {2, 0}};
  stacks.stacks = {{2, 7}};
  return profile::EncodeStacks(stacks);
}

TEST_F(UploadSessionTest, StoresSampledStacksAsARunOfThatKind) {
  upload_.header.mutable_run()->set_profile_kind(v1::SAMPLED);
  ReplaceProfile(upload_, 0, SampleStacks());
  const auto response = Send(upload_);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(store::RunsIn(store_.reading)[0].profile_kind, store::ProfileKind::kSampled);
}

TEST_F(UploadSessionTest, RefusesProfilesOfAnotherKindThanTheRuns) {
  upload_.header.mutable_run()->set_profile_kind(v1::SAMPLED);
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data: gmon.17: not a zstd frame");
  ReplaceProfile(upload_, 0, profile::PackRecording("a recording"));
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data: ");
  upload_.header.mutable_run()->set_profile_kind(v1::COUNTED);
  ReplaceProfile(upload_, 0, SampleStacks());
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data: ");
}

TEST_F(UploadSessionTest, RefusesSampledStacksOfFunctionsThatTheImageHasNot) {
  upload_.header.mutable_run()->set_profile_kind(v1::SAMPLED);
  profile::ImageStacks stacks;
  stacks.functions = {0x1010};
  stacks.frames = {{1, 0}};
  stacks.stacks = {{1, 7}};
  ReplaceProfile(upload_, 0, profile::EncodeStacks(stacks));
  ExpectRefused(upload_, kInvalid,
                "function_delta, row 0: no function of query_test begins at 0x1010");
}

TEST_F(UploadSessionTest, RefusesBytesThatAreNoProfile) {
  ReplaceProfile(upload_, 0, "#!/bin/sh\necho hello, I am not a profile\n");
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data: not a valid profile of query_test");
}

TEST_F(UploadSessionTest, RefusesAProfileCutShortNamingFileAndOffset) {
  ReplaceProfile(upload_, 0, profile::SampleGmon(7).substr(0, 60));
  ExpectRefused(upload_, kInvalid, "gmon.17");
}

TEST_F(UploadSessionTest, RefusesAProfileThatAnnouncesMoreThanItHas) {
  // A histogram of 2^32-1 bins in 60 bytes: it must not be allocated.
  std::string gmon = profile::SampleGmon(7).substr(0, 20 + 1 + 40);
  gmon.replace(20 + 1 + 16, 4, "\xFF\xFF\xFF\xFF");
  ReplaceProfile(upload_, 0, gmon);
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data");
}

TEST_F(UploadSessionTest, RefusesAProfileOfAForeignArchitecture) {
  profile::RawProfile profile = profile::SampleProfile(7);
  ReplaceProfile(upload_, 0, *profile::WriteGmon(profile, {.address_size = 4, .big_endian = true}));
  ExpectRefused(upload_, kInvalid, "not a valid profile of query_test (x86_64)");
}

TEST_F(UploadSessionTest, RefusesAProfileOfAnotherBinary) {
  profile::RawProfile profile = profile::SampleProfile(7);
  profile.histograms[0].low_pc += 0x10000000;
  profile.histograms[0].high_pc += 0x10000000;
  for (profile::RawArc& arc : profile.arcs) arc.self_pc += 0x10000000;
  ReplaceProfile(upload_, 0, *profile::WriteGmon(profile));
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data");
}

TEST_F(UploadSessionTest, RefusesBytesThatAreNoBundle) {
  ReplaceBundle(upload_, 0, "not a bundle");
  ExpectRefused(upload_, kInvalid, "header.images[0].bundle");
}

TEST_F(UploadSessionTest, RefusesTheBundleOfAnotherImage) {
  ReplaceBundle(upload_, 0, profile::SampleBundle(99));
  ExpectRefused(upload_, kInvalid, "header.images[0].bundle: is the symbol bundle of build-id");
}

TEST_F(UploadSessionTest, RefusesAHeldBlobUnderAWrongBuildId) {
  ASSERT_TRUE(Send(upload_).ok());
  upload_.header.mutable_execution()->set_run_number(2);
  upload_.header.mutable_images(0)->set_build_id("00112233");
  upload_.header.mutable_profiles(0)->set_build_id("00112233");
  upload_.chunks.clear();
  const auto response = Send(upload_);
  EXPECT_TRUE(absl::IsInvalidArgument(response.status())) << response.status();
  EXPECT_EQ((*store_.reading.ListTargets(1))[0].executions, 1u);
}

TEST_F(UploadSessionTest, RefusesAHeldBundleAsAProfile) {
  ASSERT_TRUE(Send(upload_).ok());
  upload_.header.mutable_execution()->set_run_number(2);
  *upload_.header.mutable_profiles(0)->mutable_data() = upload_.header.images(0).bundle();
  upload_.chunks.clear();
  EXPECT_TRUE(absl::IsInvalidArgument(Send(upload_).status()));
}

const std::string kCommit(40, 'a');
const std::string kHash(64, 'b');
const std::string kBuildId = "0123456789abcdef";

v1::UploadHeader GoodHeader() {
  v1::UploadHeader header;
  v1::RunInfo& run = *header.mutable_run();
  run.set_project("team/project-1.0_x");
  run.set_run_key("5f9c…");
  run.set_commit(kCommit);
  run.set_branch("feature/größer");
  run.set_base_commit(std::string(64, 'f'));
  run.add_ancestors(kCommit);
  run.set_pull_request("4711");
  run.set_ci_link("https://ci.example.org/job/7?x=1#log");
  run.set_configuration("k8-opt");
  run.set_started_unix_ms(1'700'000'000'000);
  v1::ExecutionInfo& execution = *header.mutable_execution();
  execution.set_target("//db:query_test");
  execution.set_run_number(1);
  execution.set_shard(1);
  execution.set_attempt(1);
  execution.set_status("PASSED");
  v1::ImageRef& image = *header.add_images();
  image.set_build_id(kBuildId);
  image.mutable_bundle()->set_sha256(kHash);
  image.mutable_bundle()->set_size(10);
  v1::ProfileRef& profile = *header.add_profiles();
  profile.set_process("gmon.17");
  profile.set_build_id(kBuildId);
  profile.mutable_data()->set_sha256(std::string(64, 'c'));
  profile.mutable_data()->set_size(20);
  return header;
}

TEST(ValidateHeaderTest, TakesAGoodHeader) {
  EXPECT_TRUE(ValidateHeader(GoodHeader(), UploadLimits()).ok());
}

TEST(ValidateHeaderTest, TakesLabelsOfOtherRepositories) {
  v1::UploadHeader header = GoodHeader();
  for (const char* label : {"//:top", "@zlib//test:all test", "@@r~1//a/b:c.d", "//a+b:=x"}) {
    header.mutable_execution()->set_target(label);
    EXPECT_TRUE(ValidateHeader(header, UploadLimits()).ok()) << label;
  }
}

struct BadHeader {
  const char* name;
  const char* field;  // the field that the error must name
  std::function<void(v1::UploadHeader&)> spoil;
  absl::StatusCode code = absl::StatusCode::kInvalidArgument;
};

class BadHeaderTest : public testing::TestWithParam<BadHeader> {};

TEST_P(BadHeaderTest, IsRefusedNamingTheField) {
  v1::UploadHeader header = GoodHeader();
  GetParam().spoil(header);
  const absl::Status status = ValidateHeader(header, UploadLimits());
  EXPECT_EQ(status.code(), GetParam().code) << status;
  EXPECT_TRUE(absl::StartsWith(status.message(), std::string(GetParam().field) + ": ")) << status;
  v1::BadRequest details;
  ASSERT_TRUE(status.GetPayload(kBadRequestUrl).has_value());
  ASSERT_TRUE(details.ParseFromString(std::string(*status.GetPayload(kBadRequestUrl))));
  EXPECT_EQ(details.field_violations(0).field(), GetParam().field);
}

void Repeat(int times, const std::function<void()>& action) {
  for (int i = 0; i < times; ++i) action();
}

const BadHeader kBadHeaders[] = {
    {"ProjectMissing", "header.run.project", [](auto& h) { h.mutable_run()->clear_project(); }},
    {"ProjectWithSpace", "header.run.project",
     [](auto& h) { h.mutable_run()->set_project("a b"); }},
    {"ProjectTooLong", "header.run.project",
     [](auto& h) { h.mutable_run()->set_project(std::string(101, 'p')); }},
    {"RunKeyMissing", "header.run.run_key", [](auto& h) { h.mutable_run()->clear_run_key(); }},
    {"RunKeyTooLong", "header.run.run_key",
     [](auto& h) { h.mutable_run()->set_run_key(std::string(201, 'k')); }},
    {"CommitMissing", "header.run.commit", [](auto& h) { h.mutable_run()->clear_commit(); }},
    {"CommitShort", "header.run.commit",
     [](auto& h) { h.mutable_run()->set_commit(std::string(39, 'a')); }},
    {"CommitUpperCase", "header.run.commit",
     [](auto& h) { h.mutable_run()->set_commit(std::string(40, 'A')); }},
    {"BranchNotUtf8", "header.run.branch", [](auto& h) { h.mutable_run()->set_branch("\xC3("); }},
    {"BranchOverlongUtf8", "header.run.branch",
     [](auto& h) { h.mutable_run()->set_branch("\xC0\xAF"); }},
    {"BranchSurrogate", "header.run.branch",
     [](auto& h) { h.mutable_run()->set_branch("\xED\xA0\x80"); }},
    {"BranchBeyondUnicode", "header.run.branch",
     [](auto& h) { h.mutable_run()->set_branch("\xF4\x90\x80\x80"); }},
    {"BranchCutUtf8", "header.run.branch",
     [](auto& h) { h.mutable_run()->set_branch("a\xE2\x82"); }},
    {"BranchWithEscape", "header.run.branch",
     [](auto& h) { h.mutable_run()->set_branch("a\x1B[2J"); }},
    {"BaseCommitBad", "header.run.base_commit",
     [](auto& h) { h.mutable_run()->set_base_commit("main"); }},
    {"AncestorBad", "header.run.ancestors[1]", [](auto& h) { h.mutable_run()->add_ancestors(""); }},
    {"AncestorsTooMany", "header.run.ancestors",
     [](auto& h) { Repeat(1000, [&h] { h.mutable_run()->add_ancestors(kCommit); }); }},
    {"PullRequestMarkup", "header.run.pull_request",
     [](auto& h) { h.mutable_run()->set_pull_request("<b>"); }},
    {"SubjectTooLong", "header.run.commit_subject",
     [](auto& h) { h.mutable_run()->set_commit_subject(std::string(501, 's')); }},
    {"TitleWithEscape", "header.run.title",
     [](auto& h) { h.mutable_run()->set_title("a\x1B[2J"); }},
    {"AuthorNotUtf8", "header.run.author", [](auto& h) { h.mutable_run()->set_author("\xE9"); }},
    {"LinkJavascript", "header.run.ci_link",
     [](auto& h) { h.mutable_run()->set_ci_link("javascript:alert(1)"); }},
    {"LinkWithPassword", "header.run.ci_link",
     [](auto& h) { h.mutable_run()->set_ci_link("https://user:secret@ci.example.org/"); }},
    {"LinkWithoutHost", "header.run.ci_link",
     [](auto& h) { h.mutable_run()->set_ci_link("https:///x"); }},
    {"LinkWithSpace", "header.run.ci_link",
     [](auto& h) { h.mutable_run()->set_ci_link("https://ci.example.org/a b"); }},
    {"LinkWithBackslash", "header.run.ci_link",
     [](auto& h) { h.mutable_run()->set_ci_link("https://ci.example.org\\@evil.example/"); }},
    {"ConfigurationTooLong", "header.run.configuration",
     [](auto& h) { h.mutable_run()->set_configuration(std::string(201, 'c')); }},
    {"ProfileKindUnknown", "header.run.profile_kind",
     [](auto& h) { h.mutable_run()->set_profile_kind(static_cast<v1::ProfileKind>(7)); }},
    {"StartedMissing", "header.run.started_unix_ms",
     [](auto& h) { h.mutable_run()->clear_started_unix_ms(); }},
    {"StartedInMicroseconds", "header.run.started_unix_ms",
     [](auto& h) { h.mutable_run()->set_started_unix_ms(1'700'000'000'000'000); }},
    {"CommitTimeNegative", "header.run.commit_unix_ms",
     [](auto& h) { h.mutable_run()->set_commit_unix_ms(-1); }},
    {"TargetMissing", "header.execution.target",
     [](auto& h) { h.mutable_execution()->clear_target(); }},
    {"TargetNoLabel", "header.execution.target",
     [](auto& h) { h.mutable_execution()->set_target("query_test"); }},
    {"TargetWithoutName", "header.execution.target",
     [](auto& h) { h.mutable_execution()->set_target("//db:"); }},
    {"TargetRepositoryWithoutAt", "header.execution.target",
     [](auto& h) { h.mutable_execution()->set_target("zlib//db:x"); }},
    {"TargetColonInRepository", "header.execution.target",
     [](auto& h) { h.mutable_execution()->set_target("@a:b//db"); }},
    {"TargetWithNewline", "header.execution.target",
     [](auto& h) { h.mutable_execution()->set_target("//db:a\nb"); }},
    {"RunNumberZero", "header.execution.run_number",
     [](auto& h) { h.mutable_execution()->set_run_number(0); }},
    {"ShardZero", "header.execution.shard", [](auto& h) { h.mutable_execution()->set_shard(0); }},
    {"AttemptHuge", "header.execution.attempt",
     [](auto& h) { h.mutable_execution()->set_attempt(1'000'001); }},
    {"StatusMissing", "header.execution.status",
     [](auto& h) { h.mutable_execution()->clear_status(); }},
    {"DigestWithSpace", "header.execution.test_binary_digest",
     [](auto& h) { h.mutable_execution()->set_test_binary_digest("a b"); }},
    {"BuildIdOdd", "header.images[0].build_id",
     [](auto& h) { h.mutable_images(0)->set_build_id("012345678"); }},
    {"BuildIdTwice", "header.images[1].build_id", [](auto& h) { *h.add_images() = h.images(0); }},
    {"BundleHashShort", "header.images[0].bundle.sha256",
     [](auto& h) { h.mutable_images(0)->mutable_bundle()->set_sha256("abc"); }},
    {"BundleEmpty", "header.images[0].bundle.size",
     [](auto& h) { h.mutable_images(0)->mutable_bundle()->set_size(0); }},
    {"BundleTooLarge", "header.images[0].bundle.size",
     [](auto& h) { h.mutable_images(0)->mutable_bundle()->set_size((256u << 20) + 1); },
     absl::StatusCode::kResourceExhausted},
    {"GmonTooLarge", "header.profiles[0].data.size",
     [](auto& h) { h.mutable_profiles(0)->mutable_data()->set_size((64u << 20) + 1); },
     absl::StatusCode::kResourceExhausted},
    {"GmonSizeAllBits", "header.profiles[0].data.size",
     [](auto& h) { h.mutable_profiles(0)->mutable_data()->set_size(~uint64_t{0}); },
     absl::StatusCode::kResourceExhausted},
    {"BlobOfTwoSizes", "header.profiles[0].data.size",
     [](auto& h) { h.mutable_profiles(0)->mutable_data()->set_sha256(kHash); }},
    {"ProfileOfUnknownImage", "header.profiles[0].build_id",
     [](auto& h) { h.mutable_profiles(0)->set_build_id("ffffffffffffffff"); }},
    {"ProcessMissing", "header.profiles[0].process",
     [](auto& h) { h.mutable_profiles(0)->clear_process(); }},
    {"ProcessTwice", "header.profiles[1].process",
     [](auto& h) { *h.add_profiles() = h.profiles(0); }},
    {"ProfilesTooMany", "header.profiles",
     [](auto& h) { Repeat(10'000, [&h] { h.add_profiles(); }); }},
    {"ImagesTooMany", "header.images", [](auto& h) { Repeat(1'000, [&h] { h.add_images(); }); }},
};

INSTANTIATE_TEST_SUITE_P(All, BadHeaderTest, testing::ValuesIn(kBadHeaders),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ValidateFindMissingTest, TakesTenThousandBlobsAndNoMore) {
  v1::FindMissingBlobsRequest request;
  request.set_project("p");
  for (int i = 0; i < 10'000; ++i) {
    v1::BlobRef& blob = *request.add_blobs();
    blob.set_sha256(kHash);
    blob.set_size(1);
  }
  EXPECT_TRUE(ValidateFindMissing(request, UploadLimits()).ok());
  request.add_blobs();
  EXPECT_TRUE(absl::IsInvalidArgument(ValidateFindMissing(request, UploadLimits())));
}

TEST(ValidateFindMissingTest, NamesTheBadHash) {
  v1::FindMissingBlobsRequest request;
  request.set_project("p");
  request.add_blobs()->set_sha256(std::string(64, 'G'));
  const absl::Status status = ValidateFindMissing(request, UploadLimits());
  EXPECT_TRUE(absl::StartsWith(status.message(), "blobs[0].sha256: ")) << status;
}

}  // namespace

}  // namespace gprofhub::collector
