#include "ci/upload/results/testlogs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "ci/upload/results/output_names.h"
#include "ci/upload/testing/test_files.h"

namespace gprofhub::ci {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::string CacheUri(const std::string& bytes) {
  return absl::StrCat("bytestream://host/instance/blobs/", base::Sha256Hex(bytes), "/",
                      bytes.size());
}

TestAttempt RemoteAttempt(const std::string& label, const std::string& bytes) {
  TestAttempt attempt;
  attempt.label = ApparentLabel(label);
  attempt.folder = FolderOfLabel(label);
  attempt.configuration = "k8-opt-gprof";
  attempt.remote_outputs = {CacheUri(bytes)};
  return attempt;
}

TEST(FindOutputsHere, DownloadedOutputsAreUsed) {
  const std::string workspace = MakeTestFolder("downloaded");
  const std::string out = workspace + "/bazel-out/k8-opt-gprof";
  const auto path = [&](const std::string& file, const std::string& bytes) {
    WriteTestFile(out + "/" + file, bytes);
    return out + "/" + file;
  };
  std::vector<std::pair<TestAttempt, std::string>> cases;
  cases.emplace_back(RemoteAttempt("//a/b:t", "plain"),
                     path("testlogs/a/b/t/test.outputs/outputs.zip", "plain"));
  cases.emplace_back(RemoteAttempt("//:t", "top"),
                     path("testlogs/t/test.outputs/outputs.zip", "top"));
  cases.emplace_back(RemoteAttempt("@@r+//a:x/t", "external"),
                     path("testlogs/external/r+/a/x/t/test.outputs/outputs.zip", "external"));
  cases.emplace_back(RemoteAttempt("//a:s", "shard"),
                     path("testlogs/a/s/shard_2_of_3/test.outputs/outputs.zip", "shard"));
  cases.back().first.shard = 2;
  cases.emplace_back(RemoteAttempt("//a:s", "both"),
                     path("testlogs/a/s/shard_1_of_2_run_2_of_4/test.outputs/outputs.zip", "both"));
  cases.back().first.run = 2;
  cases.emplace_back(RemoteAttempt("//a:f", "first"),
                     path("testlogs/a/f/test_attempts/attempt_1.outputs/outputs.zip", "first"));
  path("testlogs/a/f/test.outputs/outputs.zip", "secnd");
  path("bin/a/b/t", "program");
  path("bin/a/b/t.gprofhub-symbols", "symbols");
  std::vector<TestAttempt> attempts;
  for (const auto& [attempt, file] : cases) attempts.push_back(attempt);
  FindOutputsHere(workspace, attempts);
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_THAT(attempts[i].outputs, ElementsAre(cases[i].second));
    EXPECT_THAT(attempts[i].remote_outputs, IsEmpty());
  }
  EXPECT_THAT(attempts[0].executables, ElementsAre(out + "/bin/a/b/t"));
  EXPECT_THAT(attempts[0].symbol_bundles, ElementsAre(out + "/bin/a/b/t.gprofhub-symbols"));
}

TEST(FindOutputsHere, DownloadedFilesAreUsed) {
  const std::string workspace = MakeTestFolder("downloaded_files");
  const std::string logs = workspace + "/bazel-out/k8-opt-gprof/testlogs/";
  WriteTestFile(logs + "external/r+/a/t/test.outputs/gprofhub.cases/x y/b.1.gprofhub", "case");
  WriteTestFile(logs + "external/r+/a/t/shard_2_of_3/test.outputs/gmon.out", "shard");
  WriteTestFile(logs + "external/r+/a/secret.gprofhub", "secret");
  TestAttempt attempt = RemoteAttempt("@@r+//a:t", "");
  attempt.remote_outputs.clear();
  attempt.remote_output_files = {{"gprofhub.cases/x y/b.1.gprofhub", CacheUri("case")},
                                 {"../../secret.gprofhub", CacheUri("secret")},
                                 {"absent.gprofhub", CacheUri("absent")}};
  TestAttempt shard = attempt;
  shard.shard = 2;
  shard.remote_output_files = {{"gmon.out", CacheUri("shard")}};
  std::vector<TestAttempt> attempts = {attempt, shard};
  FindOutputsHere(workspace, attempts);
  ASSERT_THAT(attempts[0].output_files, SizeIs(1));
  EXPECT_EQ(attempts[0].output_files[0].name, "gprofhub.cases/x y/b.1.gprofhub");
  EXPECT_EQ(attempts[0].output_files[0].place,
            logs + "external/r+/a/t/test.outputs/gprofhub.cases/x y/b.1.gprofhub");
  EXPECT_THAT(attempts[0].remote_output_files, SizeIs(2));
  ASSERT_THAT(attempts[1].output_files, SizeIs(1));
  EXPECT_THAT(attempts[1].remote_output_files, IsEmpty());
}

