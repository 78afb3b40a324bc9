// A renamed function behaves as before: the same callers call it as often, and it calls the same
// functions as often. With exact counts this is a fingerprint. A lone function of the base and one
// of the head are the same under three conditions: all their arcs agree, count by count; their code
// has about the same size, or they are in the same file; no other lone function has this
// fingerprint.
//
// A neighbour may have been renamed, too. In the fingerprint it is represented by its count alone,
// without its name. Once it is matched, its name distinguishes others. So the search is repeated
// until a round finds nothing.
//
// If something else changed, too, the counts differ from the base's. Then two weaker signs are
// used, in this order, each only if it is unique:
// - the name without its scope: a class or a namespace was renamed, or a function became a member.
//   They must have a caller or a callee in common.
// - the fingerprint per call: each caller calls it as often per call of its own, and it calls
//   others as often per call.
#include "reporter/matching/renames.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace gprofhub::reporter {
namespace {

constexpr uint32_t kUnnamed = UINT32_MAX;
constexpr int kRounds = 24;

// (whether the neighbour is the caller, neighbour, calls), sorted.
using Fingerprint = std::vector<std::tuple<bool, uint32_t, double>>;

struct Side {
  absl::flat_hash_map<uint32_t, LoneFunction> alone;  // not paired yet
  absl::Span<const LoneArc> arcs;
};

// The criterion by which a lone function is paired.
enum class Sign { kCounts, kName, kCountsPerCall };

class KnownAs {
 public:
  KnownAs(const Side& side, const absl::flat_hash_map<uint32_t, uint32_t>& renamed)
      : side_(side), renamed_(renamed) {}

  uint32_t operator()(uint32_t function) const {
    if (side_.alone.contains(function)) return kUnnamed;
    const auto found = renamed_.find(function);
    return found == renamed_.end() ? function : found->second;
  }

 private:
  const Side& side_;
  const absl::flat_hash_map<uint32_t, uint32_t>& renamed_;
};

// Calls per call of the caller, if these are known. Exactly equal for equal ratios, whatever the
// operands.
double PerCall(const LoneArc& arc) {
  if (arc.caller_calls <= 0) return arc.calls;
  return static_cast<double>(static_cast<float>(arc.calls / arc.caller_calls));
}

absl::flat_hash_map<uint32_t, Fingerprint> Fingerprints(
    const Side& side, const absl::flat_hash_map<uint32_t, uint32_t>& renamed, bool per_call) {
  const KnownAs known_as(side, renamed);
  absl::flat_hash_map<uint32_t, Fingerprint> prints;
  for (const LoneArc& arc : side.arcs) {
    const double count = per_call ? PerCall(arc) : arc.calls;
    if (side.alone.contains(arc.callee)) {
      prints[arc.callee].emplace_back(true, known_as(arc.caller), count);
    }
    if (side.alone.contains(arc.caller)) {
      prints[arc.caller].emplace_back(false, known_as(arc.callee), count);
    }
  }
  for (auto& [function, print] : prints) std::sort(print.begin(), print.end());
  return prints;
}

// The named neighbours of each function.
absl::flat_hash_map<uint32_t, absl::flat_hash_set<uint32_t>> Neighbours(
    const Side& side, const absl::flat_hash_map<uint32_t, uint32_t>& renamed) {
  absl::flat_hash_map<uint32_t, absl::flat_hash_set<uint32_t>> neighbours;
  for (const auto& [function, print] : Fingerprints(side, renamed, false)) {
    for (const auto& [is_caller, neighbour, calls] : print) {
      if (neighbour != kUnnamed) neighbours[function].insert(neighbour);
    }
  }
  return neighbours;
}

struct Candidates {
  std::vector<uint32_t> before, after;
};

bool Alike(const LoneFunction& a, const LoneFunction& b) {
  const double larger = static_cast<double>(std::max(a.size, b.size));
  const double difference = larger - static_cast<double>(std::min(a.size, b.size));
  const bool same_size = a.size != 0 && b.size != 0 && difference <= 0.1 * larger + 8;
  const bool same_file = a.file != 0 && a.file == b.file;
  // In the same file the body may have been edited, too. In another file it must be the same.
  return same_size || (same_file && (a.size == 0 || b.size == 0 || difference <= 0.5 * larger));
}

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

Pairs PairByPrint(const Side& base, const Side& head,
                  const absl::flat_hash_map<uint32_t, uint32_t>& renamed, bool per_call) {
  absl::flat_hash_map<Fingerprint, Candidates> by_print;
  for (auto& [function, print] : Fingerprints(base, {}, per_call)) {
    by_print[std::move(print)].before.push_back(function);
  }
  for (auto& [function, print] : Fingerprints(head, renamed, per_call)) {
    by_print[std::move(print)].after.push_back(function);
  }
  Pairs found;
  for (const auto& [print, candidates] : by_print) {
    if (candidates.before.size() != 1 || candidates.after.size() != 1) continue;
    const LoneFunction& was = base.alone.at(candidates.before[0]);
    const LoneFunction& is = head.alone.at(candidates.after[0]);
    if ((per_call || was.calls == is.calls) && Alike(was, is)) {
      found.emplace_back(was.function, is.function);
    }
  }
  return found;
}

Pairs PairByName(const Side& base, const Side& head,
                 const absl::flat_hash_map<uint32_t, uint32_t>& renamed) {
  absl::flat_hash_map<uint32_t, Candidates> by_name;
  for (const auto& [number, function] : base.alone) by_name[function.name].before.push_back(number);
  for (const auto& [number, function] : head.alone) by_name[function.name].after.push_back(number);
  const auto before = Neighbours(base, {});
  const auto after = Neighbours(head, renamed);
  Pairs found;
  for (const auto& [name, candidates] : by_name) {
    if (name == 0 || candidates.before.size() != 1 || candidates.after.size() != 1) continue;
    const auto was = before.find(candidates.before[0]), is = after.find(candidates.after[0]);
    if (was == before.end() || is == after.end()) continue;
    const bool is_near = std::any_of(was->second.begin(), was->second.end(),
                                     [&](uint32_t i) { return is->second.contains(i); });
    if (is_near) found.emplace_back(was->first, is->first);
  }
  return found;
}

}  // namespace

std::vector<std::pair<uint32_t, uint32_t>> FindRenames(absl::Span<const LoneFunction> before,
                                                       absl::Span<const LoneArc> arcs_before,
                                                       absl::Span<const LoneFunction> after,
                                                       absl::Span<const LoneArc> arcs_after) {
  Side base{{}, arcs_before}, head{{}, arcs_after};
  for (const LoneFunction& function : before) base.alone[function.function] = function;
  for (const LoneFunction& function : after) head.alone[function.function] = function;
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  absl::flat_hash_map<uint32_t, uint32_t> renamed;  // the head's → the base's
  for (int round = 0; round < kRounds; ++round) {
    Pairs found;
    for (const Sign sign : {Sign::kCounts, Sign::kName, Sign::kCountsPerCall}) {
      found = sign == Sign::kName ? PairByName(base, head, renamed)
                                  : PairByPrint(base, head, renamed, sign == Sign::kCountsPerCall);
      if (!found.empty()) break;
    }
    if (found.empty()) break;
    for (const auto& [was, is] : found) {
      base.alone.erase(was);
      head.alone.erase(is);
      renamed[is] = was;
      pairs.emplace_back(was, is);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace gprofhub::reporter
