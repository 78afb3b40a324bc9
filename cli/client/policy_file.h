// The repository's policy file, where a command finds it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/findings.pb.h"
#include "reporter/gate/policy.h"
#include "reporter/history/series_change_points.h"

namespace gprofhub::cli {

// A history in a local folder, computed without a server.

// The target of local profiles.
inline constexpr char kLocalTarget[] = "local";

// One release per subfolder of a folder, in the order of their names; each has one run or several,
// as ReadLocalRuns reads them. Profiles are read once and kept encoded, as in a store.
class LocalHistory final : public reporter::History {
 public:
  // At most `limit` releases, the last ones. NOT_FOUND for a folder that is not
  // there, or without a profile; else ReadLocalRuns's errors, which name the file.
  static absl::StatusOr<LocalHistory> Read(const std::string& folder, const std::string& image,
                                           size_t limit);

  const std::vector<v1::Release>& releases() const override { return releases_; }
  const std::vector<std::string>& targets() const override { return targets_; }
  absl::StatusOr<std::vector<reporter::ReleaseSeries>> ReadSeries(
      const std::string& target, reporter::Buckets buckets) override;
  absl::StatusOr<std::vector<profile::ComputedProfile>> ReadProfiles(const std::string& target,
                                                                     size_t release) override;
  // None: they are unknown.
  absl::StatusOr<std::vector<std::string>> ReadAncestors(size_t release) override;

 private:
  struct Run {
    std::string profile;              // EncodeComputedProfile
    std::vector<std::string> series;  // EncodeSeries
  };

  std::vector<v1::Release> releases_;
  std::vector<std::string> targets_ = {kLocalTarget};
  std::vector<std::vector<Run>> runs_;  // by release
};

// Owners of findings, from the files of the working directory.

// The owners of a finding, by the policy and by the CODEOWNERS of the working directory. Unreadable
// files yield no owners.
std::function<std::vector<std::string>(const v1::Finding&)> OwnersHere(
    const reporter::Policy& policy);

// The file given, else the one that FindProjectFile finds, else the default policy.
// NOT_FOUND for a file that cannot be read; else as ParsePolicy.
absl::StatusOr<reporter::Policy> ReadPolicyFile(const std::string& given);

}  // namespace gprofhub::cli
