// Sample reports for tests of renderers.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "profile/codec/computed.h"
#include "profile/codec/series.h"
#include "profile/computed.h"
#include "profile/demangle.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/compare_sides.h"
#include "store/testing/temp_store.h"

namespace gprofhub::reporter {

// Compares synthetic profiles, for tests.

inline constexpr char kTarget[] = "//db:test";

inline v1::Report CompareTwo(const profile::ComputedProfile& before,
                             const profile::ComputedProfile& after) {
  ComparisonSide base, head;
  base.targets[kTarget] = {before};
  head.targets[kTarget] = {after};
  return CompareSides(base, head, CompareOptions());
}

inline const v1::Finding* Find(const v1::Report& report, const std::string& function,
                               const std::string& caller, v1::Finding::Metric metric) {
  for (const v1::Finding& finding : report.findings()) {
    if (finding.function() == function && finding.caller() == caller &&
        finding.metric() == metric) {
      return &finding;
    }
  }
  return nullptr;
}

// Builds synthetic computed profiles, for tests.

// Functions are identified by name; arcs add to their callee's calls.
class ProfileBuilder {
 public:
  ProfileBuilder() {
    profile_.sample_rate = 100;
    profile_.profiles = 1;
  }

  ProfileBuilder& Repetitions(uint32_t repetitions) {
    profile_.repetitions = repetitions;
    return *this;
  }

  ProfileBuilder& Function(const std::string& name, double self_samples = 0,
                           double child_samples = 0, const std::string& file = "src/a.cc",
                           uint32_t line = 1, bool is_static = false) {
    profile::FunctionCost function;
    function.name = String(name);
    function.file = String(file);
    function.line = line;
    function.is_static = is_static;
    function.self_samples = self_samples;
    function.child_samples = child_samples;
    row_[name] = static_cast<uint32_t>(profile_.functions.size());
    profile_.functions.push_back(function);
    profile_.total_samples += self_samples;
    return *this;
  }

  // Code size in bytes of the last function.
  ProfileBuilder& Size(uint64_t bytes) {
    profile_.functions.back().size = bytes;
    return *this;
  }

  // Code digest of the last function.
  ProfileBuilder& Code(uint32_t digest) {
    profile_.functions.back().code = digest;
    return *this;
  }

  // A function that was inlined into the last function.
  ProfileBuilder& Inlines(const std::string& name) {
    profile_.inlined.push_back(
        {static_cast<uint32_t>(profile_.functions.size() - 1), profile::NameHash(name)});
    return *this;
  }

  // File name of the object that contains the last function.
  ProfileBuilder& Object(const std::string& name) {
    profile_.functions.back().image = String(name);
    return *this;
  }

  // Toolchain of the last function, and whether none of its calls was inlined.
  ProfileBuilder& Toolchain(const std::string& name, bool never_inlined = false) {
    profile_.functions.back().toolchain = String(name);
    profile_.functions.back().never_inlined = never_inlined;
    return *this;
  }

  // An empty caller: kSpontaneous.
  ProfileBuilder& Arc(const std::string& caller, const std::string& callee, uint64_t count,
                      uint32_t line = 10, uint64_t offset = 0) {
    pending_.push_back({caller, callee, count, line, offset});
    return *this;
  }

  profile::ComputedProfile Build() const {
    profile::ComputedProfile profile = profile_;
    const auto none = static_cast<uint32_t>(profile.functions.size());
    for (const Pending& pending : pending_) {
      profile::ArcCost arc;
      arc.caller = pending.caller.empty() ? none : row_.at(pending.caller);
      arc.callee = row_.at(pending.callee);
      arc.count = pending.count;
      arc.site_line = pending.line;
      arc.site_offset = pending.offset;
      if (arc.caller != none) arc.site_file = profile.functions[arc.caller].file;
      profile::FunctionCost& callee = profile.functions[arc.callee];
      (arc.caller == arc.callee ? callee.self_calls : callee.calls) += pending.count;
      profile.arcs.push_back(arc);
    }
    return profile;
  }

 private:
  struct Pending {
    std::string caller, callee;
    uint64_t count;
    uint32_t line;
    uint64_t offset;
  };

  uint32_t String(const std::string& text) {
    const auto [entry, inserted] =
        strings_.try_emplace(text, static_cast<uint32_t>(profile_.strings.size()));
    if (inserted) profile_.strings.push_back(text);
    return entry->second;
  }

  profile::ComputedProfile profile_;
  std::map<std::string, uint32_t> row_;
  std::map<std::string, uint32_t> strings_ = {{"", 0}};
  std::vector<Pending> pending_;
};

inline constexpr char kSampleTarget[] = "//db:query_test";

// One run per side, one target.
v1::Report SampleReport(const profile::ComputedProfile& before,
                        const profile::ComputedProfile& after);

// More calls of one function, fewer of another, and a new one.
v1::Report JsonReport();

// Names chosen by an attacker.
std::vector<std::string> HostileNames();

// The same names in every name field of a report.
v1::Report HostileReport();

// A test that is too short for a sample, in which parse calls next four times as often.
v1::Report UnsampledReport();

// Five runs per side, in which the total time of main grows; with or without call stacks.
v1::Report TotalsReport(bool with_stacks);

// A total time among the findings of JsonReport.
v1::Report ReportWithTotalTime();

// A small program for tests of times.

using Runs = std::vector<profile::ComputedProfile>;

// main → work → leaf and main → steady0 … steady9, each of these with 1,000 samples.
inline ProfileBuilder SteadyProgram(double work, double leaf, uint64_t calls = 100) {
  ProfileBuilder builder;
  builder.Function("main", 500, 10000 + work + leaf).Arc("", "main", 1);
  builder.Function("work", work, leaf, "work.cc").Arc("main", "work", calls);
  builder.Function("leaf", leaf, 0, "leaf.cc").Arc("work", "leaf", 100);
  for (int i = 0; i < 10; ++i) {
    const std::string name = "steady" + std::to_string(i);
    builder.Function(name, 1000, 0, name + ".cc").Arc("main", name, 5);
  }
  return builder;
}

inline Runs Four(const ProfileBuilder& builder) { return Runs(4, builder.Build()); }

// A store with runs, for tests of queries.

inline const absl::Time kNow = absl::FromUnixSeconds(1700000000);
inline constexpr char kProject[] = "acme";
inline constexpr char kStoredTarget[] = "//db:query_test";

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
  std::string target = kStoredTarget;
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
};

// A SQLite store in a temporary directory.
class StoredRunsTest : public testing::Test {
 protected:
  // Records a run; returns its id.
  int64_t Upload(const UploadedRun& run) {
    const store::Blob gmon = store::MakeBlob("gmon");
    const store::Blob bundle = store::MakeBlob("symbols");
    store::NewExecution execution;
    execution.run.project = kProject;
    execution.run.run_key = std::string("run-") + run.commit + run.key;
    execution.run.commit = Commit(run.commit);
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
                 const std::string& base = "", const std::string& target = kStoredTarget,
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

  const store::Store store_ = store::MakeTempStore();
};

}  // namespace gprofhub::reporter
