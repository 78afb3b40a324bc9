// A renamed function does what it did. The same callers call it as often, and it calls the same
// functions as often. Exact counts make a fingerprint of that. A lone function of the base and one
// of the head are the same under three conditions: all their arcs agree, count by count; their code
// has about the same size, or they stand in the same file; no other lone function has this
// fingerprint.
//
// A neighbour may have been renamed, too. It stands in the fingerprint without its name, by its
// count alone. Once it is found, its name tells others apart. So the search goes on until a round
// finds nothing.
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
constexpr int kRounds = 8;

// (whether the neighbour is the caller, neighbour, calls), sorted.
using Fingerprint = std::vector<std::tuple<bool, uint32_t, double>>;

struct Side {
  absl::flat_hash_map<uint32_t, LoneFunction> alone;  // not paired yet
  absl::Span<const LoneArc> arcs;
};

absl::flat_hash_map<uint32_t, Fingerprint> Fingerprints(
    const Side& side, const absl::flat_hash_map<uint32_t, uint32_t>& renamed) {
  const auto known_as = [&](uint32_t function) {
    if (side.alone.contains(function)) return kUnnamed;
    const auto found = renamed.find(function);
    return found == renamed.end() ? function : found->second;
  };
  absl::flat_hash_map<uint32_t, Fingerprint> prints;
  for (const LoneArc& arc : side.arcs) {
    if (side.alone.contains(arc.callee)) {
      prints[arc.callee].emplace_back(true, known_as(arc.caller), arc.calls);
    }
    if (side.alone.contains(arc.caller)) {
      prints[arc.caller].emplace_back(false, known_as(arc.callee), arc.calls);
    }
  }
  for (auto& [function, print] : prints) std::sort(print.begin(), print.end());
  return prints;
}

bool Alike(const LoneFunction& a, const LoneFunction& b) {
  if (a.calls != b.calls) return false;
  const double larger = static_cast<double>(std::max(a.size, b.size));
  const double difference = larger - static_cast<double>(std::min(a.size, b.size));
  const bool same_size = a.size != 0 && b.size != 0 && difference <= 0.1 * larger + 8;
  const bool same_file = a.file != 0 && a.file == b.file;
  // In one file a body may have been edited on the way. In another file it must be the same.
  return same_size || (same_file && (a.size == 0 || b.size == 0 || difference <= 0.5 * larger));
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
  const absl::flat_hash_map<uint32_t, uint32_t> none;
  for (int round = 0; round < kRounds; ++round) {
    struct Candidates {
      std::vector<uint32_t> before, after;
    };
    absl::flat_hash_map<Fingerprint, Candidates> by_print;
    for (auto& [function, print] : Fingerprints(base, none)) {
      by_print[std::move(print)].before.push_back(function);
    }
    for (auto& [function, print] : Fingerprints(head, renamed)) {
      by_print[std::move(print)].after.push_back(function);
    }
    std::vector<std::pair<uint32_t, uint32_t>> found;
    for (const auto& [print, candidates] : by_print) {
      if (candidates.before.size() != 1 || candidates.after.size() != 1) continue;
      const uint32_t was = candidates.before[0], is = candidates.after[0];
      if (Alike(base.alone[was], head.alone[is])) found.emplace_back(was, is);
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
