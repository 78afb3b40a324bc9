#include "reporter/matching/match_code.h"

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "profile/computed.h"
#include "profile/names/clone_names.h"

namespace gprofhub::reporter {
namespace {

// A function, and which of its clones; empty: itself.
using Part = std::pair<uint32_t, absl::string_view>;

// No digest: builds, or images, of one side differ in it, or it is not known.
constexpr uint32_t kUnknown = 0;

absl::flat_hash_map<Part, uint32_t> CodeOf(const SideRuns& side) {
  absl::flat_hash_map<Part, uint32_t> codes;
  for (size_t run = 0; run < side.profiles.size(); ++run) {
    const profile::ComputedProfile& profile = side.profiles[run];
    for (size_t row = 0; row < profile.functions.size(); ++row) {
      const profile::FunctionCost& function = profile.functions[row];
      const absl::string_view name = profile.strings[function.name];
      const absl::string_view own = profile::WithoutCloneSuffixes(name, profile::CloneKinds::kAll);
      const Part part = {side.rows[run][row], name.substr(own.size())};
      const auto [known, is_new] = codes.try_emplace(part, function.code);
      if (!is_new && known->second != function.code) known->second = kUnknown;
    }
  }
  return codes;
}

}  // namespace

void MatchCode(const SideRuns (&sides)[2], std::vector<FunctionPair>& functions) {
  const absl::flat_hash_map<Part, uint32_t> before = CodeOf(sides[0]), after = CodeOf(sides[1]);
  for (const auto& [part, code] : after) {
    const auto was = before.find(part);
    if (was == before.end() || was->second == kUnknown || code == kUnknown) continue;
    CodeChange& change = functions[part.first].code;
    if (was->second != code) {
      change = CodeChange::kChanged;
    } else if (part.second.empty() && change == CodeChange::kUnknown) {
      change = CodeChange::kSame;
    }
  }
}

}  // namespace gprofhub::reporter
