#include "cli/client/policy_file.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "cli/client/profiles.h"
#include "cli/command/project_file.h"
#include "profile/codec/computed.h"
#include "reporter/gate/policy.h"

namespace gprofhub::cli {

namespace fs = std::filesystem;

absl::StatusOr<LocalHistory> LocalHistory::Read(const std::string& folder, const std::string& image,
                                                size_t limit) {
  std::vector<fs::path> subfolders;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_directory()) subfolders.push_back(entry->path());
  }
  if (error) {
    return absl::NotFoundError(absl::StrCat(folder, " cannot be read: ", error.message()));
  }
  std::sort(subfolders.begin(), subfolders.end());
  std::vector<fs::path> with_profiles;
  for (const fs::path& subfolder : subfolders) {
    const absl::StatusOr<std::vector<RunFiles>> files = FindRunFiles(subfolder.string());
    if (absl::IsNotFound(files.status())) continue;
    if (!files.ok()) return files.status();
    with_profiles.push_back(subfolder);
  }
  if (with_profiles.empty()) {
    return absl::NotFoundError(absl::StrCat(
        folder, " has no subfolder with a profile; give a folder with one subfolder per release"));
  }
  if (with_profiles.size() > limit) {
    with_profiles.erase(with_profiles.begin(), with_profiles.end() - static_cast<ptrdiff_t>(limit));
  }
  LocalHistory history;
  for (const fs::path& subfolder : with_profiles) {
    ASSIGN_OR_RETURN(const std::vector<profile::ComputedProfile> profiles,
                     ReadLocalRuns(subfolder.string(), image));
    history.releases_.emplace_back().set_run_id(subfolder.filename().string());
    std::vector<Run>& runs = history.runs_.emplace_back();
    for (const profile::ComputedProfile& profile : profiles) {
      Run run;
      run.profile = profile::EncodeComputedProfile(profile);
      run.series = profile::EncodeSeries(profile);
      runs.push_back(std::move(run));
    }
  }
  return history;
}

absl::StatusOr<std::vector<reporter::ReleaseSeries>> LocalHistory::ReadSeries(
    const std::string& target, reporter::Buckets buckets) {
  std::vector<reporter::ReleaseSeries> series(releases_.size());
  if (target != kLocalTarget) return series;
  for (size_t release = 0; release < runs_.size(); ++release) {
    series[release].measured = true;
    for (const Run& run : runs_[release]) {
      profile::SeriesSegment& segment = series[release].segments.emplace_back();
      for (uint32_t i = 0; i < buckets.count; ++i) {
        ASSIGN_OR_RETURN(profile::SeriesSegment of_bucket,
                         profile::DecodeSeries(run.series[buckets.first + i]));
        reporter::AddBucket(std::move(of_bucket), segment);
      }
    }
  }
  return series;
}

absl::StatusOr<std::vector<std::string>> LocalHistory::ReadAncestors(size_t /*release*/) {
  return std::vector<std::string>();
}

absl::StatusOr<std::vector<profile::ComputedProfile>> LocalHistory::ReadProfiles(
    const std::string& target, size_t release) {
  std::vector<profile::ComputedProfile> profiles;
  if (target != kLocalTarget) return profiles;
  for (const Run& run : runs_[release]) {
    ASSIGN_OR_RETURN(profile::ComputedProfile profile, profile::DecodeComputedProfile(run.profile));
    profiles.push_back(std::move(profile));
  }
  return profiles;
}

std::function<std::vector<std::string>(const v1::Finding&)> OwnersHere(
    const reporter::Policy& policy) {
  reporter::CodeOwners owners;
  for (const char* path : reporter::kCodeOwnersFiles) {
    const absl::StatusOr<std::string> text = base::ReadFile(path);
    if (!text.ok()) continue;
    owners = reporter::ParseCodeOwners(*text);
    break;
  }
  return [policy, owners](const v1::Finding& finding) {
    return reporter::OwnersOf(policy, owners, finding);
  };
}

absl::StatusOr<reporter::Policy> ReadPolicyFile(const std::string& given) {
  static_assert(absl::string_view(reporter::kPolicyFile) == kProjectFile);
  const std::string path = given.empty() ? FindProjectFile() : given;
  if (path.empty()) return reporter::DefaultPolicy();
  ASSIGN_OR_RETURN(const std::string text, base::ReadFile(path));
  return reporter::ParsePolicy(text, path);
}

}  // namespace gprofhub::cli
