#include "reporter/queries/stored_history.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "reporter/queries/line_points.h"
#include "reporter/queries/read_profiles.h"

namespace gprofhub::reporter {

StoredHistory::StoredHistory(store::Reading reading, BlobReader blobs)
    : reading_(std::move(reading)), blobs_(std::move(blobs)) {}

absl::StatusOr<StoredHistory> StoredHistory::Read(const store::Reading& reading,
                                                  const BlobReader& blobs,
                                                  const std::vector<store::RunRecord>& runs,
                                                  const std::string& target) {
  StoredHistory history(reading, blobs);
  if (!runs.empty()) {
    history.project_ = runs.front().project;
    history.branch_ = runs.front().branch;
  }
  std::set<std::string> labels;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (history.releases_.empty() || run->commit.empty() ||
        history.releases_.back().about.commit() != run->commit) {
      HistoryRelease release;
      release.about.set_run_id(absl::StrCat(run->id));
      release.about.set_commit(run->commit);
      release.about.set_unix_ms(absl::ToUnixMillis(run->ordered));
      release.ancestors = run->ancestors;
      history.releases_.push_back(std::move(release));
    }
    absl::StatusOr<std::vector<store::TargetRecord>> targets = reading.ListTargets(run->id);
    if (!targets.ok()) return targets.status();
    RunTargets& of_run = history.runs_.emplace_back();
    of_run.id = run->id;
    of_run.release = history.releases_.size() - 1;
    for (const store::TargetRecord& record : *targets) {
      if (record.computed.empty() || (!target.empty() && record.label != target)) continue;
      labels.insert(record.label);
      of_run.targets[record.label].record = record;
    }
  }
  history.targets_.assign(labels.begin(), labels.end());
  history.Judge();
  return history;
}

absl::StatusOr<std::vector<ReleaseSeries>> StoredHistory::ReadSeries(const std::string& target,
                                                                     uint32_t bucket) {
  std::vector<ReleaseSeries> series(releases_.size());
  std::vector<std::pair<int64_t, size_t>> measured;
  for (const RunTargets& run : runs_) {
    const auto found = run.targets.find(target);
    if (found == run.targets.end() || found->second.kind == Kind::kUnknown) continue;
    if (found->second.kind == Kind::kUnchanged) {
      series[run.release].unchanged = !series[run.release].measured;
      continue;
    }
    series[run.release].measured = true;
    series[run.release].unchanged = false;
    measured.emplace_back(run.id, run.release);
  }
  const WantedRuns wanted(std::move(measured));
  if (wanted.empty()) return series;
  const uint64_t before = blobs_.decoding().used();
  const absl::StatusOr<std::vector<store::LinePoints>> lines = ReadLines(
      reading_, {project_, {branch_}, target, bucket, wanted.first_id(), wanted.last_id()},
      blobs_.decoding());
  if (!lines.ok()) return lines.status();
  for (const store::LinePoints& line : *lines) {
    absl::StatusOr<absl::flat_hash_map<int64_t, profile::SeriesSegment>> segments =
        SegmentsOf(line, wanted, blobs_.decoding());
    if (!segments.ok()) return segments.status();
    for (const RunTargets& run : runs_) {
      const auto found = segments->find(run.id);
      if (found == segments->end()) continue;
      series[run.release].segments.push_back(std::move(found->second));
    }
  }
  // The caller holds one bucket's, or few bytes of all.
  series_in_use_ = blobs_.decoding().Adopt(blobs_.decoding().used() - before);
  return series;
}

absl::StatusOr<std::vector<profile::ComputedProfile>> StoredHistory::ReadProfiles(
    const std::string& target, size_t release) {
  const uint64_t before = blobs_.decoding().used();
  std::vector<profile::ComputedProfile> profiles;
  for (const RunTargets& run : runs_) {
    const auto found = run.targets.find(target);
    if (run.release != release || found == run.targets.end() ||
        found->second.kind != Kind::kMeasured) {
      continue;
    }
    absl::StatusOr<profile::ComputedProfile> profile =
        ReadTargetProfile(blobs_, found->second.record);
    if (!profile.ok()) return profile.status();
    profiles.push_back(*std::move(profile));
  }
  // The caller holds those of one change: a few releases on each side.
  in_use_.push_back(blobs_.decoding().Adopt(blobs_.decoding().used() - before));
  if (in_use_.size() > kReadsInUse) in_use_.pop_front();
  return profiles;
}

// A cached result does not imply that nothing changed: another run, of a pull request or on another
// machine, may have filled the cache. Binaries and measurements decide.
StoredHistory::Kind StoredHistory::KindOf(const AnalyzedTarget& before,
                                          const store::TargetRecord& target) {
  if (target.cached && before.kind != Kind::kUnknown) {
    const bool same_binary = !target.test_binary_digest.empty() &&
                             target.test_binary_digest == before.record.test_binary_digest;
    const bool same_measurement =
        target.without_profiles == 0 && target.computed == before.record.computed;
    if (same_binary || same_measurement) return Kind::kUnchanged;
  }
  return target.without_profiles == 0 ? Kind::kMeasured : Kind::kUnknown;
}

void StoredHistory::Judge() {
  std::map<std::string, AnalyzedTarget> before;
  for (RunTargets& run : runs_) {
    for (auto& [label, target] : run.targets) {
      target.kind = KindOf(before[label], target.record);
      before[label] = target;
    }
  }
}

}  // namespace gprofhub::reporter
