// When a component is rewritten, dozens of functions vanish and dozens appear. None of these is a
// change of its own: the old code has no counterpart to be compared with, function by function. But
// the component as a whole has one, because its users remain.
//
// A component is a set of functions with a common name: a class or namespace, the first word of C
// names (json of jsonParse and jsonRender), or a file. It was rewritten if
//
// - several of its functions vanished, and several appeared;
// - these are a large part of it, on each side: in a file of a thousand functions ten may change
//   without being related;
// - most of the vanished ones were reached from functions that stayed, and most of the new ones
//   are; and at least one function that stayed called some of the former, and calls some of the
//   latter.
//
// Vanished or new functions with other names belong to it if only the component called them. The
// widest components are processed first, of equally wide ones the one with fewer other functions,
// and a function is used only once. A function whose code is unchanged was not rewritten: its calls
// can be compared, so it does not belong to the component.
#include "reporter/comparison/rewrites.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/grouped.h"
#include "profile/demangle.h"

namespace gprofhub::reporter {

namespace {

// Minimum number of vanished, and of new, functions.
constexpr size_t kSeveral = 4;
// Minimum share of these in the component's functions, on each side.
constexpr double kLargePart = 0.25;
// Minimum length of the first word of a C name.
constexpr size_t kShortestWord = 3;
// Maximum number of functions per side for pairing.
constexpr size_t kMostPaired = 300;
constexpr double kAlike = 0.35;

std::string LocalName(absl::string_view plain) {
  const size_t colons = plain.rfind("::");
  return std::string(colons == absl::string_view::npos ? plain : plain.substr(colons + 2));
}

// Names of components that the function may belong to.
std::vector<std::string> ComponentsOf(const FunctionPair& function, absl::string_view plain) {
  std::vector<std::string> components;
  const size_t colons = plain.rfind("::");
  if (colons != absl::string_view::npos) {
    components.push_back(absl::StrCat(plain.substr(0, colons), "::*"));
  } else {
    size_t word = 0;
    while (word < plain.size() && absl::ascii_islower(plain[word])) ++word;
    if (word >= kShortestWord && word < plain.size()) {
      components.push_back(absl::StrCat(plain.substr(0, word), "*"));
    }
  }
  const FunctionSide& side = function.Latest();
  if (!side.file.empty()) components.emplace_back(side.file);
  return components;
}

// Pairs of adjacent letters, in lower case.
std::set<std::pair<char, char>> Bigrams(const std::string& name) {
  std::set<std::pair<char, char>> bigrams;
  for (size_t i = 1; i < name.size(); ++i) {
    bigrams.insert({absl::ascii_tolower(name[i - 1]), absl::ascii_tolower(name[i])});
  }
  return bigrams;
}

// Dice coefficient of two sets, from 0 to 1.
template <typename Set>
double Likeness(const Set& a, const Set& b) {
  size_t common = 0;
  for (const auto& entry : a) common += b.contains(entry);
  return a.empty() && b.empty()
             ? 0
             : 2.0 * static_cast<double>(common) / static_cast<double>(a.size() + b.size());
}

class RewriteFinder {
 public:
  explicit RewriteFinder(const MatchedTarget& target)
      : target_(target),
        plain_(target.functions.size()),
        callers_(target.functions.size(),
                 [&](const auto& add) {
                   for (const ArcPair& arc : target.arcs) {
                     if (IsOfTwo(arc)) add(arc.callee, &arc);
                   }
                 }),
        callees_(target.functions.size(),
                 [&](const auto& add) {
                   for (const ArcPair& arc : target.arcs) {
                     if (IsOfTwo(arc)) add(arc.caller, &arc);
                   }
                 }),
        is_taken_(target.functions.size(), false) {}

