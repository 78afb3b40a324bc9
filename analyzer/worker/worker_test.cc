#include "analyzer/worker/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "analyzer/worker/target_images.h"
#include "base/stop_token.h"
#include "base/work_loop.h"
#include "profile/codec/computed.h"
#include "profile/codec/message.h"
#include "profile/codec/series.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/computed.h"
#include "profile/gmon/writer.h"
#include "profile/recording/reader.h"
#include "profile/testing/sample_profile.h"
#include "store/testing/engines.h"
#include "store/testing/temp_store.h"

namespace gprofhub::analyzer {

namespace {

using ::testing::SizeIs;

// Bucket of functions f0, f1, …: the first of these.
uint32_t Bucket() { return profile::SeriesBucket(profile::FunctionHash("f0", "")); }

// The run's points of that bucket: f0 and others were called `calls` times.
store::RunPoints PointsOf(int64_t run, uint64_t calls, int functions = 40, double rate = 1000) {
  profile::ComputedProfile profile;
  profile.sample_rate = rate;
  profile.strings = {""};
  for (int i = 0; i < functions; ++i) {
    profile::FunctionCost function;
    function.name = static_cast<uint32_t>(profile.strings.size());
    function.calls = calls;
    function.self_samples = static_cast<double>(run % 7);
    profile.strings.push_back("f" + std::to_string(i));
    profile.functions.push_back(function);
  }
  return {run, profile::EncodeSeries(profile)[Bucket()]};
}

store::PackedPoints Packed(const std::vector<store::RunPoints>& points) {
  absl::StatusOr<store::PackedPoints> packed = PackPoints(points);
  EXPECT_TRUE(packed.ok()) << packed.status();
  return packed.ok() ? *std::move(packed) : store::PackedPoints();
}

void ExpectSame(const store::PackedPoints& is, const store::PackedPoints& wanted) {
  EXPECT_EQ(is.runs, wanted.runs);
  ASSERT_EQ(is.functions.size(), wanted.functions.size());
  for (size_t i = 0; i < is.functions.size(); ++i) {
    EXPECT_EQ(is.functions[i].function_hash, wanted.functions[i].function_hash);
    EXPECT_EQ(is.functions[i].payload, wanted.functions[i].payload);
  }
}

TEST(MergePoints, GivesWhatAllRunsPackedAtOnceGive) {
  std::vector<store::RunPoints> all;
  std::vector<store::PackedPoints> parts;
  for (int part = 0; part < 3; ++part) {
    std::vector<store::RunPoints> some;
    for (int run = 1; run <= 20; ++run) {
      // Functions appear and disappear, and runs differ in how they were sampled.
      some.push_back(PointsOf(100 * part + run, 50u * run, 40 + part * 200, 500.0 * (1 + run % 2)));
    }
    parts.push_back(Packed(some));
    all.insert(all.end(), some.begin(), some.end());
  }
  ASSERT_GT(parts[2].functions.size(), parts[0].functions.size());
  const auto merged = MergePoints(parts);
  ASSERT_TRUE(merged.ok()) << merged.status();
  ExpectSame(*merged, Packed(all));
}

TEST(MergePoints, TheNewestWordOfARunHolds) {
  const auto merged = MergePoints({Packed({PointsOf(1, 10), PointsOf(4, 40)}),
                                   Packed({PointsOf(2, 20), PointsOf(4, 44, 1)}),
                                   Packed({PointsOf(1, 11), PointsOf(3, 30)})});
  ASSERT_TRUE(merged.ok()) << merged.status();
  ExpectSame(*merged,
             Packed({PointsOf(1, 11), PointsOf(2, 20), PointsOf(3, 30), PointsOf(4, 44, 1)}));
}

TEST(MergePoints, KeepsRunsWithoutAPoint) {
  const auto merged = MergePoints({Packed({PointsOf(1, 10, 0)}), Packed({PointsOf(2, 10, 0)})});
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_THAT(merged->functions, SizeIs(0));
  EXPECT_EQ(merged->runs, Packed({PointsOf(1, 10, 0), PointsOf(2, 10, 0)}).runs);
}

TEST(MergePoints, DamageIsAnError) {
  store::PackedPoints points = Packed({PointsOf(1, 10), PointsOf(2, 20)});
  points.functions.front().payload.pop_back();
  EXPECT_EQ(MergePoints({points}).status().code(), absl::StatusCode::kDataLoss);
  points = Packed({PointsOf(1, 10)});
  points.runs += 'x';
  EXPECT_EQ(MergePoints({points}).status().code(), absl::StatusCode::kDataLoss);
}

TEST(PackPoints, NamesTheRunWhosePointsAreDamaged) {
  store::RunPoints damaged = PointsOf(77, 10);
  damaged.payload.pop_back();
  const absl::Status status = PackPoints({PointsOf(3, 10), damaged}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("run 77"));
}

using ::testing::HasSubstr;

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);

// One execution with one profile of `calls` calls of parse.
store::NewExecution MakeExecution(const std::string& target, uint32_t run_number, uint32_t shard,
                                  uint64_t calls) {
  const store::Blob bundle = store::MakeBlob(profile::SampleBundle(1));
  const store::Blob gmon = store::MakeBlob(profile::SampleGmon(calls));
  const std::string build_id = profile::SampleSymbols(1).build_id;
  store::NewExecution added;
  added.run.project = "default";
  added.run.run_key = "run-1";
  added.run.commit = std::string(40, 'a');
  added.run.configuration = "k8-opt";
  added.run.started = kNow;
  added.run.committed = kNow;
  added.execution.target = target;
  added.execution.run_number = run_number;
  added.execution.shard = shard;
  added.execution.status = "PASSED";
  added.profiles = {{"gmon.17", build_id, gmon.name}};
  added.images = {{build_id, bundle.name}};
  added.blobs = {bundle, gmon};
  return added;
}

class WorkerTest : public testing::Test {
 protected:
  void Record(const store::NewExecution& execution) {
    const auto recorded = store_.ingest.RecordExecution(execution, kNow);
    ASSERT_TRUE(recorded.ok()) << recorded.status();
  }

