#include "reporter/findings/finding_kinds.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {
namespace {

// A rewrite is material from this share of the target's CPU on.
constexpr double kRewriteMatters = 0.005;

using FunctionOfTarget = std::pair<std::string, std::string>;  // target, function

// Other findings that a finding's kind depends on.
struct Relations {
  // Functions that are side effects: whether of a material finding.
  absl::flat_hash_map<FunctionOfTarget, bool> followers;
  // Functions with a finding about an arc: whether one of them is material.
  absl::flat_hash_map<FunctionOfTarget, bool> began;
  // Targets that have a cause.
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

// The kind of a change: neither moved nor inconclusive.
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
  // A function as a whole is material if one of its arcs is: the rest of it is inherited.
  const auto arcs = calls ? relations.began.find(key) : relations.began.end();
  const bool material = arcs == relations.began.end() ? finding.material() : arcs->second;
  if (!material) return FindingKind::kMinor;
  return finding.metric() == v1::Finding::TOTAL_TIME ? FindingKind::kTotalTime
                                                     : FindingKind::kCause;
}

// The kind of a finding that summarises many functions. It leads even if its times are
// inconclusive.
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
