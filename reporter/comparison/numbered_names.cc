// Pairs functions that the compiler numbered.
//
// A lambda has no name: compilers number those of a function in their order, as they do unnamed
// types. An inserted lambda gives all later ones the next number, and each would be compared with
// its neighbour. So such a name identifies a family only: the functions whose names differ in
// nothing but these numbers. Within a family, members are paired by the first of these signs:
//
// - code: the digests are equal. Several members of one code are paired in their order.
// - order: as many members are left on both sides.
// - calls and place: the best pairing that keeps the order, in which pairs of equal counts and of
//   one shift of lines score most (pair_call_sites.h). The members left over are new, or gone.
//
// Where all members of a program have the code that they had, their numbers hold.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "profile/computed.h"
#include "profile/demangle.h"
#include "profile/names.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/comparison/renames.h"

namespace gprofhub::reporter {

namespace {

// Larger families are paired in their order.
constexpr size_t kMostAligned = 500;

bool MayBeNumbered(absl::string_view name) {
  return absl::StrContains(name, "Ul") || absl::StrContains(name, "Ut") ||
         absl::StrContains(name, "$_");
}

// A name without the numbers of lambdas ("{lambda(int)#2}", "$_2") and unnamed types.
struct NumberedName {
  std::string family;
  std::vector<uint64_t> numbers;  // empty: the name has none
};

NumberedName ReadNumbers(absl::string_view linkage_name) {
  const std::string name = profile::Demangle(linkage_name);
  NumberedName result;
  for (size_t i = 0; i < name.size();) {
    result.family += name[i++];
    const bool is_gcc = name[i - 1] == '#';
    if (!is_gcc && !absl::EndsWith(result.family, "$_")) continue;
    size_t end = i;
    uint64_t number = 0;
    for (; end < name.size() && absl::ascii_isdigit(name[end]); ++end) {
      number = number * 10 + static_cast<uint64_t>(name[end] - '0');
    }
    if (end == i || (is_gcc && (end == name.size() || name[end] != '}'))) continue;
    result.numbers.push_back(number);
    i = end;
  }
  return result;
}

// One function of one side.
struct Member {
  uint32_t function = 0;
  bool present = false;
  uint32_t code = 0;  // 0: unknown, or runs differ
  uint32_t line = 0;
  uint64_t calls = 0;
};

// By function. The code of clones is part of their function's.
std::vector<Member> MembersOf(const SideRuns& side, size_t functions,
                              const std::vector<bool>& is_numbered) {
  std::vector<Member> members(functions);
  for (size_t run = 0; run < side.profiles.size(); ++run) {
    absl::flat_hash_map<uint32_t, uint32_t> codes;
    for (size_t row = 0; row < side.rows[run].size(); ++row) {
      const uint32_t function = side.rows[run][row];
      if (!is_numbered[function]) continue;
      const profile::FunctionCost& cost = side.profiles[run].functions[row];
      Member& member = members[function];
      member.function = function;
      if (member.line == 0) member.line = cost.line;
      member.calls += cost.calls + cost.self_calls;
      codes[function] += cost.code;
    }
    for (const auto& [function, code] : codes) {
      Member& member = members[function];
      if (!member.present) member.code = code;
      if (member.code != code) member.code = 0;
      member.present = true;
    }
  }
  return members;
}

struct Family {
  std::vector<Member> members[2];  // of base and head, in the order of their numbers
};

class FamilyPairing {
 public:
  FamilyPairing(Family& family, const MatchedTarget& matched)
      : family_(family), matched_(matched) {}

  // Pairs of functions: the base's and the head's.
  std::vector<std::pair<uint32_t, uint32_t>> Run() {
    PairByCode();
    const std::vector<Member>& before = family_.members[0];
    const std::vector<Member>& after = family_.members[1];
    const bool is_small = before.size() <= kMostAligned && after.size() <= kMostAligned;
    if (before.size() != after.size() && is_small) Align();
    for (size_t i = 0; i < std::min(before.size(), after.size()); ++i) Pair(before[i], after[i]);
    return std::move(pairs_);
  }

 private:
  void Pair(const Member& was, const Member& is) { pairs_.emplace_back(was.function, is.function); }

  void PairByCode() {
    std::map<uint32_t, Family> of_code;
    for (int side = 0; side < 2; ++side) {
      for (const Member& member : family_.members[side]) {
        if (member.code != 0) of_code[member.code].members[side].push_back(member);
      }
    }
    for (auto& [code, same] : of_code) {
      if (same.members[0].empty() || same.members[1].empty()) continue;
      std::vector<std::pair<uint32_t, uint32_t>> pairs = PairInOrder(same);
      for (const auto& [was, is] : pairs) pairs_.emplace_back(was, is);
    }
    for (const auto& [was, is] : pairs_) {
      shift_ = static_cast<int64_t>(Take(family_.members[1], is)) -
               static_cast<int64_t>(Take(family_.members[0], was));
    }
  }

  // Members of one code: neither has more right to its number than to its calls.
  std::vector<std::pair<uint32_t, uint32_t>> PairInOrder(Family& same) const {
    for (std::vector<Member>& members : same.members) {
      for (Member& member : members) member.code = 0;
    }
    return FamilyPairing(same, matched_).Run();
  }

