#include "reporter/findings/function_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/string_view.h"
#include "profile/names.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {

namespace {

// Whether the metric is self time or self instructions.
bool IsOwn(const v1::Finding& finding) {
  return finding.metric() == v1::Finding::SELF_TIME ||
         finding.metric() == v1::Finding::INSTRUCTIONS;
}

// Where the row has findings of this one's metric.
const v1::Finding*& PlaceFor(const v1::Finding& finding, FunctionRow& row) {
  if (IsOwn(finding)) return row.self_time;
  switch (finding.metric()) {
    case v1::Finding::EVENT_INSTRUCTIONS:
      return row.instructions;
    case v1::Finding::LIBRARY_TIME:
      return row.library_time;
    case v1::Finding::TOTAL_TIME:
      return row.total_time;
    default:
      return finding.caller().empty() ? row.calls : row.arc;
  }
}

const v1::Finding& WithPlace(const FunctionRow& row) {
  return row.arc != nullptr && !row.arc->site().file().empty() ? *row.arc : *row.first;
}

double OwnShare(const FunctionRow& row) {
  double share = 0;
  for (const v1::Finding* finding :
       {row.calls, row.arc, row.self_time, row.instructions, row.library_time, row.total_time}) {
    if (finding != nullptr) share = std::max(share, RankingShare(*finding));
  }
  return share;
}

void TakeEffect(FunctionRow& row) {
  const v1::TestEffect& effect = MainFinding(row).test_effect();
  if (effect.has_percent()) row.effect_percent = effect.percent();
  if (effect.has_seconds()) row.effect_seconds = effect.seconds();
  row.contradicted = effect.contradicted();
}

void AddOtherShares(FunctionRow& row) {
  for (const v1::Finding* finding : {row.calls, row.arc}) {
    if (finding == nullptr) continue;
    row.share_of_bytes = std::max(row.share_of_bytes, finding->share_of_bytes());
    row.share_of_waits = std::max(row.share_of_waits, finding->share_of_waits());
  }
}

// Adds the call sites of a row that is folded under the leader. A possible side effect is no edit.
void AddSites(const FunctionRow& row, FunctionRow& leader) {
  if (row.first->target() != leader.first->target()) return;
  if (row.arc != nullptr && row.arc->material() && !row.arc->may_follow()) {
    leader.also.push_back(row.arc);
  }
  leader.also.insert(leader.also.end(), row.also.begin(), row.also.end());
}

// Each place once, without that of the row itself.
void SortSites(FunctionRow& row) {
  if (row.also.empty()) return;
  std::stable_sort(row.also.begin(), row.also.end(), [](const auto* a, const auto* b) {
    return RankingShare(*a) > RankingShare(*b);
  });
  std::set<std::pair<std::string, uint32_t>> places;
  if (row.arc != nullptr) places.emplace(row.arc->site().file(), row.arc->site().line());
  row.also.erase(std::remove_if(row.also.begin(), row.also.end(),
                                [&](const v1::Finding* arc) {
                                  const v1::Site& site = arc->site();
                                  return site.line() == 0 ||
                                         !places.emplace(site.file(), site.line()).second;
                                }),
                 row.also.end());
}

// `causes`: by row.
void FoldCauses(const std::vector<size_t>& causes, std::vector<FunctionRow>& rows) {
  std::map<size_t, size_t> leaders;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].kind == FindingKind::kCause) leaders.try_emplace(causes[i], i);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    FunctionRow& row = rows[i];
    if (row.kind != FindingKind::kCause && row.kind != FindingKind::kMinor) continue;
    const auto found = leaders.find(causes[i]);
    if (found == leaders.end() || found->second == i) continue;
    FunctionRow& leader = rows[found->second];
    if (row.kind == FindingKind::kCause) AddSites(row, leader);
    row.kind = FindingKind::kFollower;
    row.cause = leader.first;
    ++leader.same_cause;
    leader.follows += row.follows;
    // A possible side effect of its caller is already included in the caller's share.
    if (row.arc == nullptr || !row.arc->may_follow()) {
      // Shares of different tests cannot be added.
      if (row.first->target() != leader.first->target()) continue;
      leader.share = std::min(1.0, leader.share + row.share);
      leader.share_of_bytes = std::min(1.0, leader.share_of_bytes + row.share_of_bytes);
      leader.share_of_waits = std::min(1.0, leader.share_of_waits + row.share_of_waits);
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const FunctionRow& a, const FunctionRow& b) {
    if (a.kind != b.kind) return a.kind < b.kind;
    if (a.kind != FindingKind::kCause) return false;
    const auto key = [](const FunctionRow& row) {
      const Direction direction = DirectionOf(row);
      // A difference without significance is noise.
      const double share = direction == Direction::kInconclusive ? row.first->weight() : row.share;
      return std::make_tuple(!row.first->has_toolchain(), direction, -share);
    };
    return key(a) < key(b);
  });
}

// Links a caller's changed allocations to its changed calls.
void FindAllocated(const v1::Report& report, std::vector<FunctionRow>& rows) {
  using CallerOfTarget = std::pair<absl::string_view, absl::string_view>;
  std::map<CallerOfTarget, const v1::Finding*> bytes, allocators;  // the highest ranked
  for (const v1::Finding& finding : report.findings()) {
    if (!IsOrigin(finding) || !Changed(finding)) continue;
    const CallerOfTarget key = {finding.target(), finding.caller()};
    if (CountsAllocatedBytes(finding)) bytes.try_emplace(key, &finding);
    if (profile::IsAllocator(finding.function())) allocators.try_emplace(key, &finding);
  }
  for (FunctionRow& row : rows) {
    if (row.kind != FindingKind::kCause || row.arc == nullptr) continue;
    if (CountsPeakBytes(*row.arc)) continue;
    const auto& others = CountsAllocatedBytes(*row.arc) ? allocators : bytes;
    const auto found = others.find({row.arc->target(), row.arc->caller()});
    if (found == others.end()) continue;
    row.allocated = found->second;
    row.share_of_bytes = std::max(row.share_of_bytes, found->second->share_of_bytes());
  }
}