  std::vector<Rewrite> Run() {
    std::map<std::string, std::vector<uint32_t>> components;
    for (uint32_t i = 0; i < target_.functions.size(); ++i) {
      const FunctionPair& function = target_.functions[i];
      if (function.is_module || (!IsBefore(i) && !IsAfter(i))) continue;
      plain_[i] = profile::QualifiedName(function.name);
      for (std::string& name : ComponentsOf(function, plain_[i])) {
        components[std::move(name)].push_back(i);
      }
    }
    std::vector<Rewrite> candidates;
    for (const auto& [name, members] : components) {
      Rewrite rewrite = Sort(name, members);
      if (IsLargePart(rewrite)) candidates.push_back(std::move(rewrite));
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](const Rewrite& a, const Rewrite& b) {
      const size_t of_a = a.gone.size() + a.came.size(), of_b = b.gone.size() + b.came.size();
      return of_a != of_b ? of_a > of_b : a.stayed.size() < b.stayed.size();
    });
    std::vector<Rewrite> found;
    for (Rewrite& candidate : candidates) {
      DropTaken(candidate);
      if (!IsLargePart(candidate) || !HasCommonCallers(candidate)) continue;
      AddHelpers(candidate);
      std::erase_if(candidate.stayed,
                    [this](uint32_t i) { return target_.functions[i].code == CodeChange::kSame; });
      for (const auto* list : {&candidate.gone, &candidate.came, &candidate.stayed}) {
        for (const uint32_t member : *list) is_taken_[member] = true;
      }
      FindPairs(candidate);
      found.push_back(std::move(candidate));
    }
    return found;
  }

 private:
  // Neither spontaneous nor recursive.
  static bool IsOfTwo(const ArcPair& arc) {
    return arc.caller != kSpontaneous && arc.caller != arc.callee;
  }

  bool IsBefore(uint32_t i) const { return target_.functions[i].before.calls.sum > 0; }
  bool IsAfter(uint32_t i) const { return target_.functions[i].after.calls.sum > 0; }

  Rewrite Sort(const std::string& name, const std::vector<uint32_t>& members) const {
    Rewrite rewrite;
    rewrite.component = name;
    for (const uint32_t i : members) {
      std::vector<uint32_t>& list = !IsAfter(i)    ? rewrite.gone
                                    : !IsBefore(i) ? rewrite.came
                                                   : rewrite.stayed;
      list.push_back(i);
    }
    return rewrite;
  }

  static bool IsLargePart(const Rewrite& rewrite) {
    const auto is_large = [&](const std::vector<uint32_t>& changed) {
      return changed.size() >= kSeveral &&
             static_cast<double>(changed.size()) >=
                 kLargePart * static_cast<double>(changed.size() + rewrite.stayed.size());
    };
    return is_large(rewrite.gone) && is_large(rewrite.came);
  }

  void DropTaken(Rewrite& rewrite) const {
    for (auto* list : {&rewrite.gone, &rewrite.came, &rewrite.stayed}) {
      std::erase_if(*list, [this](uint32_t i) { return is_taken_[i]; });
    }
  }

  bool HasCommonCallers(const Rewrite& rewrite) const {
    const absl::flat_hash_set<uint32_t> gone(rewrite.gone.begin(), rewrite.gone.end());
    const absl::flat_hash_set<uint32_t> came(rewrite.came.begin(), rewrite.came.end());
    absl::flat_hash_set<uint32_t> called_gone, calls_came;
    for (const uint32_t i : rewrite.gone) AddCallersThatStayed(i, called_gone);
    for (const uint32_t i : rewrite.came) AddCallersThatStayed(i, calls_came);
    const bool is_shared = std::any_of(called_gone.begin(), called_gone.end(),
                                       [&](uint32_t i) { return calls_came.contains(i); });
    return is_shared && 2 * Reached(gone, called_gone) >= gone.size() &&
           2 * Reached(came, calls_came) >= came.size();
  }

  void AddCallersThatStayed(uint32_t function, absl::flat_hash_set<uint32_t>& callers) const {
    for (const ArcPair* arc : callers_[function]) {
      if (IsBefore(arc->caller) && IsAfter(arc->caller)) callers.insert(arc->caller);
    }
  }

