#include "reporter/history/event_cause.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/utf8.h"
#include "profile/codec/series.h"
#include "profile/computed.h"
#include "profile/names/clone_names.h"
#include "profile/names/demangle.h"
#include "reporter/comparison/compare_sides.h"
#include "reporter/findings/finding_kinds.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {
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
  options.tell_quiet_times = false;
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

}  // namespace gprofhub::reporter