  WorkerOptions Options(const std::string& name) {
    WorkerOptions options;
    options.quiet = absl::ZeroDuration();
    options.name = name;
    options.now = [this] { return now_; };
    return options;
  }

  store::TargetRecord Target(size_t i) { return store_.reading.ListTargets(1)->at(i); }

  profile::ComputedProfile Computed(size_t i) {
    return *profile::DecodeComputedProfile(*store_.blobs.Read(Target(i).computed));
  }

  // The points of one bucket, of all targets.
  std::vector<store::LinePoints> Points(uint32_t bucket) {
    return *store_.reading.ReadPoints({"default", {""}, "", bucket, 1, 1000});
  }
  bool HasNoPoints(uint32_t bucket) {
    for (const store::LinePoints& line : Points(bucket)) {
      if (!line.open.empty() || !line.sealed.empty()) return false;
    }
    return true;
  }

  // The store's blobs, with a hook that runs in the middle of an analysis.
  store::Blobs HookedBlobs(std::function<absl::Status()> before_read) {
    return *store::OpenHookedBlobs(directory_, std::move(before_read));
  }

  const std::string directory_ = store::MakeTempDir();
  const store::Store store_ = store::MakeTempStore(directory_);
  absl::Time now_ = kNow;
};

uint64_t CallsOf(const profile::ComputedProfile& profile, const std::string& function) {
  for (const profile::FunctionCost& cost : profile.functions) {
    if (profile.strings[cost.name] == function) return cost.calls;
  }
  return 0;
}

TEST_F(WorkerTest, FindsNothingToDo) {
  Worker worker(store_.jobs, store_.reading, store_.blobs, AnalyzeTarget, Options("w"));
  const auto worked = worker.RunOnce();
  ASSERT_TRUE(worked.ok());
  EXPECT_FALSE(*worked);
}

TEST_F(WorkerTest, AnalysesATarget) {
  Record(MakeExecution("//db:test", 1, 1, 100));
  Worker worker(store_.jobs, store_.reading, store_.blobs, AnalyzeTarget, Options("w"));
  const auto worked = worker.RunOnce();
  ASSERT_TRUE(worked.ok()) << worked.status();
  EXPECT_TRUE(*worked);
  ASSERT_EQ(Target(0).state, store::TargetState::kAnalyzed) << Target(0).error;
  EXPECT_EQ(CallsOf(Computed(0), "parse"), 100u);
  EXPECT_EQ(CallsOf(Computed(0), "sum"), 200u);
  EXPECT_FALSE(*worker.RunOnce());
}

TEST_F(WorkerTest, SumsShardsAndCountsRunsAsRepetitions) {
  for (uint32_t run = 1; run <= 3; ++run) {
    for (uint32_t shard = 1; shard <= 2; ++shard) {
      Record(MakeExecution("//db:test", run, shard, 100 + shard));
    }
  }
  Worker worker(store_.jobs, store_.reading, store_.blobs, AnalyzeTarget, Options("w"));
  while (*worker.RunOnce()) {
  }
  const profile::ComputedProfile computed = Computed(0);
  EXPECT_EQ(computed.repetitions, 3u);
  EXPECT_EQ(computed.profiles, 6u);
  EXPECT_EQ(CallsOf(computed, "parse"), 3u * (101 + 102));
}

// One execution with `samples` stacks of main, which called parse.
store::NewExecution MakeSampledExecution(uint32_t shard, uint64_t samples) {
  store::NewExecution execution = MakeExecution("//db:production", 1, shard, 1);
  profile::ImageStacks stacks;
  stacks.functions = {0x1000, 0x1100};
  stacks.frames = {{1, 0x10}, {2, 0}};
  stacks.stacks = {{2, samples}};
  const store::Blob blob = store::MakeBlob(profile::EncodeStacks(stacks));
  execution.run.profile_kind = store::ProfileKind::kSampled;
  execution.profiles[0].data = blob.name;
  execution.blobs[1] = blob;
  return execution;
}

TEST_F(WorkerTest, SumsSampledStacksAndMakesNoSeriesOfThem) {
  Record(MakeSampledExecution(1, 5));
  Record(MakeSampledExecution(2, 7));
  Worker worker(store_.jobs, store_.reading, store_.blobs, AnalyzeTarget, Options("w"));
  ASSERT_TRUE(*worker.RunOnce());
  ASSERT_EQ(Target(0).state, store::TargetState::kAnalyzed) << Target(0).error;
  const profile::ComputedProfile computed = Computed(0);
  EXPECT_TRUE(computed.sampled_calls);
  EXPECT_EQ(CallsOf(computed, "parse"), 12u);
  EXPECT_EQ(computed.total_samples, 12);
  EXPECT_EQ(computed.profiles, 2u);
  ASSERT_EQ(computed.warnings.size(), 1u);
  EXPECT_THAT(computed.warnings[0], HasSubstr("Calls were sampled, not counted"));
  for (uint32_t bucket = 0; bucket < profile::kSeriesBuckets; ++bucket) {
    EXPECT_TRUE(HasNoPoints(bucket)) << bucket;
  }
}

TEST_F(WorkerTest, SealsThePointsOfOldRuns) {
  WorkerOptions options = Options("w");
  options.seal_at = 4;
  Worker worker(store_.jobs, store_.reading, store_.blobs, AnalyzeTarget, options);
  for (uint64_t run = 1; run <= 4; ++run) {
    store::NewExecution execution = MakeExecution("//db:test", 1, 1, 100 * run);
    execution.run.run_key = absl::StrCat("run-", run);
    Record(execution);
    ASSERT_TRUE(*worker.RunOnce());
  }
  const uint32_t bucket = profile::SeriesBucket(profile::FunctionHash("parse", ""));
  const std::vector<store::LinePoints> lines = Points(bucket);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].open.size(), 2u);
  ASSERT_EQ(lines[0].sealed.size(), 1u);
  const store::PackedPoints& sealed = lines[0].sealed[0];
  const auto runs = profile::DecodeChunkRuns(sealed.runs);
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 2u);
  const uint64_t hash = profile::FunctionHash("parse", "");
  std::vector<uint64_t> calls;
  for (const store::FunctionPoints& function : sealed.functions) {
    if (static_cast<uint64_t>(function.function_hash) != hash) continue;
    const auto points = profile::DecodeFunctionColumns(hash, function.payload, runs->size());
    ASSERT_TRUE(points.ok()) << points.status();
    for (const profile::ChunkPoint& point : *points) calls.push_back(point.point.calls);
  }
  EXPECT_EQ(calls, (std::vector<uint64_t>{100, 200}));
}

