// One `bazel test` as Bazel 4.2.3, 7, 8 and 9 report it: each reader returns the same attempts,
// with the same profiles.
#include <gmock/gmock.h>
#include <google/protobuf/util/delimited_message_util.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>
#include <zip.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "ci/upload/results/profile_files.h"
#include "ci/upload/results/test_events.h"
#include "ci/upload/results/testlogs.h"
#include "collector/bes/event_stream.h"
#include "collector/bes/invocation.h"
#include "proto/build_events.pb.h"

namespace gprofhub::tests {
namespace {

namespace fs = std::filesystem;
using build_events::BuildEvent;
using ci::TestAttempt;

const char* const kVersions[] = {"4.2.3", "7.6", "7.6_folders", "8.2", "9.1"};
constexpr char kTestLogs[] = "/execroot/bazel-out/k8-opt-gprof/testlogs";

// Outputs by the folder of their attempt, whose name has the "lib" of the version.
std::map<std::string, std::vector<std::string>> OutputsOf(const std::string& lib) {
  return {{"db/query_test/shard_1_of_2", {"query_test.11.gprofhub"}},
          {"db/query_test/shard_2_of_2", {"query_test.12.gprofhub"}},
          {"db/insert_bench",
           {"a picture.png", "gprofhub.cases/BM_Insert%2F8/insert_bench.7.gprofhub",
            "gprofhub.cases/BM_T<int>=/insert_bench.8.gprofhub"}},
          {absl::StrCat("external/", lib, "/pkg/lib_test"), {"lib_test.21.gprofhub"}}};
}

const std::vector<std::string> kExpected = {
    "//db:query_test run 1 shard 1 attempt 1 PASSED 0 1795303253526 1500 "
    "query_test.11.gprofhub=query_test.11.gprofhub",
    "//db:query_test run 1 shard 2 attempt 1 PASSED 0 1795303254526 1500 "
    "query_test.12.gprofhub=query_test.12.gprofhub",
    "//db:insert_bench run 1 shard 1 attempt 1 PASSED 0 1795303255526 2000 "
    "gprofhub.cases/BM_Insert%2F8/insert_bench.7.gprofhub=gprofhub.cases/BM_Insert%2F8/"
    "insert_bench.7.gprofhub gprofhub.cases/BM_T<int>=/insert_bench.8.gprofhub=gprofhub.cases/"
    "BM_T<int>=/insert_bench.8.gprofhub",
    "@lib//pkg:lib_test run 1 shard 1 attempt 1 FAILED 0 1795303256526 100",
    "@lib//pkg:lib_test run 1 shard 1 attempt 2 PASSED 0 1795303257526 120 "
    "lib_test.21.gprofhub=lib_test.21.gprofhub",
    "//db:plain_test run 1 shard 1 attempt 1 PASSED 1 1795303243526 40"};

class GoldenEventsTest : public testing::TestWithParam<const char*> {
 protected:
  GoldenEventsTest()
      : version_(GetParam()),
        root_(absl::StrCat(testing::TempDir(), "/golden_", version_)),
        lib_(version_[0] == '4'   ? "lib"
             : version_[0] == '7' ? "lib~"
                                  : "lib+") {
    fs::remove_all(root_);
    // The text of each file is its name.
    for (const auto& [folder, outputs] : OutputsOf(lib_)) {
      const std::string path = absl::StrCat(root_, kTestLogs, "/", folder, "/test.outputs");
      fs::create_directories(path);
      if (version_ == "4.2.3" || version_ == "7.6") {
        Pack(outputs, path + "/outputs.zip");
        continue;
      }
      for (const std::string& name : outputs) {
        const std::string file = absl::StrCat(path, "/", name);
        fs::create_directories(fs::path(file).parent_path());
        std::ofstream(file) << name;
      }
    }
    fs::create_directories(root_ + "/workspace");
    fs::create_directory_symlink(root_ + "/execroot/bazel-out", root_ + "/workspace/bazel-out");
    Read();
  }

