// Sample values and shortcuts for the contract tests.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/contract/suite.h"
#include "store/validation.h"

namespace gprofhub::store {

inline const absl::Time kNow = absl::FromUnixSeconds(1700000000);
inline constexpr absl::Duration kLease = absl::Minutes(1);
inline constexpr uint32_t kAttempts = 3;

inline Blob MakeBlob(std::string bytes) { return {NameBlob(bytes), std::move(bytes)}; }

// A complete execution of //db:query_test with one process and one image.
inline NewExecution MakeExecution(const std::string& run_key = "run-1") {
  const Blob gmon = MakeBlob("gmon of " + run_key);
  const Blob bundle = MakeBlob("symbols");
  NewExecution execution;
  execution.run.project = "sqlite";
  execution.run.run_key = run_key;
  execution.run.commit = "1111111111111111111111111111111111111111";
  execution.run.branch = "main";
  execution.run.configuration = "k8-opt";
  execution.run.machine = "Z80, 1 processor";
  execution.run.started = kNow;
  execution.run.committed = kNow - absl::Hours(1);
  execution.execution.target = "//db:query_test";
  execution.execution.status = "PASSED";
  execution.profiles = {{"gmon.1", "b1d1", gmon.name}};
  execution.images = {{"b1d1", bundle.name}};
  execution.blobs = {gmon, bundle};
  return execution;
}

inline const Actor kSomebody = {"somebody", "192.0.2.1", 0};

inline TokenRecord MakeToken(const std::string& project, const std::string& label,
                             const std::string& sha256) {
  TokenRecord token;
  token.project = project;
  token.label = label;
  token.token_sha256 = sha256;
  token.scopes = "upload,read";
  token.created = kNow;
  return token;
}

inline AnalysisResult MakeResult(const Job& job, const std::string& text = "computed") {
  AnalysisResult result;
  result.computed = MakeBlob(text);
  result.segments = {{job.run_id, job.target, 0, text + " zero"},
                     {job.run_id, job.target, 7, std::string("\0\xFF packed", 9)}};
  return result;
}

inline absl::StatusCode Code(const absl::Status& status) { return status.code(); }
template <typename T>
absl::StatusCode Code(const absl::StatusOr<T>& result) {
  return result.status().code();
}

#define EXPECT_OK(expression) EXPECT_EQ(Code(expression), absl::StatusCode::kOk)

// Records, or fails the test.
inline RecordedExecution Record(const Store& store, const NewExecution& execution,
                                absl::Time now = kNow) {
  absl::StatusOr<RecordedExecution> recorded = store.ingest.RecordExecution(execution, now);
  EXPECT_TRUE(recorded.ok()) << recorded.status();
  return recorded.ok() ? *recorded : RecordedExecution{};
}

// Claims a job, or fails the test.
inline Job Claim(const Store& store, absl::string_view worker = "worker", absl::Time now = kNow) {
  absl::StatusOr<std::optional<Job>> job = store.jobs.Claim(worker, now, kLease, kAttempts);
  EXPECT_TRUE(job.ok()) << job.status();
  EXPECT_TRUE(job.ok() && job->has_value()) << "there is no job";
  return job.ok() && job->has_value() ? **job : Job{};
}

// Whether the queue has no claimable job.
inline bool NoJob(const Store& store, absl::Time now = kNow) {
  absl::StatusOr<std::optional<Job>> job = store.jobs.Claim("idle", now, kLease, kAttempts);
  EXPECT_TRUE(job.ok()) << job.status();
  return job.ok() && !job->has_value();
}

inline TargetRecord OnlyTarget(const Store& store, int64_t run_id) {
  absl::StatusOr<std::vector<TargetRecord>> targets = store.reading.ListTargets(run_id);
  EXPECT_TRUE(targets.ok()) << targets.status();
  EXPECT_TRUE(targets.ok() && targets->size() == 1);
  return targets.ok() && targets->size() == 1 ? targets->front() : TargetRecord{};
}

// The open points of a run, ordered by line; of all targets if `target` is empty.
inline std::vector<std::string> OpenPoints(const Store& store, int64_t run_id,
                                           const std::string& target = "", uint32_t bucket = 0) {
  const absl::StatusOr<RunRecord> run = store.reading.ReadRun(run_id);
  EXPECT_TRUE(run.ok()) << run.status();
  if (!run.ok()) return {};
  const absl::StatusOr<std::vector<LinePoints>> lines =
      store.reading.ReadPoints({run->project, {run->branch}, target, bucket, run_id, run_id});
  EXPECT_TRUE(lines.ok()) << lines.status();
  std::vector<std::string> payloads;
  if (!lines.ok()) return payloads;
  for (const LinePoints& line : *lines) {
    for (const RunPoints& points : line.open) {
      EXPECT_EQ(points.run_id, run_id);
      payloads.push_back(points.payload);
    }
  }
  return payloads;
}

inline std::vector<std::string> RunKeys(const absl::StatusOr<std::vector<RunRecord>>& runs) {
  EXPECT_TRUE(runs.ok()) << runs.status();
  std::vector<std::string> keys;
  if (runs.ok()) {
    for (const RunRecord& run : *runs) keys.push_back(run.run_key);
  }
  return keys;
}

}  // namespace gprofhub::store