  // How many of `members` are reachable from `callers`.
  size_t Reached(const absl::flat_hash_set<uint32_t>& members,
                 const absl::flat_hash_set<uint32_t>& callers) const {
    std::vector<uint32_t> stack(callers.begin(), callers.end());
    absl::flat_hash_set<uint32_t> reached;
    while (!stack.empty()) {
      const uint32_t at = stack.back();
      stack.pop_back();
      for (const ArcPair* arc : callees_[at]) {
        if (members.contains(arc->callee) && reached.insert(arc->callee).second) {
          stack.push_back(arc->callee);
        }
      }
    }
    return reached.size();
  }

  // Vanished or new functions of another name that only the component called.
  void AddHelpers(Rewrite& rewrite) const {
    absl::flat_hash_set<uint32_t> members;
    for (const auto* list : {&rewrite.gone, &rewrite.came, &rewrite.stayed}) {
      members.insert(list->begin(), list->end());
    }
    std::vector<uint32_t> stack(members.begin(), members.end());
    while (!stack.empty()) {
      const uint32_t at = stack.back();
      stack.pop_back();
      for (const ArcPair* arc : callees_[at]) {
        const uint32_t i = arc->callee;
        if (is_taken_[i] || members.contains(i) || IsBefore(i) == IsAfter(i)) continue;
        if (target_.functions[i].is_module) continue;
        const bool is_helper =
            std::all_of(callers_[i].begin(), callers_[i].end(),
                        [&](const ArcPair* of) { return members.contains(of->caller); });
        if (!is_helper) continue;
        members.insert(i);
        stack.push_back(i);
        (IsAfter(i) ? rewrite.came : rewrite.gone).push_back(i);
      }
    }
    std::sort(rewrite.gone.begin(), rewrite.gone.end());
    std::sort(rewrite.came.begin(), rewrite.came.end());
  }

  std::set<uint32_t> Neighbours(uint32_t function) const {
    std::set<uint32_t> neighbours;
    for (const ArcPair* arc : callers_[function]) neighbours.insert(2 * arc->caller);
    for (const ArcPair* arc : callees_[function]) neighbours.insert(2 * arc->callee + 1);
    return neighbours;
  }

  void FindPairs(Rewrite& rewrite) const {
    struct Traits {
      std::set<std::pair<char, char>> name;
      std::set<uint32_t> neighbours;
    };
    const auto traits_of = [this](const std::vector<uint32_t>& list) {
      std::vector<Traits> traits;
      for (size_t i = 0; i < std::min(list.size(), kMostPaired); ++i) {
        traits.push_back({Bigrams(LocalName(plain_[list[i]])), Neighbours(list[i])});
      }
      return traits;
    };
    const std::vector<Traits> gone = traits_of(rewrite.gone), came = traits_of(rewrite.came);
    std::vector<std::tuple<double, uint32_t, uint32_t>> likeness;
    for (size_t i = 0; i < gone.size(); ++i) {
      for (size_t j = 0; j < came.size(); ++j) {
        const double alike = (Likeness(gone[i].name, came[j].name) +
                              Likeness(gone[i].neighbours, came[j].neighbours)) /
                             2;
        if (alike >= kAlike) likeness.emplace_back(-alike, rewrite.gone[i], rewrite.came[j]);
      }
    }
    std::sort(likeness.begin(), likeness.end());
    absl::flat_hash_set<uint32_t> paired;
    for (const auto& [alike, was, is] : likeness) {
      if (paired.contains(was) || paired.contains(is)) continue;
      paired.insert(was);
      paired.insert(is);
      rewrite.pairs.emplace_back(was, is);
    }
  }

  const MatchedTarget& target_;
  std::vector<std::string> plain_;               // names without signatures
  const base::Grouped<const ArcPair*> callers_;  // by callee
  const base::Grouped<const ArcPair*> callees_;  // by caller
  std::vector<bool> is_taken_;
};

}  // namespace

std::vector<Rewrite> FindRewrites(const MatchedTarget& target) {
  size_t gone = 0, came = 0;
  for (const FunctionPair& function : target.functions) {
    const bool before = function.before.calls.sum > 0, after = function.after.calls.sum > 0;
    gone += before && !after;
    came += after && !before;
  }
  // Usually nothing was rewritten, and no name needs to be parsed.
  if (gone < kSeveral || came < kSeveral) return {};
  return RewriteFinder(target).Run();
}

}  // namespace gprofhub::reporter