  static void Pack(const std::vector<std::string>& names, const std::string& path) {
    zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    for (const std::string& name : names) {
      zip_file_add(archive, name.c_str(), zip_source_buffer(archive, name.data(), name.size(), 0),
                   0);
    }
    ASSERT_EQ(zip_close(archive), 0);
  }

  void Read() {
    std::ifstream file(absl::StrCat("tests/bazel_events/testdata/bazel_", version_, ".json"));
    std::stringstream text;
    text << file.rdbuf();
    google::protobuf::util::JsonParseOptions options;
    options.ignore_unknown_fields = true;
    for (const std::string& line : std::vector<std::string>(absl::StrSplit(
             absl::StrReplaceAll(text.str(), {{"/golden", root_}}), '\n', absl::SkipEmpty()))) {
      BuildEvent event;
      const auto status = google::protobuf::util::JsonStringToMessage(line, &event, options);
      ASSERT_TRUE(status.ok()) << status.ToString() << ": " << line;
      events_.push_back(event);
    }
    ASSERT_FALSE(events_.empty());
  }

  // As Bazel uploads files to a remote cache. It does not upload folders.
  std::vector<BuildEvent> Uploaded() {
    std::vector<BuildEvent> uploaded = events_;
    for (BuildEvent& event : uploaded) {
      if (!event.has_test_result()) continue;
      for (auto& file : *event.mutable_test_result()->mutable_test_action_output()) {
        const std::string path = ci::PathOfUri(file.uri());
        const absl::StatusOr<std::string> bytes = base::ReadFile(path);
        if (!bytes.ok()) continue;
        const std::string sha256 = base::Sha256Hex(*bytes);
        file.set_uri(absl::StrCat("bytestream://host/blobs/", sha256, "/", bytes->size()));
        cache_[file.uri()] = *bytes;
      }
    }
    return uploaded;
  }

  static ci::BuildLog Parse(const std::vector<BuildEvent>& events) {
    std::ostringstream bytes;
    for (const BuildEvent& event : events) {
      google::protobuf::util::SerializeDelimitedToOstream(event, &bytes);
    }
    const absl::StatusOr<ci::BuildLog> log = ci::ParseBuildEvents(bytes.str(), "golden.bep");
    EXPECT_TRUE(log.ok()) << log.status();
    return log.ok() ? *log : ci::BuildLog();
  }

  // The attempt with its profiles: each name with the file's text.
  std::string Describe(const TestAttempt& attempt) {
    std::vector<absl::StatusOr<ci::FoundProfiles>> found;
    for (const std::string& path : attempt.outputs) {
      found.push_back(absl::EndsWith(path, ".zip") ? ci::ReadProfilesInZip(path)
                                                   : ci::ReadProfilesInFolder(path));
    }
    for (const std::string& uri : attempt.remote_outputs) {
      found.push_back(ci::ReadProfilesInZipBytes(cache_[uri], "outputs.zip"));
    }
    ci::OutputAccess access;
    access.size = [this](const ci::OutputFile& file) { return cache_[file.place].size(); };
    access.read = [this](const ci::OutputFile& file, uint64_t) { return cache_[file.place]; };
    found.push_back(ci::ReadProfileFiles(attempt.output_files, ci::OutputsHere()));
    found.push_back(ci::ReadProfileFiles(attempt.remote_output_files, access));
    std::string text = absl::StrCat(ci::Describe(attempt), " ", attempt.status, " ", attempt.cached,
                                    " ", attempt.started_unix_ms, " ", attempt.duration_ms);
    for (const auto& files : found) {
      EXPECT_TRUE(files.ok()) << files.status();
      if (!files.ok()) continue;
      EXPECT_THAT(files->problems, testing::IsEmpty());
      for (const ci::ProfileFile& profile : files->profiles) {
        absl::StrAppend(&text, " ", profile.name, "=", profile.bytes);
      }
    }
    return text;
  }
  std::vector<std::string> DescribeAll(const std::vector<TestAttempt>& attempts) {
    std::vector<std::string> all;
    for (const TestAttempt& attempt : attempts) all.push_back(Describe(attempt));
    return all;
  }

