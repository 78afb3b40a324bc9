#include "reporter/queries/changes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/memory_budget.h"
#include "base/status_macros.h"
#include "reporter/history/events.h"
#include "reporter/history/series_change_points.h"
#include "reporter/queries/runs.h"
#include "store/reading.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

namespace {

// A point of four bytes becomes a SeriesPoint.
constexpr uint64_t kDecodedPerByte = 10;
// Rows and values coexist during decoding.
constexpr uint64_t kCopies = 2;

uint64_t MemoryOf(const profile::SeriesSegment& segment) {
  return sizeof(segment) + segment.points.size() * sizeof(profile::SeriesPoint);
}

// Adds the segments of wanted runs without newer data, and their size to `bytes`.
absl::Status AddSealed(const store::PackedPoints& points, const WantedRuns& wanted,
                       const base::Decoding& decoding,
                       absl::flat_hash_map<int64_t, profile::SeriesSegment>& segments,
                       uint64_t& bytes) {
  ASSIGN_OR_RETURN(const std::vector<profile::ChunkRun> runs,
                   profile::DecodeChunkRuns(points.runs));
  RETURN_IF_ERROR(decoding.Take(kDecodedPerRun * runs.size()).status());
  std::vector<profile::SeriesSegment> of_runs(runs.size());
  std::vector<bool> is_new;
  WantedRuns::Finder finder(wanted);
  for (const profile::ChunkRun& run : runs) {
    is_new.push_back(finder.Find(run.run_id) != WantedRuns::kNone &&
                     !segments.contains(run.run_id));
  }
  for (const store::FunctionPoints& function : points.functions) {
    ASSIGN_OR_RETURN(const std::vector<profile::ChunkPoint> of_function,
                     profile::DecodeFunctionColumns(static_cast<uint64_t>(function.function_hash),
                                                    function.payload, runs.size()));
    for (const auto& [run, point] : of_function) {
      if (is_new[run]) of_runs[run].points.push_back(point);
    }
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!is_new[i]) continue;
    const profile::ChunkRun& run = runs[i];
    of_runs[i].sample_rate = run.sample_rate;
    of_runs[i].repetitions = run.repetitions;
    bytes += MemoryOf(of_runs[i]);
    segments.emplace(run.run_id, std::move(of_runs[i]));
  }
  return absl::OkStatus();
}

}  // namespace

WantedRuns::WantedRuns(const std::vector<store::RunHead>& runs) {
  runs_.reserve(runs.size());
  for (size_t i = 0; i < runs.size(); ++i) runs_.emplace_back(runs[i].id, i);
  std::sort(runs_.begin(), runs_.end());
}

WantedRuns::WantedRuns(std::vector<std::pair<int64_t, size_t>> runs) : runs_(std::move(runs)) {
  std::sort(runs_.begin(), runs_.end());
}

size_t WantedRuns::Finder::Find(int64_t run_id) {
  if (next_ == kNone) {
    const auto first = std::lower_bound(runs_.begin(), runs_.end(), std::pair(run_id, size_t{0}));
    next_ = static_cast<size_t>(first - runs_.begin());
  }
  while (next_ < runs_.size() && runs_[next_].first < run_id) ++next_;
  return next_ < runs_.size() && runs_[next_].first == run_id ? next_ : kNone;
}

absl::StatusOr<std::vector<store::LinePoints>> ReadLines(const store::Reading& reading,
                                                         const store::PointQuery& query,
                                                         const base::Decoding& decoding) {
  RETURN_IF_ERROR(decoding.CheckWanted());
  if (!decoding.is_bounded()) return reading.ReadPoints(query);
  uint64_t bytes = 0;
  base::Reservation memory;
  const auto take = [&](uint64_t needed) -> absl::Status {
    memory = base::Reservation();  // the query is repeated
    ASSIGN_OR_RETURN(base::Reservation taken, decoding.Take(kCopies * needed));
    bytes = needed;
    memory = std::move(taken);
    return absl::OkStatus();
  };
  absl::StatusOr<std::vector<store::LinePoints>> lines = reading.ReadPoints(query, take);
  if (lines.ok()) memory.Leave(bytes);
  return lines;
}

