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
#include "reporter/history/history.h"

namespace gprofhub::reporter {

// Profiles in memory. The commits are "c0", "c1" and so on.
class MemoryHistory final : public History {
 public:
  using Runs = std::vector<profile::ComputedProfile>;

  // Adds a release with the runs of its targets. A target without a run was not measured there.
  void AddRuns(std::map<std::string, Runs> runs, bool unchanged = false) {
    HistoryRelease release;
    release.about.set_commit(absl::StrCat("c", releases_.size()));
    for (size_t i = releases_.size(); i-- > 0;) release.ancestors.push_back(absl::StrCat("c", i));
    releases_.push_back(release);
    unchanged_.push_back(unchanged);
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

  const std::vector<HistoryRelease>& releases() const override { return releases_; }
  const std::vector<std::string>& targets() const override { return targets_; }

  absl::StatusOr<std::vector<ReleaseSeries>> ReadSeries(const std::string& target,
                                                        uint32_t bucket) override {
    if (!error_.ok()) return error_;
    std::vector<ReleaseSeries> series(releases_.size());
    for (size_t i = 0; i < releases_.size(); ++i) {
      series[i].unchanged = unchanged_[i];
      for (const profile::ComputedProfile& run : RunsOf(target, i)) {
        series[i].measured = true;
        series[i].segments.push_back(*profile::DecodeSeries(profile::EncodeSeries(run)[bucket]));
      }
    }
    return series;
  }

  absl::StatusOr<Runs> ReadProfiles(const std::string& target, size_t release) override {
    if (!error_.ok()) return error_;
    return RunsOf(target, release);
  }

 private:
  Runs RunsOf(const std::string& target, size_t release) const {
    const auto runs = runs_[release].find(target);
    return runs == runs_[release].end() ? Runs() : runs->second;
  }

  std::vector<HistoryRelease> releases_;
  std::vector<bool> unchanged_;
  std::vector<std::string> targets_;
  std::vector<std::map<std::string, Runs>> runs_;
  absl::Status error_;
};

}  // namespace gprofhub::reporter
