#include "reporter/history/events.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "profile/computed.h"
#include "reporter/comparison/comparison_side.h"
#include "reporter/history/event_cause.h"
#include "reporter/history/event_clusters.h"
#include "reporter/history/series_change_points.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kReleasesASide = 3;
constexpr size_t kTargetsCompared = 8;
// A series has recovered if at most this part of the change remains.
constexpr double kStillBack = 0.1;

// Up to three measured releases of one side: from `first` on, backwards or forwards, nearest first.
// A release beyond `bound` belongs to the neighbouring event and is read only if there is no other.
absl::StatusOr<ComparisonSide> ReadSide(History& history, const std::string& target, size_t first,
                                        size_t bound, bool backwards) {
  std::vector<profile::ComputedProfile> profiles;
  const size_t releases = history.releases().size();
  size_t measured = 0;
  for (size_t release = first; release < releases; backwards ? --release : ++release) {
    const bool beyond = backwards ? release < bound : release >= bound;
    if (measured == kReleasesASide || (beyond && measured > 0)) break;
    absl::StatusOr<std::vector<profile::ComputedProfile>> read =
        history.ReadProfiles(target, release);
    if (!read.ok()) return read.status();
    measured += !read->empty();
    for (profile::ComputedProfile& profile : *read) profiles.push_back(std::move(profile));
  }
  ComparisonSide side;
  if (!profiles.empty()) side.targets.emplace(target, std::move(profiles));
  return side;
}

uint32_t CommitsBetween(const HistoryRelease& before, const HistoryRelease& after) {
  if (before.about.commit().empty()) return 0;
  const auto found =
      std::find(after.ancestors.begin(), after.ancestors.end(), before.about.commit());
  return found == after.ancestors.end()
             ? 0
             : static_cast<uint32_t>(found - after.ancestors.begin()) + 1;
}

// The confirmed changes of each series: target, function and metric.
using ChangesBySeries =
    std::map<std::tuple<size_t, uint64_t, v1::Finding::Metric>, std::vector<ChangePoint>>;

ChangesBySeries ConfirmedBySeries(const std::vector<SeriesChange>& changes) {
  ChangesBySeries by_series;
  for (const SeriesChange& found : changes) {
    if (!found.change.confirmed) continue;
    by_series[{found.target, found.function_hash, found.metric}].push_back(found.change);
  }
  return by_series;
}

// The release at which at least nine tenths of the change had recovered.
std::optional<size_t> BackAt(const ChangesBySeries& by_series, const SeriesChange& cause) {
  const auto series = by_series.find({cause.target, cause.function_hash, cause.metric});
  if (series == by_series.end()) return std::nullopt;
  const double step = cause.change.after - cause.change.before;
  for (const ChangePoint& later : series->second) {
    if (later.at <= cause.change.at) continue;
    const double left =
        step > 0 ? later.after - cause.change.before : cause.change.before - later.after;
    if (left <= kStillBack * std::fabs(step)) return later.at;
  }
  return std::nullopt;
}

v1::ChangeEvent Describe(const History& history, const EventCluster& cluster,
                         const v1::Finding& cause, const EventCause& search) {
  v1::ChangeEvent event;
  const std::vector<HistoryRelease>& releases = history.releases();
  *event.mutable_last_before() = releases[cluster.last_before].about;
  *event.mutable_at() = releases[cluster.at].about;
  *event.mutable_first_after() = releases[cluster.first_after].about;
  event.set_commits(CommitsBetween(releases[cluster.last_before], releases[cluster.first_after]));
  std::set<uint64_t> functions;
  for (const SeriesChange& found : cluster.changes) {
    functions.insert(found.function_hash);
    event.set_confirmed(event.confirmed() || found.change.confirmed);
  }
  *event.mutable_cause() = cause;
  event.set_following_functions(static_cast<uint32_t>(functions.size() - 1));
  event.set_other_causes(static_cast<uint32_t>(search.functions().size() -
                                               search.functions().count(cause.function())));
  std::vector<size_t> targets = TargetsOf(cluster);
  std::sort(targets.begin(), targets.end());
  for (const size_t target : targets) event.add_targets(history.targets()[target]);
  return event;
}

}  // namespace

absl::StatusOr<std::vector<v1::ChangeEvent>> FindChangeEvents(History& history,
                                                              const ChangeEventOptions& options) {
  std::vector<SeriesChange> changes;
  for (size_t target = 0; target < history.targets().size(); ++target) {
    absl::StatusOr<std::vector<SeriesChange>> found = FindSeriesChanges(history, target);
    if (!found.ok()) return found.status();
    changes.insert(changes.end(), found->begin(), found->end());
  }
  const ChangesBySeries by_series = ConfirmedBySeries(changes);
  const std::vector<EventCluster> clusters = ClusterChanges(std::move(changes));
  std::vector<v1::ChangeEvent> events;
  for (size_t number = clusters.size(); number-- > 0;) {
    const EventCluster& cluster = clusters[number];
    const size_t begin = number == 0 ? 0 : clusters[number - 1].at;
    const size_t end =
        number + 1 == clusters.size() ? history.releases().size() : clusters[number + 1].at;
    EventCause search(cluster);
    std::vector<size_t> targets = TargetsOf(cluster);
    if (targets.size() > kTargetsCompared) targets.resize(kTargetsCompared);
    for (const size_t target : targets) {
      const std::string& label = history.targets()[target];
      const absl::StatusOr<ComparisonSide> before =
          ReadSide(history, label, cluster.last_before, begin, /*backwards=*/true);
      if (!before.ok()) return before.status();
      const absl::StatusOr<ComparisonSide> after =
          ReadSide(history, label, cluster.first_after, end, /*backwards=*/false);
      if (!after.ok()) return after.status();
      search.AddTarget(target, label, *before, *after);
    }
    const std::optional<v1::Finding> cause = search.Find(options.all);
    if (!cause.has_value()) continue;
    events.push_back(Describe(history, cluster, *cause, search));
    const SeriesChange* const series = search.SeriesOf(*cause);
    const std::optional<size_t> back =
        series == nullptr ? std::nullopt : BackAt(by_series, *series);
    if (back.has_value()) *events.back().mutable_back_at() = history.releases()[*back].about;
  }
  return events;
}

void LimitEvents(uint32_t limit, v1::GetChangesResponse& changes) {
  if (limit == 0 || changes.events_size() <= static_cast<int64_t>(limit)) return;
  const int left_out = changes.events_size() - static_cast<int>(limit);
  changes.set_older_events(changes.older_events() + static_cast<uint32_t>(left_out));
  changes.mutable_events()->DeleteSubrange(static_cast<int>(limit), left_out);
}

}  // namespace gprofhub::reporter
