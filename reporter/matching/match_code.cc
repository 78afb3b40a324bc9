#include "reporter/matching/match_code.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "profile/computed.h"
#include "profile/names/clone_names.h"

namespace gprofhub::reporter {
namespace {

// A function, and the suffix of one of its clones.
using Clone = std::pair<uint32_t, absl::string_view>;

// No digest: builds or images of one side differ in it, or it is unknown.
constexpr uint32_t kUnknown = 0;

// The digests of one side. Nearly all functions have no clone.
struct SideCode {
  explicit SideCode(size_t functions) : own(functions, kUnknown) {}

  std::vector<uint32_t> own;  // by function
  absl::flat_hash_map<Clone, uint32_t> clones;
};

SideCode CodeOf(const SideRuns& side, size_t functions) {
  SideCode codes(functions);
  std::vector<bool> seen(functions, false);
  for (size_t run = 0; run < side.profiles.size(); ++run) {
    const profile::ComputedProfile& profile = side.profiles[run];
    for (size_t row = 0; row < profile.functions.size(); ++row) {
      const profile::FunctionCost& cost = profile.functions[row];
      const uint32_t function = side.rows[run][row];
      const absl::string_view name = profile.strings[cost.name];
      const absl::string_view own = profile::WithoutCloneSuffixes(name, profile::CloneKinds::kAll);
      if (own.size() == name.size()) {
        if (!seen[function]) codes.own[function] = cost.code;
        if (codes.own[function] != cost.code) codes.own[function] = kUnknown;
        seen[function] = true;
        continue;
      }
      const Clone clone = {function, name.substr(own.size())};
      const auto [known, is_new] = codes.clones.try_emplace(clone, cost.code);
      if (!is_new && known->second != cost.code) known->second = kUnknown;
    }
  }
  return codes;
}

}  // namespace

void MatchCode(const SideRuns (&sides)[2], std::vector<FunctionPair>& functions) {
  const SideCode before = CodeOf(sides[0], functions.size());
  const SideCode after = CodeOf(sides[1], functions.size());
  for (size_t i = 0; i < functions.size(); ++i) {
    if (before.own[i] == kUnknown || after.own[i] == kUnknown) continue;
    functions[i].code = before.own[i] == after.own[i] ? CodeChange::kSame : CodeChange::kChanged;
  }
  // The function itself may be unchanged if its clones are.
  for (const auto& [clone, code] : after.clones) {
    const auto was = before.clones.find(clone);
    if (was == before.clones.end() || was->second == kUnknown || code == kUnknown) continue;
    if (was->second != code) functions[clone.first].code = CodeChange::kChanged;
  }
}

}  // namespace gprofhub::reporter