TEST_F(WorkerTest, SaysWhichSampledStacksCannotBeRead) {
  store::NewExecution execution = MakeSampledExecution(1, 5);
  const store::Blob damaged = store::MakeBlob("no stacks");
  execution.profiles[0].data = damaged.name;
  execution.blobs[1] = damaged;
  Record(execution);
  Worker worker(store_.jobs, store_.reading, store_.blobs, AnalyzeTarget, Options("w"));
  ASSERT_TRUE(*worker.RunOnce());
  EXPECT_EQ(Target(0).state, store::TargetState::kFailed);
  EXPECT_THAT(Target(0).error, HasSubstr("profile gmon.17 (run 1, shard 1)"));
}

TEST_F(WorkerTest, TakesARecordingOnceThoughItIsNamedForEachOfItsImages) {
  const auto recording = profile::ReadRecording(profile::OrderlyRecording(), "recording");
  ASSERT_TRUE(recording.ok()) << recording.status();
  const store::Blob blob = store::MakeBlob(profile::PackRecording(profile::OrderlyRecording()));
  store::NewExecution execution = MakeExecution("//db:test", 1, 1, 100);
  execution.profiles.clear();
  execution.images.clear();
  execution.blobs = {blob};
  double periods = 0;
  for (const profile::RecordedModule& module : recording->modules) {
    for (const profile::Histogram& histogram : module.profile.histograms) {
      for (const uint64_t bin : histogram.bins) periods += static_cast<double>(bin);
    }
    if (module.build_id.empty()) continue;
    profile::SymbolTable symbols = profile::SampleSymbols(1);
    symbols.build_id = module.build_id;
    const store::Blob bundle = store::MakeBlob(profile::EncodeSymbolBundle(symbols));
    execution.blobs.push_back(bundle);
    execution.profiles.push_back({"app.7.gprofhub", module.build_id, blob.name});
    execution.images.push_back({module.build_id, bundle.name});
  }
  ASSERT_GE(execution.images.size(), 2u);
  Record(execution);
  Worker worker(store_.jobs, store_.reading, store_.blobs, AnalyzeTarget, Options("w"));
  ASSERT_TRUE(worker.RunOnce().ok());
  ASSERT_EQ(Target(0).state, store::TargetState::kAnalyzed) << Target(0).error;
  const profile::ComputedProfile computed = Computed(0);
  ASSERT_GT(periods, 0);
  EXPECT_NEAR(computed.total_samples / computed.sample_rate, periods / recording->rate, 1e-9);
  EXPECT_GT(computed.stack_samples, 0);
}

