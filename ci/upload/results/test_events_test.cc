#include "ci/upload/results/test_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ci/upload/testing/test_files.h"
#include "proto/build_events.pb.h"

namespace gprofhub::ci {

namespace {

using testing::HasSubstr;

BuildLog MustParse(const std::string& name) {
  absl::StatusOr<BuildLog> log = ParseBuildEvents(ReadTestFile(name), name);
  EXPECT_TRUE(log.ok()) << log.status();
  return log.ok() ? *std::move(log) : BuildLog();
}

std::string Event(const build_events::BuildEvent& event) {
  const std::string bytes = event.SerializeAsString();
  EXPECT_LT(bytes.size(), 128u);
  return std::string(1, static_cast<char>(bytes.size())) + bytes;
}

std::string Started() {
  build_events::BuildEvent event;
  event.mutable_started()->set_uuid("u");
  return Event(event);
}

std::string Last() {
  build_events::BuildEvent event;
  event.set_last_message(true);
  return Event(event);
}

TEST(BuildEvents, InvocationIsRead) {
  const BuildLog log = MustParse("sharded_and_flaky.bep");
  EXPECT_EQ(log.invocation_id, "d1422660-75d4-4ea6-940d-8fdf9ac2b41d");
  EXPECT_EQ(log.command, "test");
  EXPECT_EQ(log.workspace_directory, "/home/builder/toy");
  EXPECT_EQ(log.started_unix_ms, 1795303252526);
}

TEST(BuildEvents, EveryShardAndAttemptIsAnExecution) {
  std::vector<std::string> seen;
  const BuildLog log = MustParse("sharded_and_flaky.bep");
  for (const TestAttempt& attempt : log.attempts) {
    seen.push_back(attempt.label + " shard " + std::to_string(attempt.shard) + " attempt " +
                   std::to_string(attempt.attempt) + " " + attempt.status);
    EXPECT_EQ(attempt.configuration, "k8-fastbuild");
    EXPECT_FALSE(attempt.cached);
    EXPECT_GT(attempt.started_unix_ms, log.started_unix_ms);
    EXPECT_GT(attempt.build_ended_unix_ms, attempt.started_unix_ms);
  }
  EXPECT_THAT(seen,
              testing::UnorderedElementsAre("//pkg:flaky_test shard 1 attempt 1 FAILED",
                                            "//pkg:flaky_test shard 1 attempt 2 PASSED",
                                            "//pkg:sharded_test shard 1 attempt 1 PASSED",
                                            "//pkg:sharded_test shard 2 attempt 1 PASSED",
                                            "//pkg:plain_test shard 1 attempt 1 PASSED",
                                            "//pkg:no_profile_test shard 1 attempt 1 PASSED"));
}

TEST(BuildEvents, RunsPerTestAreNumbered) {
  std::vector<std::string> seen;
  for (const TestAttempt& attempt : MustParse("runs_per_test.bep").attempts) {
    seen.push_back(attempt.label + " " + std::to_string(attempt.run) + "/" +
                   std::to_string(attempt.shard));
  }
  EXPECT_THAT(seen,
              testing::UnorderedElementsAre("//pkg:plain_test 1/1", "//pkg:plain_test 2/1",
                                            "//pkg:sharded_test 1/1", "//pkg:sharded_test 1/2",
                                            "//pkg:sharded_test 2/1", "//pkg:sharded_test 2/2"));
}

TEST(BuildEvents, CachedResultsAreMarked) {
  const BuildLog log = MustParse("all_cached.bep");
  EXPECT_FALSE(log.attempts.empty());
  int cached = 0;
  for (const TestAttempt& attempt : log.attempts) cached += attempt.cached;
  EXPECT_GE(cached, 4);
}

TEST(BuildEvents, EveryAttemptHasTheTimeThatItsTestRan) {
  for (const char* name : {"sharded_and_flaky.bep", "all_cached.bep"}) {
    for (const TestAttempt& attempt : MustParse(name).attempts) {
      EXPECT_GT(attempt.duration_ms, 0u) << name << ": " << Describe(attempt);
      EXPECT_LT(attempt.duration_ms, 60'000u) << name << ": " << Describe(attempt);
    }
  }
}

uint32_t DurationOf(int64_t millis, int64_t seconds, int32_t nanos) {
  build_events::BuildEvent event;
  event.mutable_id()->mutable_test_result()->set_label("//a:test");
  build_events::TestResult& result = *event.mutable_test_result();
  result.set_test_attempt_duration_millis(millis);
  result.mutable_test_attempt_duration()->set_seconds(seconds);
  result.mutable_test_attempt_duration()->set_nanos(nanos);
  TestEvents events;
  events.Take(event);
  return events.Attempt(0).duration_ms;
}

TEST(BuildEvents, ATimeIsReadAsOldAndNewBazelSayIt) {
  EXPECT_EQ(DurationOf(1500, 0, 0), 1500u);
  EXPECT_EQ(DurationOf(1500, 1, 500'000'000), 1500u);
  EXPECT_EQ(DurationOf(0, 1, 500'000'001), 1501u);
  EXPECT_EQ(DurationOf(0, 0, 1), 1u);
  EXPECT_EQ(DurationOf(0, 0, 0), 0u);
}

TEST(BuildEvents, NewTimesArePreferredAndEitherFormSuffices) {
  const auto times = [](int64_t millis, int64_t seconds) {
    build_events::BuildEvent started;
    started.mutable_started()->set_uuid("u");
    started.mutable_started()->set_start_time_millis(millis);
    started.mutable_started()->mutable_start_time()->set_seconds(seconds);
    build_events::BuildEvent result;
    result.mutable_id()->mutable_test_result()->set_label("//a:test");
    result.mutable_test_result()->set_test_attempt_start_millis_epoch(millis);
    result.mutable_test_result()->mutable_test_attempt_start()->set_seconds(seconds);
    result.mutable_test_result()->mutable_test_attempt_start()->set_nanos(999'999);
    build_events::BuildEvent finished;
    finished.mutable_finished()->set_finish_time_millis(millis);
    finished.mutable_finished()->mutable_finish_time()->set_seconds(seconds);
    finished.set_last_message(true);
    const auto log = ParseBuildEvents(Event(started) + Event(result) + Event(finished), "x");
    EXPECT_TRUE(log.ok()) << log.status();
    return std::vector<int64_t>{log->started_unix_ms, log->attempts[0].started_unix_ms,
                                log->attempts[0].build_ended_unix_ms};
  };
  EXPECT_THAT(times(0, 1'700'000'000), testing::Each(1'700'000'000'000));
  EXPECT_THAT(times(1, 1'700'000'000), testing::Each(1'700'000'000'000));
  EXPECT_EQ(times(1'700'000'000'000, 0)[0], 1'700'000'000'000);
  EXPECT_THAT(times(7, -1), testing::Each(7));
  EXPECT_THAT(times(7, std::numeric_limits<int64_t>::max()), testing::Each(7));
}

TEST(BuildEvents, ATimeThatCannotBeIsNotKnown) {
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  for (const auto& [millis, seconds] : {std::pair<int64_t, int64_t>(-1, 0),
                                        {kLargest, 0},
                                        {0, -1},
                                        {0, kLargest},
                                        {0, 5'000'000}}) {
    EXPECT_EQ(DurationOf(millis, seconds, 0), 0u) << millis << " " << seconds;
  }
  EXPECT_EQ(DurationOf(0, 1, -1), 0u);
}

TEST(BuildEvents, OutputsAndExecutableAreNamed) {
  for (const TestAttempt& attempt : MustParse("sharded_and_flaky.bep").attempts) {
    if (attempt.label != "//pkg:plain_test") continue;
    EXPECT_THAT(attempt.executables,
                testing::ElementsAre(
                    "/home/builder/execroot/toy/bazel-out/k8-fastbuild/bin/pkg/plain_test"));
    EXPECT_THAT(attempt.outputs,
                testing::ElementsAre("/home/builder/execroot/toy/bazel-out/k8-fastbuild/testlogs/"
                                     "pkg/plain_test/test.outputs/outputs.zip"));
    EXPECT_THAT(attempt.remote_outputs, testing::IsEmpty());
    return;
  }
  FAIL() << "no //pkg:plain_test";
}

TEST(BuildEvents, EveryTruncationSaysThatTheBuildDidNotEnd) {
  const std::string bytes = ReadTestFile("all_cached.bep");
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto log = ParseBuildEvents(absl::string_view(bytes.data(), size), "x.bep");
    ASSERT_EQ(log.status().code(), absl::StatusCode::kFailedPrecondition)
        << size << ": " << log.status();
    ASSERT_THAT(std::string(log.status().message()), HasSubstr("still running or was interrupted"));
  }
}

TEST(BuildEvents, TruncationNamesFileAndOffset) {
  const auto log = ParseBuildEvents(Started() + std::string("\x50\x01", 2), "ci.bep");
  EXPECT_THAT(std::string(log.status().message()),
              HasSubstr("ci.bep: the event at offset 6 has 80 bytes, but only 1 follow"));
}

TEST(BuildEvents, ForeignFileIsRefused) {
  EXPECT_EQ(ParseBuildEvents("\x04{\"a\"", "x.json").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ParseBuildEvents(std::string(32, '\xff'), "x").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ParseBuildEvents(Last(), "x").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(BuildEvents, FilesOfOtherOptionsAreRefusedByName) {
  const std::string json =
      R"({"id":{"started":{}},"children":[{"progress":{}}],"started":{"uuid":"u"}})";
  const std::string text = "id {\n  started {\n  }\n}\nstarted {\n  uuid: \"u\"\n}\n";
  for (const auto& [bytes, option] : {std::pair(json, "--build_event_json_file"),
                                      std::pair(json + "\n" + json, "--build_event_json_file"),
                                      std::pair(text, "--build_event_text_file")}) {
    const absl::Status status = ParseBuildEvents(bytes, "bep").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(),
              std::string("bep: build events in the format of ") + option +
                  "; run Bazel with --build_event_binary_file instead, and pass that file");
  }
}

TEST(BuildEvents, FileSetsThatContainThemselvesAreReadOnce) {
  build_events::BuildEvent set;
  set.mutable_id()->mutable_named_set()->set_id("0");
  set.mutable_named_set_of_files()->add_files()->set_uri("file:///lib.so");
  set.mutable_named_set_of_files()->add_files()->set_uri("file:///t");
  set.mutable_named_set_of_files()->add_file_sets()->set_id("0");
  build_events::BuildEvent completed;
  completed.mutable_id()->mutable_target_completed()->set_label("//:t");
  auto* group = completed.mutable_completed()->add_output_group();
  group->set_name("default");
  group->add_file_sets()->set_id("0");
  build_events::BuildEvent result;
  result.mutable_id()->mutable_test_result()->set_label("//:t");
  result.mutable_test_result()->set_status(build_events::PASSED);
  const auto log =
      ParseBuildEvents(Started() + Event(set) + Event(completed) + Event(result) + Last(), "x");
  ASSERT_TRUE(log.ok()) << log.status();
  ASSERT_EQ(log->attempts.size(), 1u);
  EXPECT_THAT(log->attempts[0].executables, testing::ElementsAre("/t", "/lib.so"));
}

TEST(BuildEvents, WhatAnAspectMadeIsNotTheTestsProgram) {
  build_events::BuildEvent completed;
  completed.mutable_id()->mutable_target_completed()->set_label("//:t");
  build_events::BuildEvent of_aspect = completed;
  of_aspect.mutable_id()->mutable_target_completed()->set_aspect("lint.bzl%lint");
  of_aspect.mutable_completed();
  auto* group = completed.mutable_completed()->add_output_group();
  group->set_name("default");
  group->add_file_sets()->set_id("0");
  build_events::BuildEvent set;
  set.mutable_id()->mutable_named_set()->set_id("0");
  set.mutable_named_set_of_files()->add_files()->set_uri("file:///t");
  build_events::BuildEvent result;
  result.mutable_id()->mutable_test_result()->set_label("//:t");
  result.mutable_test_result()->set_status(build_events::PASSED);
  const auto log = ParseBuildEvents(
      Started() + Event(set) + Event(completed) + Event(of_aspect) + Event(result) + Last(), "x");
  ASSERT_TRUE(log.ok()) << log.status();
  ASSERT_EQ(log->attempts.size(), 1u);
  EXPECT_THAT(log->attempts[0].executables, testing::ElementsAre("/t"));
}

TEST(BuildEvents, LabelsOfOneEventStreamMayBeWrittenInTwoWays) {
  build_events::BuildEvent completed;
  completed.mutable_id()->mutable_target_completed()->set_label("@//:t");
  auto* group = completed.mutable_completed()->add_output_group();
  group->set_name("default");
  group->add_inline_files()->set_uri("file:///t");
  build_events::BuildEvent result;
  result.mutable_id()->mutable_test_result()->set_label("@@//:t");
  result.mutable_test_result()->set_status(build_events::PASSED);
  build_events::BuildEvent external = result;
  external.mutable_id()->mutable_test_result()->set_label("@@lib+//a:t");
  const auto log = ParseBuildEvents(
      Started() + Event(completed) + Event(result) + Event(external) + Last(), "x");
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_EQ(log->attempts[0].label, "//:t");
  EXPECT_THAT(log->attempts[0].executables, testing::ElementsAre("/t"));
  EXPECT_EQ(log->attempts[1].label, "@lib//a:t");
  EXPECT_EQ(log->attempts[1].folder, "external/lib+/a/t");
}

TEST(BuildEvents, FilesInAnOutputGroupItselfAreRead) {
  build_events::BuildEvent completed;
  completed.mutable_id()->mutable_target_completed()->set_label("//:t");
  auto* group = completed.mutable_completed()->add_output_group();
  group->set_name("default");
  group->add_inline_files()->set_uri("file:///t");
  group = completed.mutable_completed()->add_output_group();
  group->set_name("gprofhub_symbols");
  group->add_inline_files()->set_uri("file:///t.gprofhub-symbols");
  build_events::BuildEvent result;
  result.mutable_id()->mutable_test_result()->set_label("//:t");
  result.mutable_test_result()->set_status(build_events::PASSED);
  const auto log = ParseBuildEvents(Started() + Event(completed) + Event(result) + Last(), "x");
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_THAT(log->attempts[0].executables, testing::ElementsAre("/t"));
  EXPECT_THAT(log->attempts[0].symbol_bundles, testing::ElementsAre("/t.gprofhub-symbols"));
}

// Bazel sends events of an aspect's outputs in any order relative to the test's own events.
TEST(BuildEvents, SymbolBundlesAreThoseOfTheTestsAspect) {
  build_events::BuildEvent set;
  set.mutable_id()->mutable_named_set()->set_id("1");
  set.mutable_named_set_of_files()->add_files()->set_uri("file:///t.gprofhub-symbols");
  set.mutable_named_set_of_files()->add_file_sets()->set_id("2");
  build_events::BuildEvent inner;
  inner.mutable_id()->mutable_named_set()->set_id("2");
  inner.mutable_named_set_of_files()->add_files()->set_uri("file:///lib.gprofhub-symbols");
  inner.mutable_named_set_of_files()->add_files()->set_uri("bytestream://host/blobs/ab/1");
  build_events::BuildEvent made;
  made.mutable_id()->mutable_target_completed()->set_label("//:t");
  made.mutable_id()->mutable_target_completed()->set_aspect("@gprofhub//bazel:symbols.bzl%symbols");
  auto* group = made.mutable_completed()->add_output_group();
  group->set_name("gprofhub_symbols");
  group->add_file_sets()->set_id("1");
  build_events::BuildEvent result;
  result.mutable_id()->mutable_test_result()->set_label("//:t");
  build_events::BuildEvent other = result;
  other.mutable_id()->mutable_test_result()->set_label("//:other");
  result.mutable_test_result()->set_status(build_events::PASSED);
  other.mutable_test_result()->set_status(build_events::PASSED);
  const auto log = ParseBuildEvents(
      Started() + Event(result) + Event(other) + Event(inner) + Event(set) + Event(made) + Last(),
      "x");
  ASSERT_TRUE(log.ok()) << log.status();
  ASSERT_EQ(log->attempts.size(), 2u);
  EXPECT_THAT(log->attempts[0].symbol_bundles,
              testing::ElementsAre("/t.gprofhub-symbols", "/lib.gprofhub-symbols"));
  EXPECT_THAT(log->attempts[0].executables, testing::IsEmpty());
  EXPECT_THAT(log->attempts[1].symbol_bundles, testing::IsEmpty());
}

TEST(BuildEvents, OutputsInARemoteCacheAreNamedAsSuch) {
  build_events::BuildEvent result;
  result.mutable_id()->mutable_test_result()->set_label("//:t");
  auto* output = result.mutable_test_result()->add_test_action_output();
  output->set_name("test.outputs__outputs.zip");
  output->set_uri("bytestream://host/blobs/ab/1");
  result.mutable_test_result()->mutable_execution_info()->set_cached_remotely(true);
  const auto log = ParseBuildEvents(Started() + Event(result) + Last(), "x");
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_THAT(log->attempts[0].outputs, testing::IsEmpty());
  EXPECT_THAT(log->attempts[0].remote_outputs,
              testing::ElementsAre("bytestream://host/blobs/ab/1"));
  EXPECT_TRUE(log->attempts[0].cached);
}

TEST(BuildEvents, FilesOfUndeclaredOutputsAreNamedOneByOne) {
  build_events::BuildEvent result;
  result.mutable_id()->mutable_test_result()->set_label("//:t");
  const auto add = [&result](const std::string& name, const std::string& uri) {
    auto* output = result.mutable_test_result()->add_test_action_output();
    output->set_name(name);
    output->set_uri(uri);
  };
  add("test.log", "file:///l/test.log");
  add("test.outputs_manifest__MANIFEST", "file:///l/test.outputs_manifest/MANIFEST");
  add("test.outputs/a picture.png", "file:///l/test.outputs/a%20picture.png");
  TestEvents events;
  events.Take(result);
  add("test.outputs/gprofhub.cases/BM%2F8/b.1.gprofhub",
      "file:///l/test.outputs/gprofhub.cases/BM%252F8/b.1.gprofhub");
  add("test.outputs/sub/gmon.out", "bytestream://host/blobs/ab/1");
  events.Take(result);
  const TestAttempt without = events.Attempt(0);
  EXPECT_TRUE(without.names_outputs);
  EXPECT_TRUE(without.output_files.empty() && without.remote_output_files.empty());
  const TestAttempt attempt = events.Attempt(1);
  ASSERT_EQ(attempt.output_files.size(), 1u);
  EXPECT_EQ(attempt.output_files[0].name, "gprofhub.cases/BM%2F8/b.1.gprofhub");
  EXPECT_EQ(attempt.output_files[0].place, "/l/test.outputs/gprofhub.cases/BM%2F8/b.1.gprofhub");
  ASSERT_EQ(attempt.remote_output_files.size(), 1u);
  EXPECT_EQ(attempt.remote_output_files[0].name, "sub/gmon.out");
  EXPECT_EQ(attempt.remote_output_files[0].place, "bytestream://host/blobs/ab/1");
  EXPECT_THAT(attempt.outputs, testing::IsEmpty());
  EXPECT_THAT(attempt.remote_outputs, testing::IsEmpty());
}

TEST(PathOfUri, DecodesEscapesAndRefusesOtherSchemes) {
  EXPECT_EQ(PathOfUri("file:///a%20b/c%2fd"), "/a b/c/d");
  EXPECT_EQ(PathOfUri("file:///a%"), "/a%");
  EXPECT_EQ(PathOfUri("file:///a%00b"), "");
  EXPECT_EQ(PathOfUri("bytestream://host/blobs/ab/1"), "");
}

TEST(Cases, AreNamedByTheFolderOfTheirProfiles) {
  EXPECT_EQ(CaseOf("gprofhub.cases/BM_Insert%2F8/bench.12.gprofhub"), "BM_Insert/8");
  EXPECT_EQ(CaseOf("gprofhub.cases/BM_T<int>/sub/bench.12.gprofhub"), "BM_T<int>");
  EXPECT_EQ(CaseOf("gprofhub.cases/100%25/bench.12.gprofhub"), "100%");
  for (const char* other :
       {"bench.12.gprofhub", "sub/bench.12.gprofhub", "gprofhub.cases",
        "gprofhub.cases/bench.12.gprofhub", "a/gprofhub.cases/x/b.1.gprofhub"}) {
    EXPECT_EQ(CaseOf(other), "") << other;
  }
}

}  // namespace

}  // namespace gprofhub::ci
