#include "reporter/history/events.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/utf8.h"
#include "profile/names/clone_names.h"
#include "profile/names/demangle.h"
#include "reporter/comparison/compare.h"
#include "reporter/findings/findings.h"
#include "reporter/history/series_change_points.h"
#include "reporter/rendering/function_rows.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kReleasesASide = 3;
constexpr size_t kTargetsCompared = 8;

// Change points with one place in the history.
struct Cluster {
  size_t last_before = 0;
  size_t at = 0;
  size_t first_after = 0;
  std::vector<SeriesChange> changes;
};

std::vector<Cluster> PutTogether(std::vector<SeriesChange> changes) {
  // Those that know best where they are come first.
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
  std::map<size_t, Cluster> by_place;
  for (SeriesChange& found : changes) {
    const ChangePoint& change = found.change;
    Cluster* nearest = nullptr;
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
    nearest->changes.push_back(std::move(found));
  }
  std::vector<Cluster> clusters;
  for (auto& [place, cluster] : by_place) clusters.push_back(std::move(cluster));
  return clusters;
}

// Up to three measured releases of one side, the nearest to the change first: from
// `first` on, backwards or forwards; none beyond `bound`, the neighbouring event's,
// unless there is no other.
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

struct KnownFunction {
  std::string name;
  std::string text;  // the name as findings have it
  v1::Site site;
  double share = 0;  // of the target's own samples, the larger of both sides'
};

