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
#include <vector>

#include "absl/strings/string_view.h"
#include "base/parallel.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "profile/codec/series.h"
#include "profile/computed.h"
#include "profile/demangle.h"
#include "profile/names.h"
#include "reporter/comparison/choose_reruns.h"
#include "reporter/comparison/compare_sides.h"
#include "reporter/findings/findings.h"
#include "reporter/history/series_change_points.h"

namespace gprofhub::reporter {

std::vector<EventCluster> ClusterChanges(std::vector<SeriesChange> changes) {
  // The most precisely located come first.
  std::stable_sort(changes.begin(), changes.end(),
                   [](const SeriesChange& a, const SeriesChange& b) {
                     const size_t width_a = a.change.first_after - a.change.last_before;
                     const size_t width_b = b.change.first_after - b.change.last_before;
                     const bool count_a = a.metric == v1::Finding::CALLS;
                     const bool count_b = b.metric == v1::Finding::CALLS;
                     if (count_a != count_b) return count_a;
                     if (count_a && width_a != width_b) return width_a < width_b;
                     return a.change.strength > b.change.strength;
                   });
  std::map<size_t, EventCluster> by_place;
  for (SeriesChange& found : changes) {
    const ChangePoint& change = found.change;
    EventCluster* nearest = nullptr;
    const auto distance = [&](size_t at) {
      return at < change.at ? change.at - at : at - change.at;
    };
    for (auto entry = by_place.upper_bound(change.last_before);
         entry != by_place.end() && entry->first <= change.first_after; ++entry) {
      if (nearest == nullptr || distance(entry->first) < distance(nearest->at)) {
        nearest = &entry->second;
      }
    }
    if (nearest == nullptr) {
      nearest = &by_place[change.at];
      *nearest = {change.last_before, change.at, change.first_after, {}};
    }
    nearest->changes.push_back(found);
  }
  std::vector<EventCluster> clusters;
  for (auto& [place, cluster] : by_place) clusters.push_back(std::move(cluster));
  return clusters;
}

std::vector<size_t> TargetsOf(const EventCluster& cluster) {
  std::map<size_t, size_t> changes;
  for (const SeriesChange& found : cluster.changes) ++changes[found.target];
  std::vector<size_t> targets;
  for (const auto& [target, count] : changes) targets.push_back(target);
  std::stable_sort(targets.begin(), targets.end(),
                   [&](size_t a, size_t b) { return changes[a] > changes[b]; });
  return targets;
}

namespace {

struct KnownFunction {
  std::string name;
  std::string text;  // as in findings
  v1::Site site;
  double share = 0;  // of the target's samples, on the larger side
};

std::map<uint64_t, KnownFunction> FunctionsOf(const std::set<uint64_t>& hashes,
                                              const std::string& target,
                                              const ComparisonSide& before,
                                              const ComparisonSide& after) {
  std::map<uint64_t, KnownFunction> names;
  for (const ComparisonSide* side : {&after, &before}) {
    const auto profiles = side->targets.find(target);
    if (profiles == side->targets.end()) continue;
    for (const profile::ComputedProfile& profile : profiles->second) {
      for (const profile::FunctionCost& function : profile.functions) {
        const absl::string_view file = profile.strings[function.file];
        const uint64_t hash =
            profile::FunctionHash(profile.strings[function.name], function.is_static ? file : "");
        if (!hashes.contains(hash)) continue;
        const auto [entry, inserted] = names.try_emplace(hash);
        KnownFunction& known = entry->second;
        if (inserted) {
          known.name = std::string(profile::WithoutCloneSuffixes(profile.strings[function.name],
                                                                 profile::CloneKinds::kAll));
          known.text = base::ToUtf8(known.name);
          known.site.set_file(std::string(file));
          known.site.set_line(function.line);
        }
        if (profile.total_samples > 0) {
          known.share = std::max(known.share, function.self_samples / profile.total_samples);
        }
      }
    }
  }
  return names;
}

// A finding from a series, if comparing a few releases was inconclusive.
v1::Finding FromSeries(const SeriesChange& found, const KnownFunction& function,
                       const std::string& target) {
  const double before = found.change.before, after = found.change.after;
  v1::Finding finding;
  finding.set_verdict(after > before ? v1::Finding::REGRESSED : v1::Finding::IMPROVED);
  finding.set_metric(found.metric);
  finding.set_function(function.name);
  finding.set_function_display(profile::Demangle(function.name));
  *finding.mutable_site() = function.site;
  finding.set_target(target);
  finding.set_before(before);
  finding.set_after(after);
  finding.set_effect_percent(before > 0 ? (after / before - 1) * 100 : 0);
  if (before > 0 && after > 0) {
    const double error = 1.96 * std::fabs(std::log(after / before)) / found.change.strength;
    finding.set_interval_low_percent((after / before * std::exp(-error) - 1) * 100);
    finding.set_interval_high_percent((after / before * std::exp(error) - 1) * 100);
  }
  finding.set_standard_error(std::fabs(after - before) / found.change.strength);
  finding.set_weight(function.share);
  const double larger = std::max(before, after);
  finding.set_impact(larger > 0 ? function.share * std::fabs(after - before) / larger : 0);
  finding.set_material(finding.impact() >= CompareOptions().minimum_impact);
  MakeNamesText(finding);
  return finding;
}

// Changes of a cluster that belong to one target and whose function's name is known.
using KnownChanges = std::vector<std::pair<const SeriesChange*, const KnownFunction*>>;

KnownChanges ChangesOf(const EventCluster& cluster, size_t target,
                       const std::map<uint64_t, KnownFunction>& functions) {
  KnownChanges known;
  for (const SeriesChange& change : cluster.changes) {
    const auto function = functions.find(change.function_hash);
    if (change.target == target && function != functions.end()) {
      known.emplace_back(&change, &function->second);
    }
  }
  return known;
}

// Functions whose cost only moved, under the names of both sides.
std::set<std::string> MovedFunctions(const v1::Report& report) {
  std::set<std::string> moved;
  for (const v1::Finding& finding : report.findings()) {
    if (finding.verdict() != v1::Finding::SHIFTED) continue;
    moved.insert(finding.function());
    moved.insert(finding.shift().with().begin(), finding.shift().with().end());
  }
  return moved;
}

// Findings from the series of functions that did not only move, in rank order. For exact counts the
// comparison is complete.
std::vector<v1::Finding> SeriesFindings(const KnownChanges& changes,
                                        const std::set<std::string>& moved,
                                        const std::string& target) {
  std::vector<v1::Finding> findings;
  for (const auto& [change, function] : changes) {
    if (std::isinf(change->change.strength) || moved.contains(function->text)) continue;
    findings.push_back(FromSeries(*change, *function, target));
  }
  std::stable_sort(
      findings.begin(), findings.end(),
      [](const v1::Finding& a, const v1::Finding& b) { return RankingShare(a) > RankingShare(b); });
  return findings;
}

// Keeps the higher-ranked finding. The findings of one target come in rank order.
void Keep(const v1::Finding& finding, std::optional<v1::Finding>& best) {
  if (!best.has_value() ||
      (finding.target() != best->target() && RankingShare(finding) > RankingShare(*best))) {
    best = finding;
  }
}

}  // namespace

void EventCause::AddTarget(size_t number, const std::string& label, const ComparisonSide& before,
                           const ComparisonSide& after) {
  std::set<uint64_t> hashes;
  for (const SeriesChange& change : cluster_.changes) {
    if (change.target == number) hashes.insert(change.function_hash);
  }
  const std::map<uint64_t, KnownFunction> functions = FunctionsOf(hashes, label, before, after);
  const KnownChanges changes = ChangesOf(cluster_, number, functions);
  std::set<std::pair<std::string, bool>> names;  // and whether their calls changed
  for (const auto& [change, function] : changes) {
    const bool calls = change->metric == v1::Finding::CALLS;
    names.emplace(function->text, calls);
    series_.emplace(std::tuple(label, function->text, calls), change);
  }
  CompareOptions options;
  options.most_quiet_times = 0;
  const v1::Report report = CompareSides(before, after, options);
  const std::vector<FindingKind> kinds = FindingKinds(report);
  const std::set<std::string> moved = MovedFunctions(report);
  for (int i = 0; i < report.findings_size(); ++i) {
    const v1::Finding& finding = report.findings(i);
    const FindingKind kind = kinds[static_cast<size_t>(i)];
    const bool calls = finding.metric() == v1::Finding::CALLS;
    if (finding.metric() == v1::Finding::TOTAL_TIME ||
        !names.contains({finding.function(), calls})) {
      continue;
    }
    if (kind == FindingKind::kShifted || kind == FindingKind::kFolded) {
      Keep(finding, moved_);
    } else if (kind == FindingKind::kCause) {
      functions_.insert(finding.function());
      Keep(finding, cause_);
    } else if (Changed(finding) && !moved.contains(finding.function())) {
      Keep(finding, minor_);
    }
  }
  for (const v1::Finding& finding : SeriesFindings(changes, moved, label)) {
    Keep(finding, finding.material() ? from_series_ : minor_);
  }
}

std::optional<v1::Finding> EventCause::Find(bool all) const {
  for (const auto* found : {&cause_, &from_series_, &minor_}) {
    if (found->has_value()) return *found;
  }
  return all ? moved_ : std::nullopt;
}

const SeriesChange* EventCause::SeriesOf(const v1::Finding& cause) const {
  const auto found =
      series_.find({cause.target(), cause.function(), cause.metric() == v1::Finding::CALLS});
  return found == series_.end() ? nullptr : found->second;
}

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
    ASSIGN_OR_RETURN(std::vector<profile::ComputedProfile> read,
                     history.ReadProfiles(target, release));
    measured += !read.empty();
    for (profile::ComputedProfile& profile : read) profiles.push_back(std::move(profile));
  }
  ComparisonSide side;
  if (!profiles.empty()) side.targets.emplace(target, std::move(profiles));
  return side;
}

