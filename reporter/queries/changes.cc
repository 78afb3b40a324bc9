#include "reporter/queries/changes.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/decoding/decoding.h"
#include "reporter/history/events.h"
#include "reporter/history/history.h"
#include "reporter/queries/line_points.h"
#include "reporter/queries/read_profiles.h"

namespace gprofhub::reporter {
namespace {

constexpr uint32_t kDefaultRuns = 100;
constexpr uint32_t kMostRuns = 500;
constexpr uint32_t kRunsToListBranchesOf = 1000;

// The newest runs of a branch, those of one commit put together to a release.
class StoredHistory final : public History {
 public:
  // `runs` newest first; `target` empty: all.
  static absl::StatusOr<StoredHistory> Read(const store::Reading& reading, const BlobReader& blobs,
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

  const std::vector<HistoryRelease>& releases() const override { return releases_; }
  const std::vector<std::string>& targets() const override { return targets_; }

  absl::StatusOr<std::vector<ReleaseSeries>> ReadSeries(const std::string& target,
                                                        uint32_t bucket) override {
    std::vector<ReleaseSeries> series(releases_.size());
    RunPlaces releases;
    store::PointQuery query = {project_, {branch_}, target, bucket, INT64_MAX, 0};
    for (const RunTargets& run : runs_) {
      const auto found = run.targets.find(target);
      if (found == run.targets.end() || found->second.kind == Kind::kUnknown) continue;
      if (found->second.kind == Kind::kUnchanged) {
        series[run.release].unchanged = !series[run.release].measured;
        continue;
      }
      series[run.release].measured = true;
      series[run.release].unchanged = false;
      releases[run.id] = run.release;
      query.first_run_id = std::min(query.first_run_id, run.id);
      query.last_run_id = std::max(query.last_run_id, run.id);
    }
    const uint64_t before = blobs_.decoding().used();
    const absl::StatusOr<std::vector<store::LinePoints>> lines =
        ReadLines(reading_, query, blobs_.decoding());
    if (!lines.ok()) return lines.status();
    for (const store::LinePoints& line : *lines) {
      absl::StatusOr<absl::flat_hash_map<int64_t, profile::SeriesSegment>> segments =
          SegmentsOf(line, releases, blobs_.decoding());
      if (!segments.ok()) return segments.status();
      for (const RunTargets& run : runs_) {
        const auto found = segments->find(run.id);
        if (found == segments->end()) continue;
        series[run.release].segments.push_back(std::move(found->second));
      }
    }
    // Whoever asks holds one bucket's.
    series_in_use_ = blobs_.decoding().Adopt(blobs_.decoding().used() - before);
    return series;
  }

  absl::StatusOr<std::vector<profile::ComputedProfile>> ReadProfiles(const std::string& target,
                                                                     size_t release) override {
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
    // Whoever asks holds those of one change: of a few releases on each side.
    in_use_.push_back(blobs_.decoding().Adopt(blobs_.decoding().used() - before));
    if (in_use_.size() > kReadsInUse) in_use_.pop_front();
    return profiles;
  }

 private:
  // Reads whose profiles may still be held: twice of those of one change.
  static constexpr size_t kReadsInUse = 12;

  // What a run says of a target.
  enum class Kind {
    kMeasured,
    kUnchanged,  // a result out of a cache, of what the run before had
    kUnknown,    // a result out of a cache whose profile is nowhere
  };
  struct AnalyzedTarget {
    store::TargetRecord record;
    Kind kind = Kind::kUnknown;
  };
  struct RunTargets {
    int64_t id = 0;
    size_t release = 0;
    std::map<std::string, AnalyzedTarget> targets;  // by label
  };

  StoredHistory(store::Reading reading, BlobReader blobs)
      : reading_(std::move(reading)), blobs_(std::move(blobs)) {}

  // That a result came out of a cache does not say that nothing changed: another run, of a pull
  // request or on another machine, may have filled the cache. Binaries and measurements say it.
  static Kind KindOf(const AnalyzedTarget& before, const store::TargetRecord& target) {
    if (target.cached && before.kind != Kind::kUnknown) {
      const bool same_binary = !target.test_binary_digest.empty() &&
                               target.test_binary_digest == before.record.test_binary_digest;
      const bool same_measurement =
          target.without_profiles == 0 && target.computed == before.record.computed;
      if (same_binary || same_measurement) return Kind::kUnchanged;
    }
    return target.without_profiles == 0 ? Kind::kMeasured : Kind::kUnknown;
  }

  void Judge() {
    std::map<std::string, AnalyzedTarget> before;
    for (RunTargets& run : runs_) {
      for (auto& [label, target] : run.targets) {
        target.kind = KindOf(before[label], target.record);
        before[label] = target;
      }
    }
  }

  store::Reading reading_;
  BlobReader blobs_;
  std::deque<base::DecodingPart> in_use_;
  base::DecodingPart series_in_use_;
  std::string project_;
  std::string branch_;
  std::vector<HistoryRelease> releases_;
  std::vector<std::string> targets_;
  std::vector<RunTargets> runs_;  // oldest first
};

absl::Status NoRuns(const store::Reading& reading, const store::RunFilter& filter) {
  store::RunFilter any;
  any.project = filter.project;
  any.mainline_only = true;
  any.counted_only = true;
  any.limit = kRunsToListBranchesOf;
  const absl::StatusOr<std::vector<store::RunRecord>> runs = reading.ListRuns(any);
  if (!runs.ok()) return runs.status();
  std::set<std::string> branches;
  for (const store::RunRecord& run : *runs) branches.insert(run.branch);
  if (branches.empty()) {
    return absl::NotFoundError(
        absl::StrCat("project \"", filter.project,
                     "\" has no runs of counted profiles outside pull requests yet; "
                     "`gprofhub upload` sends one"));
  }
  return absl::NotFoundError(
      absl::StrCat("branch: project \"", filter.project, "\" has no run of \"", filter.branch, "\"",
                   filter.configuration.empty()
                       ? ""
                       : absl::StrCat(" in configuration \"", filter.configuration, "\""),
                   "; there are runs of: ", absl::StrJoin(branches, ", ")));
}

}  // namespace

absl::StatusOr<v1::GetChangesResponse> GetChanges(const store::Reading& reading,
                                                  const BlobReader& blobs,
                                                  const v1::GetChangesRequest& request) {
  if (request.limit() == 1 || request.limit() > kMostRuns) {
    return absl::InvalidArgumentError(absl::StrCat("limit: 2 to ", kMostRuns));
  }
  if (request.branch().empty()) return absl::InvalidArgumentError("branch: is empty");
  store::RunFilter filter;
  filter.project = request.project();
  filter.branch = request.branch();
  filter.configuration = request.configuration();
  filter.mainline_only = true;
  filter.counted_only = true;
  if (filter.configuration.empty()) {
    filter.limit = 1;
    const absl::StatusOr<std::vector<store::RunRecord>> newest = reading.ListRuns(filter);
    if (!newest.ok()) return newest.status();
    if (!newest->empty()) filter.configuration = newest->front().configuration;
  }
  filter.limit = request.limit() == 0 ? kDefaultRuns : request.limit();
  filter.with_ancestors = true;
  const absl::StatusOr<std::vector<store::RunRecord>> runs = reading.ListRuns(filter);
  if (!runs.ok()) return runs.status();
  if (runs->empty()) return NoRuns(reading, filter);

  absl::StatusOr<StoredHistory> history =
      StoredHistory::Read(reading, blobs, *runs, request.target());
  if (!history.ok()) return history.status();
  if (history->targets().empty()) {
    return absl::NotFoundError(
        request.target().empty()
            ? absl::StrCat("branch: no run of \"", filter.branch, "\" is analysed yet")
            : absl::StrCat("target: no analysed run of \"", filter.branch, "\" has \"",
                           request.target(), "\""));
  }
  ChangeEventOptions options;
  options.all = request.all();
  absl::StatusOr<std::vector<v1::ChangeEvent>> events = FindChangeEvents(*history, options);
  if (!events.ok()) return events.status();
  v1::GetChangesResponse response;
  response.set_branch(filter.branch);
  response.set_configuration(filter.configuration);
  response.set_runs(static_cast<uint32_t>(runs->size()));
  for (v1::ChangeEvent& event : *events) *response.add_events() = std::move(event);
  return response;
}

}  // namespace gprofhub::reporter