// Links changed calls to the library time that their finding includes: that of their caller.
void FindLibraryTimes(const v1::Report& report, std::vector<FunctionRow>& rows) {
  // Target, function, whether more.
  std::map<std::tuple<absl::string_view, absl::string_view, bool>, const v1::Finding*> times;
  for (const v1::Finding& finding : report.findings()) {
    if (finding.metric() != v1::Finding::LIBRARY_TIME || !finding.explained()) continue;
    times[{finding.target(), finding.function(), finding.after() > finding.before()}] = &finding;
  }
  for (FunctionRow& row : rows) {
    if (row.kind != FindingKind::kCause || row.arc == nullptr) continue;
    const v1::Finding& arc = *row.arc;
    const auto found = times.find({arc.target(), arc.caller(), arc.after() > arc.before()});
    if (found == times.end()) continue;
    row.library_time = found->second;
    times.erase(found);
  }
}

}  // namespace

std::vector<FunctionRow> GroupByFunction(const v1::Report& report) {
  const std::vector<FindingKind> kinds = FindingKinds(report);
  std::map<std::pair<FindingKind, absl::string_view>, size_t> index;
  std::vector<FunctionRow> rows;
  std::vector<std::map<std::string, std::optional<double>>> others;  // effects by target
  const std::vector<size_t> causes = CausesOf(report);
  std::vector<size_t> row_causes;
  for (int i = 0; i < report.findings_size(); ++i) {
    const v1::Finding& finding = report.findings(i);
    const auto [entry, inserted] = index.try_emplace({kinds[i], finding.function()}, rows.size());
    if (inserted) {
      rows.emplace_back();
      rows.back().kind = kinds[i];
      rows.back().first = &finding;
      others.emplace_back();
      row_causes.push_back(causes[static_cast<size_t>(i)]);
    }
    FunctionRow& row = rows[entry->second];
    if (finding.target() != row.first->target()) {
      std::optional<double>& effect = others[entry->second][finding.target()];
      if (finding.test_effect().has_percent()) effect = finding.test_effect().percent();
      continue;
    }
    row.follows += finding.follows_size();
    const v1::Finding*& place = PlaceFor(finding, row);
    if (&place == &row.arc && row.arc != nullptr) {
      ++row.further_arcs;
      if (IsOrigin(finding) && finding.material()) row.also.push_back(&finding);
    } else {
      place = &finding;
    }
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [target, effect] : others[i]) {
      rows[i].other_targets.push_back(target);
      rows[i].other_effects.push_back(effect);
    }
    TakeEffect(rows[i]);
    rows[i].share = OwnShare(rows[i]);
    AddOtherShares(rows[i]);
  }
  FoldCauses(row_causes, rows);
  for (FunctionRow& row : rows) SortSites(row);
  FindAllocated(report, rows);
  FindLibraryTimes(report, rows);
  return rows;
}

FunctionRow RowOfFinding(const v1::Finding& finding) {
  FunctionRow row;
  row.first = &finding;
  row.share = RankingShare(finding);
  row.follows = static_cast<size_t>(finding.follows_size());
  switch (finding.verdict()) {
    case v1::Finding::SHIFTED:
      row.kind = FindingKind::kShifted;
      break;
    case v1::Finding::CANNOT_TELL:
      row.kind = finding.unconfirmed() && finding.material() ? FindingKind::kUnconfirmed
                                                             : FindingKind::kCannotTell;
      break;
    case v1::Finding::EQUIVALENT:
      row.kind = FindingKind::kEquivalent;
      break;
    default:
      row.kind = finding.material() ? FindingKind::kCause : FindingKind::kMinor;
  }
  PlaceFor(finding, row) = &finding;
  AddOtherShares(row);
  TakeEffect(row);
  return row;
}

v1::Finding::Verdict RowVerdict(const FunctionRow& row) {
  if (row.calls != nullptr) return row.calls->verdict();
  if (row.self_time != nullptr) return row.self_time->verdict();
  if (row.instructions != nullptr) return row.instructions->verdict();
  return row.first->verdict();
}

Direction DirectionOf(const FunctionRow& row) {
  if (IsInconclusiveGroup(*row.first)) return Direction::kInconclusive;
  return IsSaving(RowVerdict(row)) ? Direction::kSaves : Direction::kCosts;
}

bool IsUnsampled(const FunctionRow& row) {
  const v1::Finding* const calls = row.calls != nullptr ? row.calls : row.arc;
  return calls != nullptr && calls->has_share_of_calls();
}

bool CostsOnlyOtherThanCpu(const FunctionRow& row) {
  return row.share < kLeastCpuShare &&
         (row.share_of_bytes >= kLeastOtherShare || row.share_of_waits >= kLeastOtherShare);
}

const v1::Finding& MainFinding(const FunctionRow& row) {
  return row.arc != nullptr ? *row.arc : *row.first;
}

bool InDiff(const FunctionRow& row) { return WithPlace(row).in_diff(); }

std::string PlaceOf(const FunctionRow& row) { return PlaceOf(WithPlace(row).site()); }

}  // namespace gprofhub::reporter
