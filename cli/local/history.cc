#include "cli/local/history.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/local/files.h"
#include "cli/local/profiles.h"
#include "profile/codec/computed.h"

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
    const absl::StatusOr<std::vector<profile::ComputedProfile>> profiles =
        ReadLocalRuns(subfolder.string(), image);
    if (!profiles.ok()) return profiles.status();
    reporter::HistoryRelease release;
    release.about.set_run_id(subfolder.filename().string());
    history.releases_.push_back(std::move(release));
    std::vector<Run>& runs = history.runs_.emplace_back();
    for (const profile::ComputedProfile& profile : *profiles) {
      Run run;
      run.profile = profile::EncodeComputedProfile(profile);
      run.series = profile::EncodeSeries(profile);
      runs.push_back(std::move(run));
    }
  }
  return history;
}

absl::StatusOr<std::vector<reporter::ReleaseSeries>> LocalHistory::ReadSeries(
    const std::string& target, uint32_t bucket) {
  std::vector<reporter::ReleaseSeries> series(releases_.size());
  if (target != kLocalTarget) return series;
  for (size_t release = 0; release < runs_.size(); ++release) {
    series[release].measured = true;
    for (const Run& run : runs_[release]) {
      absl::StatusOr<profile::SeriesSegment> segment = profile::DecodeSeries(run.series[bucket]);
      if (!segment.ok()) return segment.status();
      series[release].segments.push_back(*std::move(segment));
    }
  }
  return series;
}

absl::StatusOr<std::vector<profile::ComputedProfile>> LocalHistory::ReadProfiles(
    const std::string& target, size_t release) {
  std::vector<profile::ComputedProfile> profiles;
  if (target != kLocalTarget) return profiles;
  for (const Run& run : runs_[release]) {
    absl::StatusOr<profile::ComputedProfile> profile = profile::DecodeComputedProfile(run.profile);
    if (!profile.ok()) return profile.status();
    profiles.push_back(*std::move(profile));
  }
  return profiles;
}

}  // namespace gprofhub::cli
