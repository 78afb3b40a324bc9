// In-memory history, for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "profile/codec/series.h"
#include "profile/computed.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/comparison/renames.h"
#include "reporter/findings/function_rows.h"
#include "reporter/history/series_change_points.h"

namespace gprofhub::reporter {

// Synthetic findings and reports, for tests.

inline v1::Finding MakeFinding(const std::string& function, v1::Finding::Metric metric,
                               const std::string& caller = "",
                               const std::string& target = "//a:test") {
  v1::Finding finding;
  finding.set_verdict(v1::Finding::REGRESSED);
  finding.set_metric(metric);
  finding.set_function(function);
  finding.set_caller(caller);
  finding.set_target(target);
  finding.set_before(100);
  finding.set_after(150);
  finding.set_effect_percent(50);
  finding.set_impact(0.1);
  finding.set_material(true);
  finding.set_exact(metric == v1::Finding::CALLS);
  return finding;
}

inline v1::Finding Calls(const std::string& function, const std::string& caller = "") {
  return MakeFinding(function, v1::Finding::CALLS, caller);
}

inline v1::Report MakeReport(const std::vector<v1::Finding>& findings) {
  v1::Report report;
  report.mutable_compared()->mutable_base()->set_commit("1111");
  for (const v1::Finding& finding : findings) *report.add_findings() = finding;
  SetTestEffects(report);
  return report;
}

// Two sides of a comparison at intermediate stages of reporter/comparison/, for tests.

// Runs after functions were looked up and costs added, but before pairing.
struct MatchedSides {
  using Runs = std::vector<profile::ComputedProfile>;

  MatchedSides(Runs base, Runs head) : before(std::move(base)), after(std::move(head)) {
    matched.runs_before = before.size();
    matched.runs_after = after.size();
    matched.repetitions_before = RepetitionsOf(before);
    matched.repetitions_after = RepetitionsOf(after);
    FunctionIndex index(before.size() + after.size(), matched);
    for (SideRuns& side : sides) {
      for (const profile::ComputedProfile& run : side.profiles) side.Add(index.Add(run));
    }
    AddCosts(sides[0], false, 0, matched);
    AddCosts(sides[1], true, before.size(), matched);
  }
  MatchedSides(const MatchedSides&) = delete;
  MatchedSides& operator=(const MatchedSides&) = delete;

  const Runs before, after;
  MatchedTarget matched;
  SideRuns sides[2] = {{before}, {after}};
};

// Profiles in memory. The commits are "c0", "c1" and so on.
class MemoryHistory final : public History {
 public:
  using Runs = std::vector<profile::ComputedProfile>;

  // Adds a release with the runs of its targets. A target without a run was not measured there.
  void AddRuns(std::map<std::string, Runs> runs, bool unchanged = false,
               bool same_binaries = false) {
    v1::Release release;
    release.set_commit(absl::StrCat("c", releases_.size()));
    releases_.push_back(release);
    unchanged_.push_back(unchanged);
    same_binaries_.push_back(same_binaries);
    for (const auto& [label, of_target] : runs) {
      if (std::find(targets_.begin(), targets_.end(), label) == targets_.end()) {
        targets_.push_back(label);
      }
    }
    runs_.push_back(std::move(runs));
  }

  // Adds a release with one run of each target.
  void Add(const std::map<std::string, profile::ComputedProfile>& profiles,
           bool unchanged = false) {
    std::map<std::string, Runs> runs;
    for (const auto& [label, profile] : profiles) runs[label] = {profile};
    AddRuns(std::move(runs), unchanged);
  }

  // All further reads return the error.
  void Break(absl::Status error) { error_ = std::move(error); }

  const std::vector<v1::Release>& releases() const override { return releases_; }
  const std::vector<std::string>& targets() const override { return targets_; }

  absl::StatusOr<std::vector<ReleaseSeries>> ReadSeries(const std::string& target,
                                                        Buckets buckets) override {
    if (!error_.ok()) return error_;
    std::vector<ReleaseSeries> series(releases_.size());
    for (size_t i = 0; i < releases_.size(); ++i) {
      series[i].unchanged = unchanged_[i];
      series[i].same_binaries = same_binaries_[i];
      for (const profile::ComputedProfile& run : RunsOf(target, i)) {
        series[i].measured = true;
        const std::vector<std::string> encoded = profile::EncodeSeries(run);
        profile::SeriesSegment& segment = series[i].segments.emplace_back();
        for (uint32_t k = 0; k < buckets.count; ++k) {
          AddBucket(*profile::DecodeSeries(encoded[buckets.first + k]), segment);
        }
      }
    }
    return series;
  }

  absl::StatusOr<Runs> ReadProfiles(const std::string& target, size_t release) override {
    if (!error_.ok()) return error_;
    return RunsOf(target, release);
  }

  absl::StatusOr<std::vector<std::string>> ReadAncestors(size_t release) override {
    if (!error_.ok()) return error_;
    std::vector<std::string> ancestors;
    for (size_t i = release; i-- > 0;) ancestors.push_back(absl::StrCat("c", i));
    return ancestors;
  }

 private:
  Runs RunsOf(const std::string& target, size_t release) const {
    const auto runs = runs_[release].find(target);
    return runs == runs_[release].end() ? Runs() : runs->second;
  }

  std::vector<v1::Release> releases_;
  std::vector<bool> unchanged_, same_binaries_;
  std::vector<std::string> targets_;
  std::vector<std::map<std::string, Runs>> runs_;
  absl::Status error_;
};

}  // namespace gprofhub::reporter
