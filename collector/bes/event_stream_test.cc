#include "collector/bes/event_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "collector/bes/remote_caches.h"

namespace gprofhub::collector {

namespace {

using build_events::BuildEvent;

std::optional<BuildEvent> Keep(const BuildEvent& event) {
  const auto kept = KeptEvent(event.SerializeAsString());
  EXPECT_TRUE(kept.ok()) << kept.status();
  return kept.ok() ? *kept : std::nullopt;
}

AttemptSender SenderWith(Scope scope) {
  AttemptSender sender;
  sender.caller.project = "db";
  sender.caller.scopes = Scopes().With(Scope::kUpload).With(scope);
  return sender;
}

TEST(LifecycleEvent, OfAnotherClientsBuildIsRefused) {
  const AttemptSender main = SenderWith(Scope::kUploadMain);
  const AttemptSender pull_request = SenderWith(Scope::kUpload);
  BuildOwners builds;
  FairShare streams(1);
  const EventStreamOffice office = {streams, nullptr, nullptr, nullptr, builds};
  const auto send = [&](const AttemptSender& sender, const std::string& build_id) {
    CallContext context;
    context.caller = sender.caller;
    google::devtools::build::v1::PublishLifecycleEventRequest request;
    request.mutable_build_event()->mutable_stream_id()->set_build_id(build_id);
    return LifecycleEvent(office, std::move(context)).Receive(request.SerializeAsString());
  };
  EXPECT_TRUE(send(main, "b").ok());
  EXPECT_TRUE(absl::IsPermissionDenied(send(pull_request, "b")));
  EXPECT_TRUE(send(main, "b").ok());
  EXPECT_TRUE(send(pull_request, "of the pull request").ok());
  EXPECT_TRUE(builds.Attach("db", "stream", main).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(builds.Attach("db", "stream", pull_request)));
  EXPECT_TRUE(absl::IsPermissionDenied(send(pull_request, "stream")));
  builds.Detach("db", "stream");
  EXPECT_TRUE(absl::IsPermissionDenied(send(pull_request, "stream")));
}

TEST(BuildOwners, KeepTheNewestBuildsAndThoseWithStreams) {
  const AttemptSender main = SenderWith(Scope::kUploadMain);
  const AttemptSender other = SenderWith(Scope::kUpload);
  BuildOwners builds(/*most=*/2);
  EXPECT_TRUE(builds.Attach("db", "open", main).ok());
  for (const char* const id : {"1", "2", "3"}) EXPECT_TRUE(builds.Check("db", id, main).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(builds.Check("db", "open", other)));
  EXPECT_TRUE(absl::IsPermissionDenied(builds.Check("db", "3", other)));
  EXPECT_TRUE(builds.Check("db", "1", other).ok());
  EXPECT_TRUE(builds.Check("web", "3", other).ok());
}

TEST(KeptEvent, SecretsOfTheEnvironmentAreNotKept) {
  BuildEvent event;
  auto& line = *event.mutable_unstructured_command_line();
  line.add_args("--client_env=GITHUB_TOKEN=secret");
  line.add_args("--client_env=GITHUB_SHA=abc");
  const std::optional<BuildEvent> kept = Keep(event);
  ASSERT_TRUE(kept.has_value());
  ASSERT_EQ(kept->unstructured_command_line().args_size(), 1);
  EXPECT_EQ(kept->unstructured_command_line().args(0), "--client_env=GITHUB_SHA=abc");
}

TEST(KeptEvent, TheCommandLineIsKeptWithoutSecrets) {
  BuildEvent event;
  for (const char* argument :
       {"test", "--rc_source=/home/ann/.bazelrc",
        "--default_override=1:test=--remote_header=secret", "--client_cwd=/home/ann",
        "--client_env=TOKEN=secret", "-c", "opt", "--config=gprof", "--nocache_test_results",
        "--remote_header=authorization=secret", "--test_env", "A=secret",
        "--bes_backend=grpc://ann:secret@bes.example", "--jobs", "8", "//db/...", "-//db:slow",
        "--", "secret"}) {
    event.mutable_unstructured_command_line()->add_args(argument);
  }
  EXPECT_THAT(
      Keep(event)->unstructured_command_line().args(),
      ::testing::ElementsAre("test", "-c", "opt", "--config=gprof", "--nocache_test_results",
                             "--remote_header=…", "--test_env", "…", "--bes_backend=…", "--jobs",
                             "8", "//db/...", "-//db:slow", "--", "…"));
}

TEST(KeptEvent, EmptyIdsAreDroppedWithTheirMemory) {
  BuildEvent set;
  build_events::NamedFileSet& files = *set.mutable_named_set_of_files();
  for (int i = 0; i < 20'000; ++i) files.add_file_sets();
  EXPECT_FALSE(Keep(set).has_value());
  files.add_file_sets()->set_id("0");
  EXPECT_EQ(Keep(set)->named_set_of_files().file_sets_size(), 1);
  EXPECT_LT(Keep(set)->SpaceUsedLong(), 2'000u);
  BuildEvent completed;
  build_events::OutputGroup& group = *completed.mutable_completed()->add_output_group();
  group.set_name("gprofhub_symbols");
  for (int i = 0; i < 20'000; ++i) group.add_file_sets();
  EXPECT_LT(Keep(completed)->SpaceUsedLong(), 2'000u);
  BuildEvent configured;
  configured.mutable_configured()->set_test_size(1);
  for (int i = 0; i < 20'000; ++i) {
    configured.add_children()->mutable_target_completed()->mutable_configuration();
  }
  EXPECT_LT(Keep(configured)->SpaceUsedLong(), 2'000u);
}

TEST(KeptEvent, OfFilesOnlySymbolBundlesAndOutputsAreKept) {
  BuildEvent set;
  set.mutable_named_set_of_files()->add_files()->set_name("db/test");
  EXPECT_FALSE(Keep(set).has_value());
  set.mutable_named_set_of_files()->add_files()->set_name("db/test.gprofhub-symbols");
  EXPECT_EQ(Keep(set)->named_set_of_files().files_size(), 1);
  BuildEvent result;
  for (const char* name :
       {"test.log", "test.outputs__outputs.zip", "test.outputs_manifest__MANIFEST"}) {
    result.mutable_test_result()->add_test_action_output()->set_name(name);
  }
  result.mutable_test_result()->set_status(build_events::PASSED);
  ASSERT_EQ(Keep(result)->test_result().test_action_output_size(), 1);
}

TEST(KeptEvent, OfOutputsThatAreNamedOneByOneProfilesAreKept) {
  BuildEvent result;
  const auto add = [&result](const std::string& name) {
    result.mutable_test_result()->add_test_action_output()->set_name(name);
  };
  result.mutable_test_result()->set_status(build_events::PASSED);
  add("test.log");
  add("test.outputs_manifest__MANIFEST");
  EXPECT_EQ(Keep(result)->test_result().test_action_output_size(), 0);
  for (int i = 0; i < 1000; ++i) add("test.outputs/picture_" + std::to_string(i) + ".png");
  const std::optional<BuildEvent> without = Keep(result);
  ASSERT_EQ(without->test_result().test_action_output_size(), 1) << "that there are outputs";
  EXPECT_EQ(Keep(*without)->test_result().test_action_output_size(), 1);
  add("test.outputs/gprofhub.cases/BM%2F8/b.1.gprofhub");
  add("test.outputs/gmon.out");
  const std::optional<BuildEvent> kept = Keep(result);
  ASSERT_EQ(kept->test_result().test_action_output_size(), 2);
  EXPECT_EQ(kept->test_result().test_action_output(0).name(),
            "test.outputs/gprofhub.cases/BM%2F8/b.1.gprofhub");
}

TEST(KeptEvent, OfInlineFilesOnlySymbolBundlesAreKept) {
  BuildEvent completed;
  auto* group = completed.mutable_completed()->add_output_group();
  group->set_name("gprofhub_symbols");
  group->add_inline_files()->set_name("db/test");
  group->add_inline_files()->set_name("db/test.gprofhub-symbols");
  const std::optional<BuildEvent> kept = Keep(completed);
  ASSERT_TRUE(kept.has_value());
  ASSERT_EQ(kept->completed().output_group(0).inline_files_size(), 1);
  EXPECT_EQ(kept->completed().output_group(0).inline_files(0).name(), "db/test.gprofhub-symbols");
}

TEST(KeptEvent, WhereTheLogOfATestIsIsKeptUnlessItPassed) {
  BuildEvent result;
  result.mutable_test_result()->add_test_action_output()->set_name("test.log");
  for (const auto status : {build_events::FAILED, build_events::TIMEOUT}) {
    result.mutable_test_result()->set_status(status);
    EXPECT_EQ(Keep(result)->test_result().test_action_output_size(), 1);
  }
}

TEST(KeptEvent, TheEndIsKeptWhateverEventItComesWith) {
  BuildEvent event;
  EXPECT_FALSE(Keep(event).has_value());
  event.set_last_message(true);
  EXPECT_TRUE(Keep(event)->last_message());
}

TEST(KeptEvent, BytesThatAreNoEventAreRefused) {
  EXPECT_EQ(KeptEvent("\xff\xff\xff").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ParseBytestream, ReadsHashAndSizeWithAndWithoutAnInstance) {
  const std::string hash(64, 'a');
  const auto file = ParseBytestream("bytestream://host:1/blobs/" + hash + "/12");
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->sha256, hash);
  EXPECT_EQ(file->size, 12u);
  EXPECT_TRUE(ParseBytestream("bytestream://host/a/b/blobs/" + hash + "/0").has_value());
  const std::vector<std::string> others = {
      "file:///blobs/" + hash + "/12",
      "bytestream://host/blobs/" + hash + "/-1",
      "bytestream://host/blobs/" + hash + "/99999999999999999999",
      "bytestream://host/blobs/abc/12",
      "bytestream://",
      "bytestream://blobs/" + hash + "/12"};
  for (const std::string& other : others) {
    EXPECT_FALSE(ParseBytestream(other).has_value()) << other;
  }
}

}  // namespace

}  // namespace gprofhub::collector
