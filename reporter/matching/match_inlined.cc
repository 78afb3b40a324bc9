// Debug information refers to an inlined function by a hash of its name. A function that has code
// on that side is known by its linkage name there. One without code, because all its calls are
// inlined or it does not exist, may have had another linkage or signature than on the other side:
// it is identified by its qualified name, if that is unique. And for a function with internal
// linkage, gcc's debug information has only the local name.
#include "reporter/matching/match_inlined.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "profile/computed.h"
#include "profile/names/name_hash.h"
#include "profile/names/qualified_name.h"

namespace gprofhub::reporter {
namespace {

// By hash, ascending: functions that a side's debug information may refer to.
using KnownNames = std::vector<std::pair<uint32_t, uint32_t>>;

// Number of functions per name.
using NameCounts = absl::flat_hash_map<std::string, int>;

class InlinedNames {
 public:
  explicit InlinedNames(const std::vector<FunctionPair>& functions) : functions_(functions) {}

  KnownNames OfSide(const SideRuns& side, bool is_after) {
    const absl::flat_hash_set<uint32_t> said = Said(side);
    const std::vector<bool> is_static = Static(side);
    KnownNames known;
    for (uint32_t i = 0; i < functions_.size(); ++i) {
      const FunctionPair& pair = functions_[i];
      if (pair.name.empty()) continue;
      const bool has_old_name = !is_after && !pair.renamed_from.empty();
      const absl::string_view name = has_old_name ? pair.renamed_from : pair.name;
      known.emplace_back(profile::NameHash(name), i);
      const bool is_absent = !(is_after ? pair.after : pair.before).present();
      if (!is_absent && !is_static[i]) continue;
      const auto add = [&](const std::string& text, NameCounts& counts, auto name_of) {
        const uint32_t hash = profile::NameHash(text);
        if (text == name || !said.contains(hash)) return;
        if (Count(text, counts, name_of) < 2) known.emplace_back(hash, i);
      };
      if (is_absent) add(profile::QualifiedName(name), qualified_, profile::QualifiedName);
      add(profile::LocalName(name), local_, profile::LocalName);
    }
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    return known;
  }

 private:
  static absl::flat_hash_set<uint32_t> Said(const SideRuns& side) {
    absl::flat_hash_set<uint32_t> said;
    for (const profile::ComputedProfile& run : side.profiles) {
      for (const profile::InlinedCost& inlined : run.inlined) said.insert(inlined.name);
    }
    return said;
  }

  std::vector<bool> Static(const SideRuns& side) const {
    std::vector<bool> is_static(functions_.size(), false);
    for (size_t run = 0; run < side.profiles.size(); ++run) {
      for (size_t row = 0; row < side.rows[run].size(); ++row) {
        if (side.profiles[run].functions[row].is_static) is_static[side.rows[run][row]] = true;
      }
    }
    return is_static;
  }

  // Over all functions' names, which are read on first use.
  template <typename NameOf>
  int Count(const std::string& text, NameCounts& counts, NameOf name_of) const {
    if (counts.empty()) {
      for (const FunctionPair& pair : functions_) ++counts[name_of(pair.name)];
    }
    const auto found = counts.find(text);
    return found == counts.end() ? 0 : found->second;
  }

  const std::vector<FunctionPair>& functions_;
  NameCounts qualified_, local_;
};

}  // namespace

void MatchInlined(const SideRuns (&sides)[2], MatchedTarget& matched) {
  const auto knows = [](const SideRuns& side) {
    // A program without inlined functions cannot be distinguished from one without this
    // information.
    return std::any_of(side.profiles.begin(), side.profiles.end(),
                       [](const profile::ComputedProfile& run) { return !run.inlined.empty(); });
  };
  matched.knows_inlined = knows(sides[0]) && knows(sides[1]);
  if (!matched.knows_inlined) return;
  InlinedNames names(matched.functions);
  for (const bool is_after : {false, true}) {
    const SideRuns& side = sides[is_after ? 1 : 0];
    const KnownNames known = names.OfSide(side, is_after);
    for (size_t run = 0; run < side.profiles.size(); ++run) {
      for (const profile::InlinedCost& inlined : side.profiles[run].inlined) {
        const uint32_t into = side.rows[run][inlined.function];
        std::vector<uint32_t>& list = SideOf(matched.functions[into], is_after).inlined;
        for (auto at =
                 std::lower_bound(known.begin(), known.end(), std::make_pair(inlined.name, 0u));
             at != known.end() && at->first == inlined.name; ++at) {
          if (at->second != into) list.push_back(at->second);
        }
      }
    }
    for (FunctionPair& pair : matched.functions) {
      std::vector<uint32_t>& list = SideOf(pair, is_after).inlined;
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }
}

}  // namespace gprofhub::reporter
