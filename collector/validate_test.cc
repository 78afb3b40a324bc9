#include "collector/validate.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "absl/strings/match.h"
#include "collector/field_error.h"
#include "proto/status_details.pb.h"

namespace gprofhub::collector {
namespace {

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