TEST(FindOutputsHere, OutputsOfAnotherBuildAreNot) {
  const std::string workspace = MakeTestFolder("other");
  WriteTestFile(workspace + "/bazel-testlogs/a/t/test.outputs/outputs.zip", "other");
  for (const std::string& uri :
       {CacheUri("plain"), CacheUri("longer"), std::string("bytestream://host"), std::string()}) {
    TestAttempt attempt = RemoteAttempt("//a:t", "");
    attempt.remote_outputs = {uri};
    std::vector<TestAttempt> attempts = {attempt};
    FindOutputsHere(workspace, attempts);
    EXPECT_THAT(attempts[0].outputs, IsEmpty());
    EXPECT_THAT(attempts[0].remote_outputs, ElementsAre(uri));
  }
  std::vector<TestAttempt> same = {RemoteAttempt("//a:t", "other")};
  same[0].configuration = "";
  FindOutputsHere(workspace, same);
  EXPECT_THAT(same[0].outputs, SizeIs(1));
}

std::string MakeTree(const std::string& test, const std::vector<std::string>& files) {
  const std::string root = MakeTestFolder(test) + "/bazel-out/k8-opt/testlogs";
  for (const std::string& file : files) WriteTestFile(absl::StrCat(root, "/", file), "x");
  return root;
}

// Makes a file older than files with unchanged times.
void MakeOld(const std::string& path) {
  std::filesystem::last_write_time(path,
                                   std::filesystem::last_write_time(path) - std::chrono::hours(1));
}

std::vector<std::string> Descriptions(const TestLogs& logs) {
  std::vector<std::string> descriptions;
  for (const TestAttempt& attempt : logs.attempts) descriptions.push_back(Describe(attempt));
  return descriptions;
}

TEST(TestLogs, PlainTestIsFoundWithItsExecutable) {
  const std::string root =
      MakeTree("plain", {"a/b/x_test/test.outputs/outputs.zip", "a/b/x_test/test.log"});
  const auto logs = FindInTestLogs(root);
  ASSERT_TRUE(logs.ok()) << logs.status();
  ASSERT_THAT(Descriptions(*logs), ElementsAre("//a/b:x_test run 1 shard 1 attempt 1"));
  const TestAttempt& attempt = logs->attempts[0];
  EXPECT_EQ(attempt.configuration, "k8-opt");
  EXPECT_EQ(attempt.status, "NO_STATUS");
  EXPECT_THAT(attempt.outputs, ElementsAre(root + "/a/b/x_test/test.outputs/outputs.zip"));
  EXPECT_THAT(attempt.executables,
              ElementsAre(root.substr(0, root.rfind('/')) + "/bin/a/b/x_test"));
}