absl::StatusOr<absl::flat_hash_map<int64_t, profile::SeriesSegment>> SegmentsOf(
    const store::LinePoints& line, const WantedRuns& wanted, const base::Decoding& decoding) {
  absl::flat_hash_map<int64_t, profile::SeriesSegment> segments;
  base::GrowingMemory memory(decoding);
  uint64_t bytes = 0;
  WantedRuns::Finder open(wanted);
  for (const store::RunPoints& points : line.open) {
    if (open.Find(points.run_id) == WantedRuns::kNone) continue;
    RETURN_IF_ERROR(decoding.Take(kDecodedPerByte * points.payload.size()).status());
    ASSIGN_OR_RETURN(profile::SeriesSegment segment, profile::DecodeSeries(points.payload));
    bytes += MemoryOf(segment);
    RETURN_IF_ERROR(memory.GrowTo(bytes));
    AddBucket(std::move(segment), segments[points.run_id]);
  }
  for (const store::PackedPoints& points : line.sealed) {
    RETURN_IF_ERROR(AddSealed(points, wanted, decoding, segments, bytes));
    RETURN_IF_ERROR(memory.GrowTo(bytes));
  }
  return segments;
}

namespace {

// A history from the store: the newest runs of a branch, with the runs of one commit merged into a
// release.

class StoredHistory final : public History {
 public:
  // `runs` newest first; `target` empty: all. Returns errors of the store.
  static absl::StatusOr<StoredHistory> Read(const store::Reading& reading, const BlobReader& blobs,
                                            const std::vector<store::RunRecord>& runs,
                                            const std::string& target);

  const std::vector<v1::Release>& releases() const override { return releases_; }
  const std::vector<std::string>& targets() const override { return targets_; }
  absl::StatusOr<std::vector<ReleaseSeries>> ReadSeries(const std::string& target,
                                                        Buckets buckets) override;
  absl::StatusOr<std::vector<profile::ComputedProfile>> ReadProfiles(const std::string& target,
                                                                     size_t release) override;
  absl::StatusOr<std::vector<std::string>> ReadAncestors(size_t release) override;

 private:
  // Number of reads that two threads may still use: of series, and of the profiles of a change.
  static constexpr size_t kSeriesInUse = 2;
  static constexpr size_t kProfilesInUse = 12;
  // The targets of a thousand runs may be a million rows.
  static constexpr size_t kRunsAtOnce = 50;

  // How a run measured a target.
  enum class Kind {
    kMeasured,
    kUnchanged,  // a cached result with the inputs of the run before
    kUnknown,    // a cached result whose profile was not uploaded
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

  StoredHistory(store::Reading reading, BlobReader blobs);

  static Kind KindOf(const AnalyzedTarget& before, const store::TargetRecord& target);
  // Takes over the memory left with the decoding since it had used `before`, as the last of `most`
  // reads.
  void KeepInUse(uint64_t before, size_t most, std::deque<base::Reservation>& in_use);
  // Adds a run after the others, without targets.
  RunTargets& AddRun(const store::RunRecord& run);
  void Judge();

  store::Reading reading_;
  BlobReader blobs_;
  // One thread reads while the other one judges what it read.
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
  std::deque<base::Reservation> profiles_in_use_;
  std::deque<base::Reservation> series_in_use_;
  std::string project_;
  std::string branch_;
  std::vector<v1::Release> releases_;
  std::vector<std::string> targets_;
  std::vector<RunTargets> runs_;  // oldest first
};

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
  for (size_t end = runs.size(); end > 0; end -= std::min(end, kRunsAtOnce)) {
    const size_t begin = end - std::min(end, kRunsAtOnce);
    std::vector<int64_t> ids;
    for (size_t i = begin; i < end; ++i) ids.push_back(runs[i].id);
    ASSIGN_OR_RETURN(std::vector<std::vector<store::TargetRecord>> targets,
                     reading.ListTargetsOfRuns(ids));
    for (size_t i = end; i-- > begin;) {
      RunTargets& of_run = history.AddRun(runs[i]);
      for (store::TargetRecord& record : targets[i - begin]) {
        if (record.computed.empty() || (!target.empty() && record.label != target)) continue;
        labels.insert(record.label);
        of_run.targets[record.label].record = std::move(record);
      }
    }
  }
  history.targets_.assign(labels.begin(), labels.end());
  history.Judge();
  return history;
}

void StoredHistory::KeepInUse(uint64_t before, size_t most, std::deque<base::Reservation>& in_use) {
  in_use.push_back(blobs_.decoding().Adopt(blobs_.decoding().used() - before));
  if (in_use.size() > most) in_use.pop_front();
}

StoredHistory::RunTargets& StoredHistory::AddRun(const store::RunRecord& run) {
  if (releases_.empty() || run.commit.empty() || releases_.back().commit() != run.commit) {
    v1::Release& release = releases_.emplace_back();
    release.set_run_id(absl::StrCat(run.id));
    release.set_commit(run.commit);
    release.set_subject(run.commit_subject);
    release.set_unix_ms(absl::ToUnixMillis(run.ordered));
  }
  RunTargets& of_run = runs_.emplace_back();
  of_run.id = run.id;
  of_run.release = releases_.size() - 1;
  return of_run;
}

absl::StatusOr<std::vector<ReleaseSeries>> StoredHistory::ReadSeries(const std::string& target,
                                                                     Buckets buckets) {
  std::vector<ReleaseSeries> series(releases_.size());
  std::vector<std::pair<int64_t, size_t>> measured;
  std::vector<std::set<std::string>> binaries(releases_.size());
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
    binaries[run.release].insert(found->second.record.test_binary_digest);
  }
  const std::set<std::string>* before_release = nullptr;
  for (size_t release = 0; release < series.size(); ++release) {
    if (!series[release].measured) continue;
    // An empty digest is an unknown one.
    series[release].same_binaries = before_release != nullptr &&
                                    binaries[release] == *before_release &&
                                    !binaries[release].contains("");
    before_release = &binaries[release];
  }
  const WantedRuns wanted(std::move(measured));
  if (wanted.empty()) return series;
  const std::lock_guard<std::mutex> lock(*mutex_);
  const uint64_t before = blobs_.decoding().used();
  store::PointQuery query = {project_,      {branch_},         target,
                             buckets.first, wanted.first_id(), wanted.last_id()};
  query.more_buckets = buckets.count - 1;
  ASSIGN_OR_RETURN(const std::vector<store::LinePoints> lines,
                   ReadLines(reading_, query, blobs_.decoding()));
  for (const store::LinePoints& line : lines) {
    ASSIGN_OR_RETURN(auto segments, SegmentsOf(line, wanted, blobs_.decoding()));
    for (const RunTargets& run : runs_) {
      const auto found = segments.find(run.id);
      if (found == segments.end()) continue;
      series[run.release].segments.push_back(std::move(found->second));
    }
  }
  // Each thread holds one bucket's, or few bytes of all.
  KeepInUse(before, kSeriesInUse, series_in_use_);
  return series;
}

