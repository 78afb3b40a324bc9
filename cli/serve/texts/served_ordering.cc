#include "cli/serve/texts/served_ordering.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "analyzer/linker_files/test_code.h"
#include "analyzer/ordering/ordering_graph.h"
#include "base/decoding/decoding.h"
#include "base/glob.h"
#include "cli/order/ordering_text.h"
#include "reporter/queries/find_run.h"
#include "reporter/queries/read_profiles.h"

namespace gprofhub::cli {
namespace {

constexpr uint32_t kMostRuns = 100;
constexpr int kMostPatterns = 1000;
constexpr size_t kMostPatternBytes = 1000;
constexpr double kMostWeight = 1e6;

absl::Status CheckRequest(const v1::GetOrderingRequest& request) {
  if (request.history() > kMostRuns || request.more_runs_size() >= static_cast<int>(kMostRuns)) {
    return absl::InvalidArgumentError(
        absl::StrCat("history, more_runs: at most ", kMostRuns, " runs"));
  }
  if (!(request.half_life_days() >= 0) || std::isinf(request.half_life_days())) {
    return absl::InvalidArgumentError("half_life_days: must not be below 0");
  }
  if (request.workloads_size() > kMostPatterns || request.exclude_size() > kMostPatterns) {
    return absl::InvalidArgumentError(absl::StrCat("workloads, exclude: at most ", kMostPatterns));
  }
  for (int i = 0; i < request.workloads_size(); ++i) {
    const v1::OrderingWorkload& workload = request.workloads(i);
    if (workload.target().size() > kMostPatternBytes || !(workload.weight() >= 0) ||
        workload.weight() > kMostWeight) {
      return absl::InvalidArgumentError(
          absl::StrCat("workloads[", i, "]: must have a target of at most ", kMostPatternBytes,
                       " bytes and a weight from 0 to ", kMostWeight));
    }
  }
  for (const std::string& pattern : request.exclude()) {
    if (pattern.size() > kMostPatternBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("exclude: at most ", kMostPatternBytes, " bytes each"));
    }
  }
  return absl::OkStatus();
}

// Those named, then those of the first one's history; each once.
absl::StatusOr<std::vector<store::RunRecord>> FindRuns(const store::Reading& reading,
                                                       const v1::GetOrderingRequest& request) {
  std::vector<store::RunRecord> runs;
  std::set<int64_t> known;
  const auto add = [&](const store::RunRecord& run) {
    if (known.insert(run.id).second) runs.push_back(run);
  };
  absl::StatusOr<store::RunRecord> first =
      reporter::FindRun(reading, request.project(), request.run());
  if (!first.ok()) return first.status();
  add(*first);
  for (const std::string& name : request.more_runs()) {
    const absl::StatusOr<store::RunRecord> run =
        reporter::FindRun(reading, request.project(), name);
    if (!run.ok()) return run.status();
    add(*run);
  }
  if (request.history() <= 1) return runs;
  store::RunFilter filter;
  filter.project = request.project();
  filter.configuration = first->configuration;
  filter.mainline_only = true;
  filter.until = first->ordered;
  filter.limit = request.history() + 1;  // the first one may be among them
  const absl::StatusOr<std::vector<store::RunRecord>> mainline = reading.ListRuns(filter);
  if (!mainline.ok()) return mainline.status();
  uint32_t taken = 1;
  for (const store::RunRecord& run : *mainline) {
    if (taken == request.history()) break;
    if (run.id == first->id) continue;
    add(run);
    ++taken;
  }
  return runs;
}

double WeightOf(const v1::GetOrderingRequest& request, const std::string& label) {
  for (const v1::OrderingWorkload& workload : request.workloads()) {
    if (base::GlobMatches(workload.target(), label)) return workload.weight();
  }
  return 1;
}

// A target's profile in one of the runs.
struct Evidence {
  store::TargetRecord target;
  double weight = 1;  // by age
};

}  // namespace

absl::StatusOr<std::string> OrderingText(const store::Reading& reading,
                                         const reporter::BlobReader& blobs,
                                         const v1::GetOrderingRequest& request) {
  if (absl::Status status = CheckRequest(request); !status.ok()) return status;
  const absl::StatusOr<std::vector<store::RunRecord>> runs = FindRuns(reading, request);
  if (!runs.ok()) return runs.status();
  absl::Time newest = absl::InfinitePast();
  for (const store::RunRecord& run : *runs) newest = std::max(newest, run.ordered);

  std::map<std::string, std::vector<Evidence>> by_label;
  for (const store::RunRecord& run : *runs) {
    const absl::StatusOr<std::vector<store::TargetRecord>> targets = reading.ListTargets(run.id);
    if (!targets.ok()) return targets.status();
    if (!request.target().empty() && run.id == runs->front().id) {
      const absl::StatusOr<store::TargetRecord> target =
          reporter::FindTarget(reading, run, request.target());
      if (!target.ok()) return target.status();
    }
    const double days = absl::FDivDuration(newest - run.ordered, absl::Hours(24));
    const double weight =
        request.half_life_days() > 0 ? std::exp2(-days / request.half_life_days()) : 1;
    for (const store::TargetRecord& target : *targets) {
      const bool asked = request.target().empty() || target.label == request.target();
      // The weight of a very old run underflows and would not be positive.
      if (asked && !target.computed.empty() && weight > 1e-9) {
        by_label[target.label].push_back({target, weight});
      }
    }
  }
  if (by_label.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "run ", runs->front().id, " is not analysed yet; `gprofhub runs --wait` waits for it"));
  }

  analyzer::ExcludeOptions options;
  options.tests = !request.with_tests();
  options.patterns.assign(request.exclude().begin(), request.exclude().end());
  analyzer::OrderingGraphBuilder builder;
  base::GrowingMemory graph_memory(blobs.decoding());
  for (const auto& [label, evidence] : by_label) {
    const double target_weight = WeightOf(request, label);
    if (target_weight == 0) continue;
    double total = 0;
    for (const Evidence& one : evidence) total += one.weight;
    for (size_t i = 0; i < evidence.size(); ++i) {
      absl::Status grown = graph_memory.GrowTo(builder.MemoryUsed());
      if (!grown.ok()) return grown;
      const base::DecodingScope scope(blobs.decoding());
      const absl::StatusOr<profile::ComputedProfile> profile =
          reporter::ReadTargetProfile(blobs, evidence[i].target);
      if (!profile.ok()) return profile.status();
      const double weight = target_weight * evidence[i].weight / total;
      const std::vector<bool> excluded = analyzer::ExcludedFunctions(*profile, options);
      if (i == 0) {
        builder.AddRun(*profile, weight, excluded);
      } else {
        builder.AddToRun(*profile, weight, excluded);
      }
    }
  }
  const analyzer::OrderingGraph graph = builder.Take();
  if (graph.functions.empty()) {
    return absl::NotFoundError(
        absl::StrCat("run ", runs->front().id,
                     ": no function is left to order; test code, excluded functions "
                     "and targets of weight 0 are left out"));
  }
  return OrderingTextOf(graph,
                        request.call_graph() ? OrderingForm::kCallGraph : OrderingForm::kSymbols);
}

}  // namespace gprofhub::cli