TEST_F(WorkerTest, AddsProfilesSampledAtDifferentRates) {
  store::NewExecution execution = MakeExecution("//db:test", 1, 1, 100);
  const profile::RawProfile sample = profile::SampleProfile(100);
  profile::RawProfile faster = sample;
  for (profile::Histogram& histogram : faster.histograms) histogram.rate *= 5;
  const store::Blob blob = store::MakeBlob(*profile::WriteGmon(faster));
  execution.profiles.push_back({"gmon.18", execution.profiles[0].build_id, blob.name});
  execution.blobs.push_back(blob);
  Record(execution);
  Worker worker(store_.jobs, store_.reading, store_.blobs, AnalyzeTarget, Options("w"));
  ASSERT_TRUE(worker.RunOnce().ok());
  ASSERT_EQ(Target(0).state, store::TargetState::kAnalyzed) << Target(0).error;
  const profile::ComputedProfile computed = Computed(0);
  double periods = 0;
  for (const uint64_t bin : sample.histograms[0].bins) periods += static_cast<double>(bin);
  const double rate = sample.histograms[0].rate;
  EXPECT_NEAR(computed.total_samples / computed.sample_rate, periods / rate * 1.2, 1e-9);
  EXPECT_EQ(CallsOf(computed, "parse"), 200u);
}

TEST_F(WorkerTest, SaysThatATargetLeftNoProfile) {
  store::NewExecution execution = MakeExecution("//db:test", 1, 1, 100);
  execution.profiles.clear();
  execution.images.clear();
  execution.blobs.clear();
  Record(execution);
  Worker worker(store_.jobs, store_.reading, store_.blobs, AnalyzeTarget, Options("w"));
  ASSERT_TRUE(worker.RunOnce().ok());
  ASSERT_EQ(Target(0).state, store::TargetState::kAnalyzed) << Target(0).error;
  EXPECT_EQ(Computed(0).repetitions, 1u);
  EXPECT_EQ(Computed(0).warnings.size(), 1u);
}