absl::StatusOr<std::vector<profile::ComputedProfile>> StoredHistory::ReadProfiles(
    const std::string& target, size_t release) {
  const std::lock_guard<std::mutex> lock(*mutex_);
  const uint64_t before = blobs_.decoding().used();
  std::vector<profile::ComputedProfile> profiles;
  for (const RunTargets& run : runs_) {
    const auto found = run.targets.find(target);
    if (run.release != release || found == run.targets.end() ||
        found->second.kind != Kind::kMeasured) {
      continue;
    }
    ASSIGN_OR_RETURN(profile::ComputedProfile profile,
                     ReadTargetProfile(blobs_, found->second.record));
    profiles.push_back(std::move(profile));
  }
  // Each thread holds those of one change: a few releases on each side.
  KeepInUse(before, kProfilesInUse, profiles_in_use_);
  return profiles;
}

absl::StatusOr<std::vector<std::string>> StoredHistory::ReadAncestors(size_t release) {
  const auto first = std::find_if(runs_.begin(), runs_.end(), [release](const RunTargets& run) {
    return run.release == release;
  });
  const absl::StatusOr<store::RunRecord> run = reading_.ReadRun(first->id);
  // It may be deleted meanwhile.
  if (absl::IsNotFound(run.status())) return std::vector<std::string>();
  RETURN_IF_ERROR(run.status());
  return run->ancestors;
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

constexpr uint32_t kMostChangeRuns = 500;
constexpr uint32_t kRunsToListBranchesOf = 1000;

// Version byte of cached changes. Increment it when the same runs would yield other changes: then
// cached results of older programs are recomputed.
constexpr char kRules = 2;

absl::Status NoRuns(const store::Reading& reading, const store::RunFilter& filter) {
  store::RunFilter any;
  any.project = filter.project;
  any.mainline_only = true;
  any.counted_only = true;
  any.limit = kRunsToListBranchesOf;
  ASSIGN_OR_RETURN(const std::vector<store::RunRecord> runs, reading.ListRuns(any));
  std::set<std::string> branches;
  for (const store::RunRecord& run : runs) branches.insert(run.branch);
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

// The runs that a request is about. Without a configuration, that of the newest run.
absl::StatusOr<store::RunFilter> FilterOf(const store::Reading& reading,
                                          const v1::GetChangesRequest& request) {
  if (request.runs() == 1 || request.runs() > kMostChangeRuns) {
    return absl::InvalidArgumentError(absl::StrCat("runs: 2 to ", kMostChangeRuns));
  }
  std::string branch = request.branch();
  if (branch.empty()) {
    ASSIGN_OR_RETURN(branch, reading.FindMainBranch(request.project()));
  }
  if (branch.empty()) {
    return absl::NotFoundError(
        absl::StrCat("project: \"", request.project(), "\" has no run of a main branch"));
  }
  store::RunFilter filter = RunsOfHistory({request.project(), branch, request.configuration()});
  if (filter.configuration.empty()) {
    filter.limit = 1;
    ASSIGN_OR_RETURN(const std::vector<store::RunHead> newest, reading.ListRunHeads(filter));
    if (!newest.empty()) filter.configuration = newest.front().configuration;
  }
  filter.limit = request.runs() == 0 ? kDefaultChangeRuns : request.runs();
  return filter;
}

// Only the default query is cached.
bool IsOfKept(const v1::GetChangesRequest& request) {
  return request.target().empty() && !request.all() &&
         (request.runs() == 0 || request.runs() == kDefaultChangeRuns);
}

// Computes the response from all runs' points.
absl::StatusOr<v1::GetChangesResponse> Find(const store::Reading& reading, const BlobReader& blobs,
                                            const v1::GetChangesRequest& request,
                                            store::RunFilter filter) {
  ASSIGN_OR_RETURN(const std::vector<store::RunRecord> runs, reading.ListRuns(filter));
  if (runs.empty()) {
    filter.analysed_only = false;
    filter.limit = 1;
    ASSIGN_OR_RETURN(const std::vector<store::RunHead> waiting, reading.ListRunHeads(filter));
    if (waiting.empty()) return NoRuns(reading, filter);
    return absl::NotFoundError(
        absl::StrCat("branch: no run of \"", filter.branch, "\" is analysed yet"));
  }

  ASSIGN_OR_RETURN(StoredHistory history,
                   StoredHistory::Read(reading, blobs, runs, request.target()));
  if (history.targets().empty()) {
    return absl::NotFoundError(absl::StrCat("target: no analysed run of \"", filter.branch,
                                            "\" has \"", request.target(), "\""));
  }
  ChangeEventOptions options;
  options.all = request.all();
  ASSIGN_OR_RETURN(std::vector<v1::ChangeEvent> events, FindChangeEvents(history, options));
  v1::GetChangesResponse response;
  response.set_branch(filter.branch);
  response.set_configuration(filter.configuration);
  response.set_runs(static_cast<uint32_t>(runs.size()));
  for (v1::ChangeEvent& event : events) *response.add_events() = std::move(event);
  return response;
}

// The cached response, if the runs are unchanged since it was computed.
absl::StatusOr<std::optional<v1::GetChangesResponse>> ReadKept(
    const store::Reading& reading, const store::BranchKey& branch,
    const std::vector<store::RunState>& runs) {
  ASSIGN_OR_RETURN(const std::optional<store::KeptChanges> kept, reading.ReadKeptChanges(branch));
  if (!kept.has_value() || kept->runs != runs || runs.empty()) return std::nullopt;
  const std::string& payload = kept->payload;
  v1::GetChangesResponse response;
  if (payload.empty() || payload[0] != kRules ||
      !response.ParseFromArray(payload.data() + 1, static_cast<int>(payload.size() - 1))) {
    return std::nullopt;
  }
  return response;
}

}  // namespace

store::RunFilter RunsOfHistory(const store::BranchKey& branch) {
  store::RunFilter filter;
  filter.project = branch.project;
  filter.branch = branch.branch;
  filter.configuration = branch.configuration;
  filter.mainline_only = true;
  filter.counted_only = true;
  filter.analysed_only = true;
  return filter;
}

absl::StatusOr<FoundChanges> FindChanges(const store::Reading& reading, const BlobReader& blobs,
                                         const v1::GetChangesRequest& request) {
  ASSIGN_OR_RETURN(const store::RunFilter filter, FilterOf(reading, request));
  FoundChanges found;
  found.branch = {filter.project, filter.branch, filter.configuration};
  if (IsOfKept(request)) {
    // Read first: a concurrent analysis then makes the cached response stale.
    ASSIGN_OR_RETURN(std::vector<store::RunState> runs, reading.ListRunStates(filter));
    ASSIGN_OR_RETURN(std::optional<v1::GetChangesResponse> kept,
                     ReadKept(reading, found.branch, runs));
    if (kept.has_value()) {
      found.response = *std::move(kept);
      return found;
    }
    found.to_keep.emplace().runs = std::move(runs);
  }
  ASSIGN_OR_RETURN(v1::GetChangesResponse response, Find(reading, blobs, request, filter));
  found.response = std::move(response);
  if (found.to_keep.has_value()) {
    found.to_keep->payload = kRules + found.response.SerializeAsString();
  }
  return found;
}

absl::StatusOr<v1::GetChangesResponse> GetChanges(const store::Reading& reading,
                                                  const BlobReader& blobs,
                                                  const v1::GetChangesRequest& request) {
  ASSIGN_OR_RETURN(FoundChanges found, FindChanges(reading, blobs, request));
  LimitEvents(request.limit(), found.response);
  return std::move(found.response);
}

}  // namespace gprofhub::reporter
