// A store with runs, for tests of queries.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "profile/codec/computed.h"
#include "profile/codec/series.h"
#include "profile/computed.h"
#include "reporter/testing/profile_builder.h"
#include "store/testing/temp_store.h"

namespace gprofhub::reporter {

inline const absl::Time kNow = absl::FromUnixSeconds(1700000000);
inline constexpr char kProject[] = "acme";
inline constexpr char kTarget[] = "//db:query_test";

inline std::string Commit(char digit) { return std::string(40, digit); }

// main → parse, `calls` times.
inline profile::ComputedProfile Profile(uint64_t calls) {
  ProfileBuilder builder;
  builder.Function("main", 1, 50).Function("_Z5parsei", 50);
  builder.Arc("", "main", 1).Arc("main", "_Z5parsei", calls, 34);
  return builder.Build();
}

// Parameters of an upload.
struct UploadedRun {
  char commit = 'a';
  std::vector<std::string> ancestors = {};
  std::string base = "";  // base of a pull request; empty: a run of the main branch
  std::string target = kTarget;
  std::string digest = "";
  store::ProfileKind kind = store::ProfileKind::kCounted;
  bool cached = false;
  bool with_profile = true;
  std::string key = "";  // distinguishes runs of one commit
  std::string machine = "";
  uint32_t shard = 1;
  uint32_t attempt = 1;
  std::string status = "PASSED";
  uint32_t duration_ms = 0;
  std::string project = kProject;
};

// A SQLite store in a temporary directory.
class StoredRunsTest : public testing::Test {
 protected:
  // Records a run; returns its id.
  int64_t Upload(const UploadedRun& run) {
    const store::Blob gmon = store::MakeBlob("gmon");
    const store::Blob bundle = store::MakeBlob("symbols");
    store::NewExecution execution;
    execution.run.project = run.project;
    execution.run.run_key = std::string("run-") + run.commit + run.key;
    execution.run.commit = Commit(run.commit);
    execution.run.commit_subject = std::string("Subject of ") + run.commit;
    execution.run.branch = run.base.empty() ? "main" : "feature";
    execution.run.base_commit = run.base;
    execution.run.ancestors = run.ancestors;
    execution.run.pull_request = run.base.empty() ? "" : "12";
    execution.run.configuration = "k8-opt";
    execution.run.machine = run.machine;
    execution.run.profile_kind = run.kind;
    execution.run.started = kNow + absl::Seconds(run.commit);
    execution.run.committed = kNow + absl::Seconds(run.commit);
    execution.execution.target = run.target;
    execution.execution.shard = run.shard;
    execution.execution.attempt = run.attempt;
    execution.execution.status = run.status;
    execution.execution.duration_ms = run.duration_ms;
    execution.execution.test_binary_digest = run.digest;
    execution.execution.cached = run.cached;
    if (run.with_profile) {
      execution.profiles = {{"gmon.1", "b1d1", gmon.name}};
      execution.images = {{"b1d1", bundle.name}};
      execution.blobs = {gmon, bundle};
    }
    const absl::StatusOr<store::RecordedExecution> recorded =
        store_.ingest.RecordExecution(execution, kNow);
    EXPECT_TRUE(recorded.ok()) << recorded.status();
    return recorded.ok() ? recorded->run_id : 0;
  }

  int64_t Upload(char commit, const std::vector<std::string>& ancestors = {},
                 const std::string& base = "", const std::string& target = kTarget,
                 const std::string& digest = "") {
    return Upload(UploadedRun{commit, ancestors, base, target, digest});
  }

  int64_t UploadSampled(char commit) {
    return Upload(UploadedRun{.commit = commit, .kind = store::ProfileKind::kSampled});
  }

  // Completes the oldest pending job.
  void Analyze(const profile::ComputedProfile& profile) {
    const auto job = store_.jobs.Claim("worker", kNow, absl::Minutes(1), 3);
    ASSERT_TRUE(job.ok() && job->has_value()) << job.status();
    store::AnalysisResult result;
    result.computed = store::MakeBlob(profile::EncodeComputedProfile(profile));
    for (const std::string& payload : profile::EncodeSeries(profile)) {
      const auto bucket = static_cast<uint32_t>(result.segments.size());
      result.segments.push_back({(*job)->run_id, (*job)->target, bucket, payload});
    }
    const absl::Status status = store_.jobs.Complete(**job, result, kNow);
    ASSERT_TRUE(status.ok()) << status;
    if (seal_at_ == 0) return;
    const absl::StatusOr<bool> sealed = store_.jobs.SealPoints(**job, seal_at_, Pack);
    ASSERT_TRUE(sealed.ok()) << sealed.status();
  }

  // Like the analyzer's worker.
  static absl::StatusOr<store::PackedPoints> Pack(const std::vector<store::RunPoints>& points) {
    std::vector<profile::RunSegment> segments;
    for (const store::RunPoints& run : points) {
      segments.push_back({run.run_id, *profile::DecodeSeries(run.payload)});
    }
    profile::SeriesChunk chunk = profile::EncodeSeriesChunk(segments);
    store::PackedPoints packed = {std::move(chunk.runs), {}};
    for (profile::FunctionColumns& function : chunk.functions) {
      packed.functions.push_back(
          {static_cast<int64_t>(function.function_hash), std::move(function.bytes)});
    }
    return packed;
  }

  // Number of open runs after which the older half is sealed; 0: never.
  uint32_t seal_at_ = 0;

  const std::string folder_ = store::MakeTempDir();
  const store::Store store_ = store::MakeTempStore(folder_);
};

}  // namespace gprofhub::reporter