TEST_F(WorkerTest, MakesNoSeriesOfATargetThatLacksAShard) {
  Record(MakeExecution("//db:test", 1, 1, 100));
  store::NewExecution cached = MakeExecution("//db:test", 1, 2, 100);
  cached.execution.cached = true;
  cached.profiles.clear();
  cached.images.clear();
  cached.blobs.clear();
  Record(cached);
  Worker worker(store_.jobs, store_.reading, store_.blobs, AnalyzeTarget, Options("w"));
  while (*worker.RunOnce()) {
  }
  EXPECT_EQ(Computed(0).warnings.size(), 1u);
  for (uint32_t bucket = 0; bucket < profile::kSeriesBuckets; ++bucket) {
    EXPECT_TRUE(HasNoPoints(bucket)) << bucket;
  }
}

TEST_F(WorkerTest, FailsAJobWithBadDataOnceAndSaysWhy) {
  store::NewExecution execution = MakeExecution("//db:test", 1, 1, 100);
  const store::Blob bad = store::MakeBlob("no profile");
  execution.profiles[0].data = bad.name;
  execution.blobs[1] = bad;
  Record(execution);
  Worker worker(store_.jobs, store_.reading, store_.blobs, AnalyzeTarget, Options("w"));
  ASSERT_TRUE(worker.RunOnce().ok());
  EXPECT_EQ(Target(0).state, store::TargetState::kFailed);
  EXPECT_TRUE(absl::StrContains(Target(0).error, "profile gmon.17 (run 1, shard 1)"))
      << Target(0).error;
  EXPECT_FALSE(*worker.RunOnce());
}

TEST_F(WorkerTest, TriesAgainAfterAPassingErrorOfTheStore) {
  Record(MakeExecution("//db:test", 1, 1, 100));
  bool failed = false;
  const store::Blobs blobs = HookedBlobs([&failed] {
    return std::exchange(failed, true) ? absl::OkStatus()
                                       : absl::UnavailableError("the database went away");
  });
  Worker worker(store_.jobs, store_.reading, blobs, AnalyzeTarget, Options("w"));
  EXPECT_TRUE(absl::IsUnavailable(worker.RunOnce().status()));
  EXPECT_EQ(Target(0).state, store::TargetState::kPending);
  EXPECT_TRUE(*worker.RunOnce());
  EXPECT_EQ(Target(0).state, store::TargetState::kAnalyzed);
}

TEST_F(WorkerTest, TellsHowEachAttemptEnded) {
  Record(MakeExecution("//a:test", 1, 1, 100));
  store::NewExecution bad = MakeExecution("//b:test", 1, 1, 100);
  const store::Blob damaged = store::MakeBlob("no profile");
  bad.profiles[0].data = damaged.name;
  bad.blobs[1] = damaged;
  Record(bad);
  bool failed = false;
  const store::Blobs blobs = HookedBlobs([&] {
    now_ += absl::Seconds(1);
    return std::exchange(failed, true) ? absl::OkStatus()
                                       : absl::UnavailableError("the database went away");
  });
  std::vector<std::string> ends;
  WorkerOptions options = Options("w");
  options.on_ended = [&ends](const EndedAnalysis& ended) {
    EXPECT_GT(ended.took, absl::ZeroDuration());
    ends.emplace_back(ended.outcome);
  };
  Worker worker(store_.jobs, store_.reading, blobs, AnalyzeTarget, options);
  EXPECT_FALSE(worker.RunOnce().ok());
  while (*worker.RunOnce()) {
  }
  std::sort(ends.begin(), ends.end());
  EXPECT_EQ(ends, std::vector<std::string>({"again", "done", "failed"}));
}

TEST_F(WorkerTest, TakesOverTheJobOfAWorkerThatDied) {
  Record(MakeExecution("//db:test", 1, 1, 100));
  ASSERT_TRUE(store_.jobs.Claim("dead", now_, absl::Minutes(1), 8)->has_value());
  Worker worker(store_.jobs, store_.reading, store_.blobs, AnalyzeTarget, Options("w"));
  EXPECT_FALSE(*worker.RunOnce());
  now_ += absl::Minutes(2);
  EXPECT_TRUE(*worker.RunOnce());
  EXPECT_EQ(Target(0).state, store::TargetState::kAnalyzed);
}

