// Cost of a long history: a store is filled with runs, each of 20 targets of 200 functions, and a
// function's trend is queried, over the newest 100, 1,000 and 10,000 of them. Compared, in turns,
// with the list of the same runs, and with what the trend reads: heads of runs, and the function's
// packed points.
//
//   history_cost FOLDER RUNS [TARGETS]     on SQLite; a folder that was filled before is only asked
//   history_cost postgres RUNS [TARGETS]   on a PostgreSQL server that it starts
//
// The profiles are made: counts that stay and step now and then, samples that scatter. They go
// through the store's own queue. A folder in memory (/dev/shm) fills faster, and answers alike.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/worker/worker.h"
#include "benchmarks/scale/filled_store.h"
#include "benchmarks/scale/measuring.h"
#include "profile/codec/computed.h"
#include "profile/codec/series.h"
#include "profile/computed.h"
#include "reporter/queries/changes.h"
#include "reporter/queries/runs.h"
#include "reporter/queries/trends.h"
#include "reporter/rendering/trend.h"
#include "store/testing/temp_store.h"

namespace gprofhub::scale {
namespace {

constexpr int kFunctions = 200;
constexpr int kDefaultTargets = 20;
constexpr int kRequests = 60;
constexpr int kChanges = 5;
// As workers do (analyzer/worker/worker.h).
constexpr uint32_t kSealAt = 64;
constexpr uint32_t kMergeAt = 16;
constexpr char kBranch[] = "main";

std::string NameOf(int target, int function) {
  // Half of a target's functions are those of a library that all targets use.
  const std::string name = absl::StrCat("function", function);
  const std::string space = function % 2 == 0 ? "base" : absl::StrCat("t", target);
  return absl::StrCat("_ZN", space.size(), space, name.size(), name, "Ev");
}

profile::ComputedProfile ProfileOf(int run, int target, std::mt19937_64& random) {
  profile::ComputedProfile profile;
  profile.sample_rate = 2000;
  profile.strings = {""};
  for (int i = 0; i < kFunctions; ++i) {
    profile::FunctionCost function;
    function.name = static_cast<uint32_t>(profile.strings.size());
    profile.strings.push_back(NameOf(target, i));
    // Each function steps once in about 2,000 runs.
    const int steps = (run + 37 * i + 411 * target) / 2000;
    function.calls = static_cast<uint64_t>(i + 1) * static_cast<uint64_t>(100 + 7 * steps);
    const double level = 4000.0 / (1 + i);
    std::normal_distribution<double> noise(level, std::sqrt(level));
    function.self_samples = std::max(0.0, std::round(noise(random)));
    function.child_samples = std::max(0.0, noise(random) / 3);
    profile.functions.push_back(function);
  }
  return profile;
}

struct HistorySize {
  int runs = 0;
  int targets = kDefaultTargets;
};

void Fill(const store::Store& store, const HistorySize& size) {
  std::mt19937_64 random(1);
  std::vector<std::string> ancestors;
  for (int run = 0; run < size.runs; ++run) {
    for (int target = 0; target < size.targets; ++target) {
      store::NewExecution execution = ExecutionOf(run, absl::StrCat("//t", target, ":test"));
      execution.run.ancestors = ancestors;
      store::AnalysisResult result;
      // The same for all runs: what is measured is the series.
      std::mt19937_64 constant(static_cast<uint64_t>(target));
      result.computed =
          store::MakeBlob(profile::EncodeComputedProfile(ProfileOf(0, target, constant)));
      for (std::string& payload : profile::EncodeSeries(ProfileOf(run, target, random))) {
        const auto bucket = static_cast<uint32_t>(result.segments.size());
        result.segments.push_back({0, "", bucket, std::move(payload)});
      }
      const store::Job job = AddAnalyzed(store, execution, std::move(result));
      if (OrDie(store.jobs.SealPoints(job, kSealAt, analyzer::PackPoints))) {
        OrDie(store.jobs.MergeSeals(job, kMergeAt, analyzer::MergePoints));
      }
    }
    ancestors.insert(ancestors.begin(), CommitOf(run));
    if (ancestors.size() > 100) ancestors.pop_back();
    if (run % 500 == 499) std::cerr << run + 1 << " runs\n";
  }
}

// Of `ask`, as often as of trends.
void MeasureOne(const std::string& name, int requests, const std::function<void()>& ask) {
  std::vector<double> taken;
  for (int i = 0; i < requests; ++i) taken.push_back(MillisecondsOf(ask));
  absl::PrintF("%s: median %.1f ms, 99 of 100 %.1f ms\n", name, Quantile(taken, 0.5),
               Quantile(taken, 0.99));
}

v1::GetChangesRequest ChangesOver(int runs) {
  v1::GetChangesRequest request;
  request.set_project(kProject);
  request.set_branch(kBranch);
  request.set_runs(static_cast<uint32_t>(runs));
  return request;
}

void MeasureLists(const store::Store& store, const store::Upkeep& upkeep, int runs) {
  v1::ListRunsRequest request;
  request.set_project(kProject);
  request.set_limit(static_cast<uint32_t>(std::min(1000, runs)));
  const auto list = [&] { OrDie(reporter::ListRuns(store.reading, request)); };
  MeasureOne(absl::StrCat("runs --limit ", request.limit(), ", counted anew"), kRequests, list);
  // As housekeeping does.
  OrDie(upkeep.run_counts.Keep({}));
  MeasureOne(absl::StrCat("runs --limit ", request.limit(), ", as counts are kept"), kRequests,
             list);
  for (const int of : {101, 500}) {
    if (of > runs) break;
    MeasureOne(absl::StrCat("changes --runs ", of, ", found anew"), kChanges,
               [&] { OrDie(reporter::GetChanges(store.reading, store.blobs, ChangesOver(of))); });
  }
  // As a reporter does when a run was analysed.
  const v1::GetChangesRequest kept = ChangesOver(reporter::kDefaultChangeRuns);
  const reporter::FoundChanges found =
      OrDie(reporter::FindChanges(store.reading, store.blobs, kept));
  if (found.to_keep.has_value()) OrDie(store.reports.KeepChanges(found.branch, *found.to_keep));
  MeasureOne("changes, as they are kept", kRequests,
             [&] { OrDie(reporter::GetChanges(store.reading, store.blobs, kept)); });
}

void Measure(const store::Store& store, const HistorySize& size) {
  ForgetPeak();
  const long before = PeakMegabytes();
  absl::PrintF("%8s %12s %12s %12s %12s %12s\n", "runs", "trend p50", "trend p99", "list p50",
               "heads p50", "points p50");
  for (const int limit : {100, 1000, 10000}) {
    if (limit > size.runs) break;
    std::vector<double> trend, list, heads, points;
    for (int i = 0; i < kRequests; ++i) {
      v1::GetTrendRequest request;
      request.set_project(kProject);
      request.set_branch(kBranch);
      request.set_function(NameOf(i % size.targets, (13 * i) % kFunctions));
      request.set_limit(static_cast<uint32_t>(limit));
      trend.push_back(MillisecondsOf([&] {
        const v1::GetTrendResponse response =
            OrDie(reporter::GetTrend(store.reading, store.blobs, request));
        if (response.points_size() != limit) OrDie(absl::InternalError("points are missing"));
      }));
      store::RunFilter filter;
      filter.project = kProject;
      filter.branch = kBranch;
      filter.limit = static_cast<uint32_t>(limit);
      list.push_back(MillisecondsOf([&] { OrDie(store.reading.ListRuns(filter)); }));
      std::vector<store::RunHead> runs;
      heads.push_back(MillisecondsOf([&] { runs = OrDie(store.reading.ListRunHeads(filter)); }));
      const uint64_t hash = profile::FunctionHash(request.function(), "");
      store::PointQuery query;
      query.project = kProject;
      query.branches = {kBranch};
      query.first_run_id = runs.back().id;
      query.last_run_id = runs.front().id;
      query.bucket = profile::SeriesBucket(hash);
      query.functions = {static_cast<int64_t>(hash)};
      points.push_back(MillisecondsOf([&] { OrDie(store.reading.ReadPoints(query)); }));
    }
    absl::PrintF("%8d %9.2f ms %9.2f ms %9.2f ms %9.2f ms %9.2f ms\n", limit, Quantile(trend, 0.5),
                 Quantile(trend, 0.99), Quantile(list, 0.5), Quantile(heads, 0.5),
                 Quantile(points, 0.5));
  }
  absl::PrintF("peak memory: %d MB, %d MB of them before\n", PeakMegabytes(), before);
}

// A trend by days and by weeks over all runs: of the runs, then of summaries.
void MeasurePeriods(const store::Store& store, const store::Upkeep& upkeep, int targets,
                    const std::string& of) {
  for (const v1::TrendBy by : {v1::BY_DAY, v1::BY_WEEK}) {
    int i = 0;
    int periods = 0;
    MeasureOne(
        absl::StrCat("trend by ", reporter::NameOfTrendBy(by), "s, of ", of), kRequests, [&] {
          v1::GetTrendRequest request;
          request.set_project(kProject);
          request.set_branch(kBranch);
          request.set_function(NameOf(i % targets, (13 * i) % kFunctions));
          request.set_by(by);
          request.set_limit(1000);
          ++i;
          periods = OrDie(reporter::GetTrend(store.reading, store.blobs, request)).periods_size();
        });
    absl::PrintF("    %d of them\n", periods);
  }
  if (of != "runs") return;
  reporter::SummaryOptions options;
  options.now = [] { return absl::InfiniteFuture(); };
  uint64_t spans = 0;
  const double took = MillisecondsOf(
      [&] { spans = OrDie(KeepSummaries(store.reading, upkeep.summaries, options)); });
  absl::PrintF("%d spans of four weeks summarised in %.1f s\n", spans, took / 1000);
  MeasurePeriods(store, upkeep, targets, "summaries");
}

int Main(const std::string& where, const HistorySize& size) {
  const OpenedStore opened = OpenAt(where);
  if (opened.is_empty) {
    const double filled = MillisecondsOf([&] { Fill(opened.store, size); });
    absl::PrintF("%d runs of %d targets of %d functions in %.0f s\n", size.runs, size.targets,
                 kFunctions, filled / 1000);
  }
  std::cout << MachineNow() << "\n";
  Measure(opened.store, size);
  std::cout << MachineNow() << "\n";
  MeasurePeriods(opened.store, opened.upkeep, size.targets, "runs");
  std::cout << MachineNow() << "\n";
  MeasureLists(opened.store, opened.upkeep, size.runs);
  std::cout << MachineNow() << "\n";
  return 0;
}

}  // namespace
}  // namespace gprofhub::scale

int main(int argc, char** argv) {
  gprofhub::scale::HistorySize size;
  if (argc < 3 || argc > 4 || !absl::SimpleAtoi(argv[2], &size.runs) || size.runs < 100 ||
      (argc == 4 && (!absl::SimpleAtoi(argv[3], &size.targets) || size.targets < 1))) {
    std::cerr << "usage: history_cost FOLDER|postgres RUNS [TARGETS] (100 runs or more)\n";
    return 2;
  }
  return gprofhub::scale::Main(argv[1], size);
}