  const std::string version_;
  const std::string root_;
  const std::string lib_;
  std::vector<BuildEvent> events_;
  std::map<std::string, std::string> cache_;  // bytes by URI
};

TEST_P(GoldenEventsTest, UploadReadsTheSameAttempts) {
  const ci::BuildLog log = Parse(events_);
  EXPECT_EQ(log.started_unix_ms, 1795303252526);
  EXPECT_EQ(DescribeAll(log.attempts), kExpected);
  for (const TestAttempt& attempt : log.attempts) {
    EXPECT_EQ(attempt.build_ended_unix_ms, 1795303261526);
    EXPECT_EQ(attempt.configuration, "k8-opt-gprof");
  }
  EXPECT_THAT(log.attempts[4].executables, testing::ElementsAre(testing::EndsWith(absl::StrCat(
                                               "/bin/external/", lib_, "/pkg/lib_test"))));
}

TEST_P(GoldenEventsTest, UploadFindsWhatBazelDownloaded) {
  ci::BuildLog log = Parse(Uploaded());
  ci::FindOutputsHere(log.workspace_directory, log.attempts);
  for (const TestAttempt& attempt : log.attempts) {
    EXPECT_THAT(attempt.remote_outputs, testing::IsEmpty());
    EXPECT_EQ(attempt.remote_output_files.size(), 0u);
  }
  EXPECT_EQ(DescribeAll(log.attempts), kExpected);
}

TEST_P(GoldenEventsTest, BuildEventServiceReadsTheSameAttempts) {
  collector::InvocationState state("default");
  for (const BuildEvent& event : Uploaded()) {
    const auto kept = collector::KeptEvent(event.SerializeAsString());
    ASSERT_TRUE(kept.ok()) << kept.status();
    if (kept->has_value()) state.Take(**kept, absl::Now());
  }
  std::vector<TestAttempt> attempts;
  for (const size_t index : state.TakeReady()) attempts.push_back(state.Attempt(index));
  EXPECT_EQ(DescribeAll(attempts), kExpected);
  const absl::StatusOr<v1::RunInfo> run = state.Run();
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->started_unix_ms(), 1795303252526);
  std::vector<std::string> targets;
  for (const auto& target : state.TakeChangedTargets()) targets.push_back(target.label);
  EXPECT_THAT(targets, testing::UnorderedElementsAre("//db:query_test", "//db:insert_bench",
                                                     "//db:plain_test", "@lib//pkg:lib_test"));
}

TEST_P(GoldenEventsTest, TestlogsHaveTheSameProfiles) {
  const auto logs = ci::FindInTestLogs(root_ + kTestLogs);
  ASSERT_TRUE(logs.ok()) << logs.status();
  std::vector<std::string> profiles;
  for (const TestAttempt& attempt : logs->attempts) {
    const std::string text = Describe(attempt);
    profiles.push_back(
        absl::StrCat(attempt.label, " ", attempt.shard, text.substr(text.find(" 0 0 0") + 6)));
  }
  std::vector<std::string> expected;
  for (const size_t i : {2, 0, 1, 4}) {
    const std::vector<std::string> words = absl::StrSplit(kExpected[i], ' ');
    std::string line = absl::StrCat(words[0], " ", words[4]);
    for (size_t j = 11; j < words.size(); ++j) absl::StrAppend(&line, " ", words[j]);
    expected.push_back(line);
  }
  EXPECT_EQ(profiles, expected);
}

INSTANTIATE_TEST_SUITE_P(Versions, GoldenEventsTest, testing::ValuesIn(kVersions),
                         [](const auto& version) {
                           return absl::StrReplaceAll(version.param, {{".", "_"}});
                         });

}  // namespace
}  // namespace gprofhub::tests
