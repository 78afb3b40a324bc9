#include "reporter/matching/match_functions.h"

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "profile/computed.h"
#include "profile/names/qualified_name.h"
#include "reporter/matching/renames.h"

namespace gprofhub::reporter {
namespace {

// Merges two functions. `was` has only the base's side, `is` only the head's.
void Unite(std::vector<FunctionPair>& functions, uint32_t was, uint32_t is, size_t first_after,
           std::vector<uint32_t>& became) {
  FunctionPair& base = functions[was];
  FunctionPair& head = functions[is];
  if (base.name != head.name) base.renamed_from = base.name;
  base.name = head.name;
  base.after = std::move(head.after);
  for (size_t run = first_after; run < base.self_by_run.size(); ++run) {
    base.self_by_run[run] = head.self_by_run[run];
    base.child_by_run[run] = head.child_by_run[run];
    if (!head.instructions_by_run.empty()) {
      base.instructions_by_run[run] = head.instructions_by_run[run];
    }
  }
  const FunctionPair nobody;
  head = nobody;
  became[is] = was;
}

// Pairs functions of one side only if their key is unique among these. An empty key is not paired.
template <typename KeyOf>
void PairBy(const KeyOf& key_of, size_t first_after, std::vector<FunctionPair>& functions,
            std::vector<uint32_t>& became) {
  struct Candidates {
    std::vector<uint32_t> before, after;
  };
  absl::flat_hash_map<std::string, Candidates> by_key;
  for (uint32_t i = 0; i < functions.size(); ++i) {
    if (functions[i].before.present() == functions[i].after.present()) continue;
    std::string key = key_of(functions[i]);
    if (key.empty()) continue;
    Candidates& candidates = by_key[std::move(key)];
    (functions[i].before.present() ? candidates.before : candidates.after).push_back(i);
  }
  for (const auto& [key, candidates] : by_key) {
    if (candidates.before.size() != 1 || candidates.after.size() != 1) continue;
    Unite(functions, candidates.before[0], candidates.after[0], first_after, became);
  }
}

std::vector<LoneArc> LoneArcs(const SideRuns& side, bool is_after,
                              const std::vector<FunctionPair>& functions,
                              const std::vector<uint32_t>& became) {
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, double> calls;
  double repetitions = 0;
  for (size_t run = 0; run < side.profiles.size(); ++run) {
    const RowMap& rows = side.rows[run];
    repetitions += static_cast<double>(RepetitionsOf(side.profiles[run]));
    const auto is_lone = [&](uint32_t row) {
      const FunctionPair& pair = functions[became[rows[row]]];
      return pair.before.present() != pair.after.present();
    };
    const std::vector<ArcKind>& kinds = side.kinds[run];
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i] != ArcKind::kCall) continue;
      const profile::ArcCost& arc = side.profiles[run].arcs[i];
      const bool known = arc.caller < rows.size();
      if (!is_lone(arc.callee) && !(known && is_lone(arc.caller))) continue;
      const uint32_t caller = known ? became[rows[arc.caller]] : kSpontaneous;
      calls[{caller, became[rows[arc.callee]]}] += static_cast<double>(arc.count);
    }
  }
  std::vector<LoneArc> arcs;
  for (const auto& [ends, count] : calls) {
    double caller_calls = 0;
    if (ends.first != kSpontaneous) {
      const FunctionPair& caller = functions[ends.first];
      caller_calls =
          static_cast<double>((is_after ? caller.after : caller.before).calls.sum) / repetitions;
    }
    arcs.push_back({ends.first, ends.second, count / repetitions, caller_calls});
  }
  return arcs;
}

// The name without scope and signature; empty for a C function, which has neither.
std::string NameWithoutScope(absl::string_view name) {
  std::string local = profile::LocalName(name);
  return local == name ? std::string() : local;
}

// Smaller functions may be equal without being related.
constexpr uint64_t kTellingSize = 64;

// By function: its code digest, if all of the side's runs that have one agree; 0 if not, or if the
// function is too small for its digest to be significant.
void AddCode(const SideRuns& side, std::vector<uint32_t>& code_of) {
  std::vector<bool> seen(code_of.size(), false);
  for (size_t run = 0; run < side.profiles.size(); ++run) {
    for (size_t row = 0; row < side.rows[run].size(); ++row) {
      const profile::FunctionCost& cost = side.profiles[run].functions[row];
      const uint32_t function = side.rows[run][row];
      const uint32_t code = cost.size >= kTellingSize ? cost.code : 0;
      if (!seen[function]) code_of[function] = code;
      if (code_of[function] != code) code_of[function] = 0;
      seen[function] = true;
    }
  }
}

void PairByWhatTheyDo(const SideRuns& before, const SideRuns& after, const MatchedTarget& matched,
                      std::vector<FunctionPair>& functions, std::vector<uint32_t>& became) {
  std::vector<LoneFunction> lone[2];
  absl::flat_hash_map<absl::string_view, uint32_t> files;
  absl::flat_hash_map<std::string, uint32_t> names;
  for (uint32_t i = 0; i < functions.size(); ++i) {
    const FunctionPair& pair = functions[i];
    if (pair.before.present() == pair.after.present() || pair.is_module) continue;
    const bool is_after = pair.after.present();
    const FunctionSide& side = is_after ? pair.after : pair.before;
    const uint64_t repetitions = is_after ? matched.repetitions_after : matched.repetitions_before;
    LoneFunction function;
    function.function = i;
    function.calls = static_cast<double>(side.calls.sum) / static_cast<double>(repetitions);
    function.size = side.size;
    if (!side.file.empty()) {
      function.file =
          files.try_emplace(side.file, static_cast<uint32_t>(files.size() + 1)).first->second;
    }
    const std::string name = NameWithoutScope(pair.name);
    if (!name.empty()) {
      function.name =
          names.try_emplace(name, static_cast<uint32_t>(names.size() + 1)).first->second;
    }
    lone[is_after].push_back(function);
  }
  if (lone[0].empty() || lone[1].empty()) return;
  for (const auto& [was, is] : FindRenames(lone[0], LoneArcs(before, false, functions, became),
                                           lone[1], LoneArcs(after, true, functions, became))) {
    Unite(functions, was, is, matched.runs_before + matched.runs_window, became);
  }
}

}  // namespace

void PairLoneFunctions(SideRuns (&sides)[2], MatchedTarget& matched) {
  std::vector<FunctionPair>& functions = matched.functions;
  const size_t first_after = matched.runs_before + matched.runs_window;
  std::vector<uint32_t> became(functions.size());
  std::iota(became.begin(), became.end(), 0);
  PairBy([](const FunctionPair& pair) { return std::string(pair.name); }, first_after, functions,
         became);
  PairBy(
      [](const FunctionPair& pair) {
        std::string name = profile::QualifiedName(pair.name);
        return name == pair.name ? std::string() : name;
      },
      first_after, functions, became);
  std::vector<uint32_t> code_of(functions.size(), 0);
  for (const SideRuns& side : sides) AddCode(side, code_of);
  PairBy(
      [&](const FunctionPair& pair) {
        const uint32_t code = code_of[static_cast<size_t>(&pair - functions.data())];
        return code == 0 ? std::string() : absl::StrCat(code);
      },
      first_after, functions, became);
  PairByWhatTheyDo(sides[0], sides[1], matched, functions, became);
  for (SideRuns& side : sides) {
    for (RowMap& rows : side.rows) {
      for (uint32_t& row : rows) row = became[row];
    }
  }
}

}  // namespace gprofhub::reporter