// 0: unknown.
absl::StatusOr<uint32_t> CommitsBetween(History& history, size_t before, size_t after) {
  const std::string& commit = history.releases()[before].commit();
  if (commit.empty()) return 0;
  ASSIGN_OR_RETURN(const std::vector<std::string> ancestors, history.ReadAncestors(after));
  const auto found = std::find(ancestors.begin(), ancestors.end(), commit);
  return found == ancestors.end() ? 0 : static_cast<uint32_t>(found - ancestors.begin()) + 1;
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

absl::StatusOr<v1::ChangeEvent> Describe(History& history, const EventCluster& cluster,
                                         const v1::Finding& cause, const EventCause& search) {
  v1::ChangeEvent event;
  const std::vector<v1::Release>& releases = history.releases();
  *event.mutable_last_before() = releases[cluster.last_before];
  *event.mutable_at() = releases[cluster.at];
  *event.mutable_first_after() = releases[cluster.first_after];
  ASSIGN_OR_RETURN(const uint32_t commits,
                   CommitsBetween(history, cluster.last_before, cluster.first_after));
  event.set_commits(commits);
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

// Calls `make` for each item in two threads, and `take` with each result in the order of the items.
// Returns the first error, after which there are no more items.
template <typename Make, typename Take>
absl::Status ForEachInOrder(size_t count, const Make& make, const Take& take) {
  absl::Status status;
  base::WorkInOrder(count, [&](base::OrderedItems& items) {
    while (const std::optional<size_t> item = items.Take()) {
      auto made = make(*item);
      items.WaitForTurn(*item);
      status.Update(made.status());
      if (status.ok()) {
        take(*made);
      } else {
        items.Stop();
      }
      items.EndTurn(*item);
    }
  });
  return status;
}

// Finds the events of a history, each by itself, in any thread.
class Events {
 public:
  // Keeps references to `history` and `options`.
  Events(History& history, std::vector<SeriesChange> changes, const ChangeEventOptions& options)
      : history_(history),
        options_(options),
        by_series_(ConfirmedBySeries(changes)),
        clusters_(ClusterChanges(std::move(changes))) {}

  size_t size() const { return clusters_.size(); }

  // Of the cluster that is `item` before the newest; nullopt: it has no cause.
  absl::StatusOr<std::optional<v1::ChangeEvent>> Find(size_t item) const {
    const size_t number = clusters_.size() - 1 - item;
    const EventCluster& cluster = clusters_[number];
    EventCause search(cluster);
    std::vector<size_t> targets = TargetsOf(cluster);
    if (targets.size() > kTargetsCompared) targets.resize(kTargetsCompared);
    for (const size_t target : targets) {
      const std::string& label = history_.targets()[target];
      ASSIGN_OR_RETURN(const Sides sides, ReadSides(number, label));
      search.AddTarget(target, label, sides.before, sides.after);
    }
    const std::optional<v1::Finding> cause = search.Find(options_.all);
    if (!cause.has_value()) return std::nullopt;
    ASSIGN_OR_RETURN(v1::ChangeEvent event, Describe(history_, cluster, *cause, search));
    const SeriesChange* const series = search.SeriesOf(*cause);
    const std::optional<size_t> back =
        series == nullptr ? std::nullopt : BackAt(by_series_, *series);
    if (back.has_value()) *event.mutable_back_at() = history_.releases()[*back];
    return event;
  }

 private:
  struct Sides {
    ComparisonSide before, after;
  };

  absl::StatusOr<Sides> ReadSides(size_t number, const std::string& label) const {
    const EventCluster& cluster = clusters_[number];
    const size_t begin = number == 0 ? 0 : clusters_[number - 1].at;
    const size_t end =
        number + 1 == clusters_.size() ? history_.releases().size() : clusters_[number + 1].at;
    Sides sides;
    ASSIGN_OR_RETURN(sides.before,
                     ReadSide(history_, label, cluster.last_before, begin, /*backwards=*/true));
    ASSIGN_OR_RETURN(sides.after,
                     ReadSide(history_, label, cluster.first_after, end, /*backwards=*/false));
    return sides;
  }

  History& history_;
  const ChangeEventOptions& options_;
  const ChangesBySeries by_series_;
  const std::vector<EventCluster> clusters_;
};

}  // namespace

absl::StatusOr<std::vector<v1::ChangeEvent>> FindChangeEvents(History& history,
                                                              const ChangeEventOptions& options) {
  std::vector<SeriesChange> changes;
  RETURN_IF_ERROR(ForEachInOrder(
      history.targets().size(), [&](size_t target) { return FindSeriesChanges(history, target); },
      [&](const std::vector<SeriesChange>& found) {
        changes.insert(changes.end(), found.begin(), found.end());
      }));
  const Events events(history, std::move(changes), options);
  std::vector<v1::ChangeEvent> found;
  RETURN_IF_ERROR(ForEachInOrder(
      events.size(), [&](size_t item) { return events.Find(item); },
      [&](std::optional<v1::ChangeEvent>& event) {
        if (event.has_value()) found.push_back(*std::move(event));
      }));
  return found;
}

void LimitEvents(uint32_t limit, v1::GetChangesResponse& changes) {
  if (limit == 0 || changes.events_size() <= static_cast<int64_t>(limit)) return;
  const int left_out = changes.events_size() - static_cast<int>(limit);
  changes.set_older_events(changes.older_events() + static_cast<uint32_t>(left_out));
  changes.mutable_events()->DeleteSubrange(static_cast<int>(limit), left_out);
}

}  // namespace gprofhub::reporter