std::map<uint64_t, KnownFunction> NamesOf(const std::set<uint64_t>& hashes,
                                          const std::string& target, const ComparisonSide& before,
                                          const ComparisonSide& after) {
  std::map<uint64_t, KnownFunction> names;
  for (const ComparisonSide* side : {&after, &before}) {
    const auto profiles = side->targets.find(target);
    if (profiles == side->targets.end()) continue;
    for (const profile::ComputedProfile& profile : profiles->second) {
      for (const profile::FunctionCost& function : profile.functions) {
        const std::string& file = profile.strings[function.file];
        const uint64_t hash =
            profile::FunctionHash(profile.strings[function.name], function.is_static ? file : "");
        if (!hashes.contains(hash)) continue;
        const auto [entry, inserted] = names.try_emplace(hash);
        KnownFunction& known = entry->second;
        if (inserted) {
          known.name = std::string(profile::WithoutCloneSuffixes(profile.strings[function.name],
                                                                 profile::CloneKinds::kAll));
          known.text = base::ToUtf8(known.name);
          known.site.set_file(file);
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

bool Changed(const v1::Finding& finding) {
  switch (finding.verdict()) {
    case v1::Finding::REGRESSED:
    case v1::Finding::IMPROVED:
    case v1::Finding::NEW:
    case v1::Finding::VANISHED:
      return true;
    default:
      return false;
  }
}

// What a series says where the comparison of a few releases could not tell.
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

// The findings of one event, while its targets are looked at.
class CauseSearch {
 public:
  explicit CauseSearch(const Cluster& cluster) : cluster_(cluster) {}

  void Add(size_t number, const std::string& target, const ComparisonSide& before,
           const ComparisonSide& after) {
    std::set<uint64_t> hashes;
    for (const SeriesChange& found : cluster_.changes) {
      if (found.target == number) hashes.insert(found.function_hash);
    }
    const std::map<uint64_t, KnownFunction> known = NamesOf(hashes, target, before, after);
    std::set<std::pair<std::string, bool>> names;  // and whether their calls changed
    for (const SeriesChange& found : cluster_.changes) {
      const auto name = known.find(found.function_hash);
      if (found.target != number || name == known.end()) continue;
      names.emplace(name->second.text, found.metric == v1::Finding::CALLS);
    }
    const v1::Report report = CompareRuns(before, after, CompareOptions());
    const std::vector<FindingKind> kinds = KindsOf(report);
    std::set<std::string> moved;  // under the names of both sides
    for (const v1::Finding& finding : report.findings()) {
      if (finding.verdict() != v1::Finding::SHIFTED) continue;
      moved.insert(finding.function());
      moved.insert(finding.shift().with().begin(), finding.shift().with().end());
    }
    for (int i = 0; i < report.findings_size(); ++i) {
      const v1::Finding& finding = report.findings(i);
      const FindingKind kind = kinds[static_cast<size_t>(i)];
      const bool calls = finding.metric() == v1::Finding::CALLS;
      if (finding.metric() == v1::Finding::TOTAL_TIME ||
          !names.contains({finding.function(), calls})) {
        continue;
      }
      if (kind == FindingKind::kShifted) {
        Keep(finding, moved_);
      } else if (kind == FindingKind::kCause) {
        causes_.insert(finding.function());
        Keep(finding, cause_);
      } else if (Changed(finding) && !moved.contains(finding.function())) {
        Keep(finding, minor_);
      }
    }
    for (const SeriesChange& found : cluster_.changes) {
      const auto name = known.find(found.function_hash);
      // Where counts are exact the comparison knows all.
      if (found.target != number || name == known.end() || std::isinf(found.change.strength) ||
          moved.contains(name->second.text)) {
        continue;
      }
      const v1::Finding finding = FromSeries(found, name->second, target);
      Keep(finding, finding.material() ? from_series_ : minor_);
    }
  }

  // The event's cause: a material one, else a small one; with `all`, else cost that
  // only moved.
  std::optional<v1::Finding> Cause(bool all) const {
    for (const auto* found : {&cause_, &from_series_, &minor_}) {
      if (found->has_value()) return *found;
    }
    return all ? moved_ : std::nullopt;
  }

  const std::set<std::string>& causes() const { return causes_; }

 private:
  // A target's findings come in rank order.
  static void Keep(const v1::Finding& finding, std::optional<v1::Finding>& best) {
    if (!best.has_value() ||
        (finding.target() != best->target() && RankingShare(finding) > RankingShare(*best))) {
      best = finding;
    }
  }

  const Cluster& cluster_;
  std::optional<v1::Finding> cause_, from_series_, minor_, moved_;
  std::set<std::string> causes_;  // functions
};

// Targets of a cluster, those with the most changes first.
std::vector<size_t> TargetsOf(const Cluster& cluster) {
  std::map<size_t, size_t> changes;
  for (const SeriesChange& found : cluster.changes) ++changes[found.target];
  std::vector<size_t> targets;
  for (const auto& [target, count] : changes) targets.push_back(target);
  std::stable_sort(targets.begin(), targets.end(),
                   [&](size_t a, size_t b) { return changes[a] > changes[b]; });
  return targets;
}

uint32_t CommitsBetween(const HistoryRelease& before, const HistoryRelease& after) {
  if (before.about.commit().empty()) return 0;
  const auto found =
      std::find(after.ancestors.begin(), after.ancestors.end(), before.about.commit());
  return found == after.ancestors.end()
             ? 0
             : static_cast<uint32_t>(found - after.ancestors.begin()) + 1;
}

v1::ChangeEvent Describe(const History& history, const Cluster& cluster, const v1::Finding& cause,
                         const CauseSearch& search) {
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
  event.set_other_causes(
      static_cast<uint32_t>(search.causes().size() - search.causes().count(cause.function())));
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
  const std::vector<Cluster> clusters = PutTogether(std::move(changes));
  std::vector<v1::ChangeEvent> events;
  for (size_t number = clusters.size(); number-- > 0;) {
    const Cluster& cluster = clusters[number];
    const size_t begin = number == 0 ? 0 : clusters[number - 1].at;
    const size_t end =
        number + 1 == clusters.size() ? history.releases().size() : clusters[number + 1].at;
    CauseSearch search(cluster);
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
      search.Add(target, label, *before, *after);
    }
    const std::optional<v1::Finding> cause = search.Cause(options.all);
    if (cause.has_value()) events.push_back(Describe(history, cluster, *cause, search));
  }
  return events;
}

}  // namespace gprofhub::reporter