TEST_F(WorkerTest, KeepsItsLeaseForAsLongAsItWorks) {
  Record(MakeExecution("//db:test", 1, 1, 100));
  // The analysis continues only after the second extension of the lease. The clock is read for the
  // claim, for the start of the analysis, then for each extension.
  absl::Notification extended_twice;
  std::atomic<int> asked = 0;
  WorkerOptions options = Options("w");
  options.heartbeat = absl::Milliseconds(1);
  options.now = [&] {
    if (asked++ == 3) extended_twice.Notify();
    return now_;
  };
  const store::Blobs blobs = HookedBlobs([&extended_twice] {
    extended_twice.WaitForNotification();
    return absl::OkStatus();
  });
  Worker worker(store_.jobs, store_.reading, blobs, AnalyzeTarget, options);
  ASSERT_TRUE(worker.RunOnce().ok());
  EXPECT_EQ(Target(0).state, store::TargetState::kAnalyzed);
}

TEST_F(WorkerTest, LeavesAJobToTheWorkerThatTookItOver) {
  Record(MakeExecution("//db:test", 1, 1, 100));
  bool taken = false;
  const store::Blobs blobs = HookedBlobs([&] {
    if (!std::exchange(taken, true)) {
      now_ += absl::Minutes(2);
      EXPECT_TRUE(store_.jobs.Claim("other", now_, absl::Minutes(1), 8)->has_value());
    }
    return absl::OkStatus();
  });
  Worker worker(store_.jobs, store_.reading, blobs, AnalyzeTarget, Options("w"));
  const auto worked = worker.RunOnce();
  EXPECT_TRUE(worked.ok()) << worked.status();
  EXPECT_TRUE(taken);
  EXPECT_EQ(Target(0).state, store::TargetState::kPending);
}

TEST_F(WorkerTest, GivesTheJobBackWhenItIsStopped) {
  Record(MakeExecution("//db:test", 1, 1, 100));
  base::StopToken stopping;
  const store::Blobs blobs = HookedBlobs([&stopping] {
    stopping.Set();
    return absl::OkStatus();
  });
  Worker worker(store_.jobs, store_.reading, blobs, AnalyzeTarget, Options("w"));
  EXPECT_FALSE(worker.RunOnce(stopping).ok());
  EXPECT_EQ(Target(0).state, store::TargetState::kPending);
  Worker other(store_.jobs, store_.reading, store_.blobs, AnalyzeTarget, Options("other"));
  EXPECT_TRUE(*other.RunOnce());  // without waiting for the lease to expire
}

TEST_F(WorkerTest, WakesUpForAJobAndStopsWhenTold) {
  absl::Notification looked;
  WorkerOptions options = Options("w");
  options.now = [&] {
    if (!looked.HasBeenNotified()) looked.Notify();
    return now_;
  };
  Worker worker(store_.jobs, store_.reading, store_.blobs, AnalyzeTarget, options);
  base::WorkLoop::Waits waits;
  waits.poll = absl::InfiniteDuration();  // only a wake-up makes it look again
  base::WorkLoop loop(
      waits, [&worker](const base::StopToken& stopping) { return worker.RunOnce(stopping); });
  looked.WaitForNotification();
  Record(MakeExecution("//db:test", 1, 1, 100));
  loop.Wake();
  while (Target(0).state != store::TargetState::kAnalyzed) std::this_thread::yield();
}

TEST_F(WorkerTest, SharesABacklogWithOthersAndLosesNothing) {
  constexpr int kTargets = 20;
  for (int i = 0; i < kTargets; ++i) {
    Record(MakeExecution(absl::StrCat("//db:test_", i), 1, 1, 100 + i));
  }
  std::atomic<int> completed = 0;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    workers.push_back(std::make_unique<Worker>(store_.jobs, store_.reading, store_.blobs,
                                               AnalyzeTarget, Options(absl::StrCat("w", i))));
    threads.emplace_back([worker = workers.back().get(), &completed] {
      while (*worker->RunOnce()) ++completed;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(completed, kTargets);
  const auto targets = store_.reading.ListTargets(1);
  ASSERT_TRUE(targets.ok()) << targets.status();
  for (const store::TargetRecord& target : *targets) {
    EXPECT_EQ(target.state, store::TargetState::kAnalyzed) << target.label;
  }
}

}  // namespace

}  // namespace gprofhub::analyzer
