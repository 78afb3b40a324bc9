#include "reporter/findings/finding_kinds.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {
namespace {

// From this share of the target's CPU on a rewrite matters.
constexpr double kRewriteMatters = 0.005;

using FunctionOfTarget = std::pair<std::string, std::string>;  // target, function

// What a finding's kind depends on beside the finding itself.
struct Relations {
  // Functions that follow: whether from a finding that is material.
  absl::flat_hash_map<FunctionOfTarget, bool> followers;
  // Functions with a finding about an arc: whether one of them is material.
  absl::flat_hash_map<FunctionOfTarget, bool> began;
  // Targets with something to follow from.
  absl::flat_hash_set<std::string> with_cause;
};

template <typename Findings>
Relations RelationsOf(const Findings& findings) {
  Relations relations;
  for (const v1::Finding& finding : findings) {
    if (IsOrigin(finding)) {
      relations.began[{finding.target(), finding.function()}] |= finding.material();
    }
    for (const std::string& name : finding.follows()) {
      relations.followers[{finding.target(), name}] |= finding.material();
    }
    if (finding.material() && !finding.explained()) relations.with_cause.insert(finding.target());
  }
  return relations;
}

// Of a change, that is, neither of what only moved nor of what is not known to have changed.
FindingKind KindOfChange(const v1::Finding& finding, const Relations& relations) {
  const FunctionOfTarget key = {finding.target(), finding.function()};
  const bool calls = finding.metric() == v1::Finding::CALLS;
  if (calls && finding.caller().empty()) {
    const auto follower = relations.followers.find(key);
    if (follower != relations.followers.end()) {
      return follower->second ? FindingKind::kFollower : FindingKind::kMinor;
    }
  }
  if (finding.explained()) {
    return relations.with_cause.contains(finding.target()) ? FindingKind::kFollower
                                                           : FindingKind::kMinor;
  }
  // A function as a whole matters as its arcs do: the rest of it is inherited.
  const auto arcs = calls ? relations.began.find(key) : relations.began.end();
  const bool material = arcs == relations.began.end() ? finding.material() : arcs->second;
  if (!material) return FindingKind::kMinor;
  return finding.metric() == v1::Finding::TOTAL_TIME ? FindingKind::kTotalTime
                                                     : FindingKind::kCause;
}

// Of what stands for many functions. It leads, whether or not times can tell.
std::optional<FindingKind> KindOfGroup(const v1::Finding& finding) {
  if (!finding.folded_under().empty()) return FindingKind::kFolded;
  if (finding.has_toolchain()) return FindingKind::kCause;
  if (!finding.has_rewrite()) return std::nullopt;
  return finding.weight() >= kRewriteMatters ? FindingKind::kCause : FindingKind::kMinor;
}

template <typename Findings>
std::vector<FindingKind> KindsIn(const Findings& findings) {
  const Relations relations = RelationsOf(findings);
  std::vector<FindingKind> kinds;
  for (const v1::Finding& finding : findings) {
    if (const std::optional<FindingKind> kind = KindOfGroup(finding)) {
      kinds.push_back(*kind);
      continue;
    }
    switch (finding.verdict()) {
      case v1::Finding::SHIFTED:
        kinds.push_back(FindingKind::kShifted);
        break;
      case v1::Finding::CANNOT_TELL:
        kinds.push_back(finding.unexplained() ? FindingKind::kChance : FindingKind::kCannotTell);
        break;
      case v1::Finding::EQUIVALENT:
        kinds.push_back(FindingKind::kEquivalent);
        break;
      default:
        kinds.push_back(KindOfChange(finding, relations));
    }
  }
  return kinds;
}

}  // namespace

std::vector<FindingKind> FindingKinds(const std::vector<v1::Finding>& findings) {
  return KindsIn(findings);
}

std::vector<FindingKind> FindingKinds(const v1::Report& report) {
  return KindsIn(report.findings());
}

}  // namespace gprofhub::reporter