  // Removes the function's member and returns its line.
  static uint32_t Take(std::vector<Member>& members, uint32_t function) {
    const auto found = std::find_if(members.begin(), members.end(), [&](const Member& member) {
      return member.function == function;
    });
    const uint32_t line = found->line;
    members.erase(found);
    return line;
  }

  static std::vector<CallSite> SitesOf(const std::vector<Member>& members) {
    std::vector<CallSite> sites;
    for (const Member& member : members) {
      sites.push_back({"", std::max(1u, member.line), sites.size(), member.calls});
    }
    return sites;
  }

  void Align() {
    std::vector<Member>& before = family_.members[0];
    std::vector<Member>& after = family_.members[1];
    std::vector<Member> left[2];
    size_t i = 0, j = 0;
    for (const CallSitePair& pair :
         PairCallSites(SitesOf(before), matched_.repetitions_before, SitesOf(after),
                       matched_.repetitions_after, shift_)) {
      const bool was = pair.line_before != 0, is = pair.line_after != 0;
      if (was && is) {
        Pair(before[i++], after[j++]);
      } else if (was) {
        left[0].push_back(before[i++]);
      } else {
        left[1].push_back(after[j++]);
      }
    }
    before = std::move(left[0]);
    after = std::move(left[1]);
  }

  Family& family_;
  const MatchedTarget& matched_;
  int64_t shift_ = 0;
  std::vector<std::pair<uint32_t, uint32_t>> pairs_;
};

// Moves the head's members: became[function] is the function that gets its rows. As many members
// are paired as the smaller side has, so each of the others finds a function that the base lacks.
void MoveMembers(const std::vector<std::pair<uint32_t, uint32_t>>& pairs,
                 const std::vector<uint32_t>& of_base, const std::vector<uint32_t>& of_head,
                 MatchedTarget& matched, std::vector<uint32_t>& became) {
  std::vector<uint32_t> free;  // for members that only the head has
  for (const uint32_t function : of_head) {
    if (!std::binary_search(of_base.begin(), of_base.end(), function)) free.push_back(function);
  }
  absl::flat_hash_map<uint32_t, uint32_t> base_of;
  for (const auto& [was, is] : pairs) base_of[is] = was;
  std::vector<std::pair<uint32_t, absl::string_view>> names;
  for (const uint32_t function : of_head) {
    const auto paired = base_of.find(function);
    became[function] = paired == base_of.end() ? free.back() : paired->second;
    if (paired == base_of.end()) free.pop_back();
    names.emplace_back(became[function], matched.functions[function].name);
  }
  for (const auto& [function, name] : names) {
    FunctionPair& pair = matched.functions[function];
    if (pair.name == name) continue;
    if (std::binary_search(of_base.begin(), of_base.end(), function)) {
      pair.renamed_from = pair.name;
      pair.renumbered = true;
    }
    pair.name = name;
  }
}

}  // namespace

void PairNumberedFunctions(SideRuns (&sides)[2], MatchedTarget& matched) {
  const size_t functions = matched.functions.size();
  std::vector<bool> is_numbered(functions, false);
  for (size_t i = 0; i < functions; ++i) is_numbered[i] = MayBeNumbered(matched.functions[i].name);
  const std::vector<Member> members[2] = {MembersOf(sides[0], functions, is_numbered),
                                          MembersOf(sides[1], functions, is_numbered)};
  bool all_same = true;
  for (size_t i = 0; i < functions; ++i) {
    const Member& was = members[0][i];
    const Member& is = members[1][i];
    all_same = all_same && was.present == is.present && was.code == is.code;
  }
  if (all_same) return;
  std::map<std::string, std::map<std::vector<uint64_t>, std::vector<uint32_t>>> families;
  for (uint32_t i = 0; i < functions; ++i) {
    if (!members[0][i].present && !members[1][i].present) continue;
    NumberedName name = ReadNumbers(matched.functions[i].name);
    if (name.numbers.empty()) continue;
    families[std::move(name.family)][std::move(name.numbers)].push_back(i);
  }
  std::vector<uint32_t> became(functions);
  std::iota(became.begin(), became.end(), 0);
  for (const auto& [text, by_numbers] : families) {
    // Several functions share one text: variants of constructors, or the static ones of two files.
    if (std::any_of(by_numbers.begin(), by_numbers.end(),
                    [](const auto& entry) { return entry.second.size() > 1; })) {
      continue;
    }
    Family family;
    std::vector<uint32_t> all[2];
    for (const auto& [numbers, indices] : by_numbers) {
      for (int side = 0; side < 2; ++side) {
        const Member& member = members[side][indices.front()];
        if (!member.present) continue;
        family.members[side].push_back(member);
        all[side].push_back(member.function);
      }
    }
    if (all[0].empty() || all[1].empty()) continue;
    std::sort(all[0].begin(), all[0].end());
    MoveMembers(FamilyPairing(family, matched).Run(), all[0], all[1], matched, became);
  }
  for (RowMap& rows : sides[1].rows) {
    for (uint32_t& row : rows) row = became[row];
  }
}

}  // namespace gprofhub::reporter