TEST(TestLogs, ShardsRunsAndAttemptsAreTold) {
  const auto logs = FindInTestLogs(MakeTree(
      "layouts",
      {"p/s/shard_1_of_2/test.outputs/outputs.zip", "p/s/shard_2_of_2/test.outputs/outputs.zip",
       "p/r/run_2_of_2/test.outputs/outputs.zip",
       "p/b/shard_2_of_3_run_4_of_5/test.outputs/outputs.zip", "p/f/test.outputs/outputs.zip",
       "p/f/test_attempts/attempt_1.outputs/outputs.zip",
       "external/lib/q/e/test.outputs/outputs.zip", "root_test/test.outputs/outputs.zip"}));
  ASSERT_TRUE(logs.ok()) << logs.status();
  EXPECT_THAT(Descriptions(*logs),
              ElementsAre("//:root_test run 1 shard 1 attempt 1", "//p:b run 4 shard 2 attempt 1",
                          "//p:f run 1 shard 1 attempt 1", "//p:f run 1 shard 1 attempt 2",
                          "//p:r run 2 shard 1 attempt 1", "//p:s run 1 shard 1 attempt 1",
                          "//p:s run 1 shard 2 attempt 1", "@lib//q:e run 1 shard 1 attempt 1"));
  EXPECT_EQ(logs->attempts[2].status, "FAILED");
  EXPECT_THAT(logs->notes, IsEmpty());
}

TEST(TestLogs, UnzippedOutputsAreTakenAsAFolder) {
  const std::string root = MakeTree("folder", {"p/t/test.outputs/gmon.out"});
  const auto logs = FindInTestLogs(root);
  ASSERT_TRUE(logs.ok());
  ASSERT_THAT(logs->attempts, SizeIs(1));
  EXPECT_THAT(logs->attempts[0].outputs, ElementsAre(root + "/p/t/test.outputs"));
}

TEST(TestLogs, OutputsOfAnEarlierLayoutAreLeftOut) {
  const std::string root =
      MakeTree("stale", {"p/t/test.outputs/outputs.zip", "p/t/run_1_of_2/test.outputs/outputs.zip",
                         "p/t/run_2_of_2/test.outputs/outputs.zip"});
  MakeOld(root + "/p/t/test.outputs/outputs.zip");
  const auto logs = FindInTestLogs(root);
  ASSERT_TRUE(logs.ok());
  EXPECT_THAT(Descriptions(*logs),
              ElementsAre("//p:t run 1 shard 1 attempt 1", "//p:t run 2 shard 1 attempt 1"));
  EXPECT_THAT(logs->notes, SizeIs(1));
}

TEST(TestLogs, OutputsOfAnEarlierVersionOfBazelAreLeftOut) {
  const std::string root = MakeTree("versions", {"external/lib~/p/t/test.outputs/outputs.zip",
                                                 "external/lib+/p/t/test.outputs/sub/gmon.out"});
  MakeOld(root + "/external/lib~/p/t/test.outputs/outputs.zip");
  const auto logs = FindInTestLogs(root);
  ASSERT_TRUE(logs.ok());
  ASSERT_THAT(Descriptions(*logs), ElementsAre("@lib//p:t run 1 shard 1 attempt 1"));
  EXPECT_THAT(logs->attempts[0].outputs, ElementsAre(root + "/external/lib+/p/t/test.outputs"));
  EXPECT_THAT(logs->attempts[0].executables,
              ElementsAre(root.substr(0, root.rfind('/')) + "/bin/external/lib+/p/t"));
  EXPECT_THAT(logs->notes, SizeIs(1));
}

TEST(TestLogs, FoldersThatTestsWroteAreNotTakenForTests) {
  const auto logs = FindInTestLogs(
      MakeTree("nested", {"p/t/test.outputs/q/u/test.outputs/outputs.zip",
                          "p/t/test.outputs/outputs.zip", "p/u/test.log", "p/v/bad.outputs/x"}));
  ASSERT_TRUE(logs.ok());
  EXPECT_THAT(Descriptions(*logs), ElementsAre("//p:t run 1 shard 1 attempt 1"));
}

TEST(TestLogs, AbsentTreeIsNotFound) {
  EXPECT_EQ(FindInTestLogs("/nonexistent/bazel-testlogs").status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace

}  // namespace gprofhub::ci
