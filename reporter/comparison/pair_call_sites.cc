// Call sites have no names, and their lines shift with every edit above them. But edits keep them
// in order, and most sites are executed as often as before. So the two sequences are aligned like
// texts: by the best order-preserving pairing. A pair of equal counts scores most. Any pair scores
// more than none.
//
// Ties are resolved by lines. All lines between two edits shift by the same amount. So a pair costs
// a little if its shift differs from that of the pair before it, and more the more the shifts
// differ. The shift of the first pair is compared with that of the caller's own first line. (If one
// of two adjacent equal calls is new, either may be chosen: the result is equivalent.)
//
// best(i, j) is the score of the best alignment that ends with the pair of i and j. The previous
// pair usually is nearby; then the actual difference of the shifts is used. Across longer gaps the
// difference is assumed to be large, so that one maximum over all earlier pairs suffices. The cost
// is that of filling the table.
#include "reporter/comparison/pair_call_sites.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "profile/demangle.h"
#include "profile/names.h"

namespace gprofhub::reporter {

namespace {

// Maximum number of cells of the alignment's table. Longer sequences are paired by lines alone.
constexpr size_t kMostCells = 1'000'000;
// Distance within which shifts are compared.
constexpr size_t kNearby = 4;

constexpr int64_t kPair = 100;
constexpr int64_t kSameCount = 400;
constexpr int64_t kOtherShift = 10;
constexpr int64_t kMostPerShift = 60;

class Aligner {
 public:
  Aligner(const std::vector<CallSite>& before, uint64_t repetitions_before,
          const std::vector<CallSite>& after, uint64_t repetitions_after, int64_t caller_shift)
      : before_(before),
        after_(after),
        repetitions_before_(repetitions_before),
        repetitions_after_(repetitions_after),
        caller_shift_(caller_shift),
        cells_(before.size() * after.size()) {}

  std::vector<CallSitePair> Run() {
    for (size_t i = 0; i < before_.size(); ++i) {
      for (size_t j = 0; j < after_.size(); ++j) Fill(i, j);
    }
    std::vector<std::pair<size_t, size_t>> paired;
    size_t at = cells_.empty() ? kNone : cells_.back().best_so_far;
    for (; at != kNone; at = cells_[at].previous) {
      paired.emplace_back(at / after_.size(), at % after_.size());
    }
    std::reverse(paired.begin(), paired.end());
    paired.emplace_back(before_.size(), after_.size());
    std::vector<CallSitePair> pairs;
    size_t i = 0, j = 0;
    for (const auto& [was, is] : paired) {
      for (; i < was; ++i) {
        pairs.push_back({std::string(before_[i].file), before_[i].line, 0, before_[i].count, 0});
      }
      for (; j < is; ++j) {
        pairs.push_back({std::string(after_[j].file), 0, after_[j].line, 0, after_[j].count});
      }
      if (i == before_.size() || j == after_.size()) continue;
      pairs.push_back({std::string(after_[j].file), before_[i].line, after_[j].line,
                       before_[i].count, after_[j].count});
      ++i, ++j;
    }
    return pairs;
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  struct Cell {
    int64_t worth = 0;           // score of the best alignment that ends with this pair
    size_t previous = kNone;     // the pair before this one
    size_t best_so_far = kNone;  // over all cells up to this row and column
  };

  size_t Index(size_t i, size_t j) const { return i * after_.size() + j; }

  int64_t Shift(size_t i, size_t j) const {
    return static_cast<int64_t>(after_[j].line) - static_cast<int64_t>(before_[i].line);
  }

  static int64_t CostOf(int64_t difference) {
    return difference == 0 ? 0 : std::min(kMostPerShift, kOtherShift + std::abs(difference));
  }

  void Fill(size_t i, size_t j) {
    const bool same_count =
        SameRatio(before_[i].count, repetitions_before_, after_[j].count, repetitions_after_);
    const int64_t shift = Shift(i, j);
    int64_t most = -CostOf(shift - caller_shift_);
    size_t previous = kNone;
    const auto consider = [&](size_t cell, int64_t cost) {
      if (cells_[cell].worth - cost <= most) return;
      most = cells_[cell].worth - cost;
      previous = cell;
    };
    for (size_t a = i - std::min(i, kNearby); a < i; ++a) {
      for (size_t b = j - std::min(j, kNearby); b < j; ++b) {
        consider(Index(a, b), CostOf(shift - Shift(a, b)));
      }
    }
    if (i > 0 && j > 0) consider(cells_[Index(i - 1, j - 1)].best_so_far, kMostPerShift);
    Cell& cell = cells_[Index(i, j)];
    cell.worth = most + kPair + kSameCount * same_count;
    cell.previous = previous;
    cell.best_so_far = Index(i, j);
    if (i > 0) Prefer(cells_[Index(i - 1, j)].best_so_far, cell);
    if (j > 0) Prefer(cells_[Index(i, j - 1)].best_so_far, cell);
  }

  void Prefer(size_t other, Cell& cell) {
    if (cells_[other].worth > cells_[cell.best_so_far].worth) cell.best_so_far = other;
  }

  const std::vector<CallSite>& before_;
  const std::vector<CallSite>& after_;
  const uint64_t repetitions_before_;
  const uint64_t repetitions_after_;
  const int64_t caller_shift_;
  std::vector<Cell> cells_;
};

std::vector<CallSitePair> PairByLine(const std::vector<CallSite>& before,
                                     const std::vector<CallSite>& after) {
  std::vector<CallSitePair> pairs;
  for (const CallSite& place : before) {
    pairs.push_back({std::string(place.file), place.line, 0, place.count, 0});
  }
  for (const CallSite& place : after) {
    const auto same = std::find_if(pairs.begin(), pairs.end(), [&](const CallSitePair& pair) {
      return pair.line_before == place.line && pair.line_after == 0 && pair.file == place.file;
    });
    if (same != pairs.end()) {
      same->line_after = place.line;
      same->after = place.count;
    } else {
      pairs.push_back({std::string(place.file), 0, place.line, 0, place.count});
    }
  }
  return pairs;
}

}  // namespace

std::vector<CallSitePair> PairCallSites(const std::vector<CallSite>& before,
                                        uint64_t repetitions_before,
                                        const std::vector<CallSite>& after,
                                        uint64_t repetitions_after, int64_t caller_shift) {
  if ((before.size() + 1) * (after.size() + 1) > kMostCells) return PairByLine(before, after);
  return Aligner(before, repetitions_before, after, repetitions_after, caller_shift).Run();
}

namespace {

// By row: there are fewer rows than arcs, and looking up a name is a cache miss.
std::vector<bool> MeasuredRows(const profile::ComputedProfile& profile) {
  std::vector<bool> measured;
  measured.reserve(profile.functions.size());
  for (const profile::FunctionCost& function : profile.functions) {
    measured.push_back(profile::IsMeasuredQuantity(profile.strings[function.name]));
  }
  return measured;
}

bool IsStructor(absl::string_view name) {
  const std::string plain = profile::QualifiedName(name);
  const size_t colons = plain.rfind("::");
  if (colons == std::string::npos) return false;
  const std::string last = plain.substr(colons + 2);
  if (absl::StartsWith(last, "~")) return true;
  const std::string scope = plain.substr(0, colons);
  const size_t before = scope.rfind("::");
  return (before == std::string::npos ? scope : scope.substr(before + 2)) == last;
}

bool IsWithinFamily(const profile::ComputedProfile& profile, const RowMap& rows,
                    const profile::ArcCost& arc) {
  if (arc.caller >= rows.size() || arc.caller == arc.callee) return false;
  if (rows[arc.caller] != rows[arc.callee]) return false;
  const absl::string_view name = profile.strings[profile.functions[arc.callee].name];
  if (profile::WithoutCloneSuffixes(name, profile::CloneKinds::kAll).size() != name.size()) {
    return true;
  }
  // Variants of a constructor are one function where the other side has one code for them.
  const absl::string_view caller = profile.strings[profile.functions[arc.caller].name];
  return caller != name && IsStructor(name) &&
         profile::QualifiedName(caller) == profile::QualifiedName(name);
}

// Whether the rows are of one function, apart from the linker's folding.
bool AreClones(const profile::ComputedProfile& profile, uint32_t a, uint32_t b) {
  const auto name = [&](uint32_t row) {
    return profile::WithoutCloneSuffixes(profile.strings[profile.functions[row].name],
                                         profile::CloneKinds::kAll);
  };
  return name(a) == name(b);
}

}  // namespace

FunctionSide& SideOf(FunctionPair& pair, bool after) { return after ? pair.after : pair.before; }

std::vector<ArcKind> KindsOfArcs(const profile::ComputedProfile& profile, const RowMap& rows) {
  const std::vector<profile::ArcCost>& arcs = profile.arcs;
  std::vector<ArcKind> kinds(arcs.size(), ArcKind::kCall);
  const std::vector<bool> is_measured = MeasuredRows(profile);
  // Arcs with the same call site are adjacent.
  for (size_t begin = 0, end = 0; begin < arcs.size(); begin = end) {
    const auto is_here = [&](const profile::ArcCost& arc) {
      return arc.caller == arcs[begin].caller && arc.site_offset == arcs[begin].site_offset;
    };
    for (end = begin + 1; end < arcs.size() && is_here(arcs[end]);) ++end;
    for (size_t i = begin; i < end; ++i) {
      if (IsWithinFamily(profile, rows, arcs[i])) kinds[i] = ArcKind::kWithinFamily;
      if (is_measured[arcs[i].callee]) kinds[i] = ArcKind::kMeasured;
      if (arcs[i].site_offset == 0) continue;
      for (size_t other = begin; other < end && kinds[i] == ArcKind::kCall; ++other) {
        if (other == i || rows[arcs[other].callee] != rows[arcs[i].callee]) continue;
        if (!AreClones(profile, arcs[other].callee, arcs[i].callee)) continue;
        if (arcs[i].count < arcs[other].count ||
            (arcs[i].count == arcs[other].count && other < i)) {
          kinds[i] = ArcKind::kJump;
        }
      }
    }
  }
  return kinds;
}

uint64_t RepetitionsOf(const profile::ComputedProfile& profile) {
  return std::max<uint64_t>(1, profile.repetitions);
}

uint64_t RepetitionsOf(absl::Span<const profile::ComputedProfile> profiles) {
  uint64_t repetitions = 0;
  for (const profile::ComputedProfile& profile : profiles) repetitions += RepetitionsOf(profile);
  return repetitions;
}

void AddRun(uint64_t sum, uint64_t repetitions, uint64_t all_before, Count& count) {
  const bool first = count.runs == 0;
  const bool agrees =
      sum % repetitions == 0 && (first || SameRatio(sum, repetitions, count.sum, all_before));
  if (count.repeats && !agrees) {
    count.repeats = false;
    if (!first) {
      count.by_run.assign(count.runs,
                          static_cast<double>(count.sum) / static_cast<double>(all_before));
    }
  }
  if (!count.repeats) {
    count.by_run.push_back(static_cast<double>(sum) / static_cast<double>(repetitions));
  }
  ++count.runs;
  count.sum += sum;
}

// A compiler decides which calls it inlines, and which loops it unrolls. So if the toolchain
// changed, times and most counts are no evidence about the source.
//
// One count is: that of a function of which no compiler inlined a call, on either side. Inlining or
// cloning its callers moves its calls to other callers, but keeps their total. Excluded are
// functions of one side only, since the other may have inlined them all; recursive functions, since
// the recursive call may become a jump; and constructors and destructors, whose variants one
// compiler lets call each other, and another merges.

namespace {

// "gcc 12.2.0" of "gcc 12.2.0 -O2".
absl::string_view Compiler(absl::string_view toolchain) {
  return toolchain.substr(0, toolchain.find(" -"));
}

// Two objects may each have a function of one name, as a program's allocator and libc do. Which of
// them a side's runs have seen may be chance, and each has its own compiler.
bool IsOfOneSource(const FunctionSide& before, const FunctionSide& after) {
  return before.object == after.object || (!before.file.empty() && before.file == after.file);
}

// The common toolchain change of the functions of one file, or of one toolchain.
constexpr int32_t kUnseen = -2;
constexpr int32_t kUnchanged = -1;
constexpr int32_t kMixed = -3;

void Merge(int32_t change, int32_t& common) {
  common = common == kUnseen || common == change ? change : kMixed;
}

class ToolchainChangeFinder {
 public:
  explicit ToolchainChangeFinder(MatchedTarget& target) : target_(target) {}

  void Run() {
    for (FunctionPair& function : target_.functions) NoteOfBothSides(function);
    if (target_.toolchain_changes.empty()) return;
    for (FunctionPair& function : target_.functions) NoteOfOneSide(function);
    std::map<int32_t, std::set<absl::string_view>> files;
    std::set<absl::string_view> all_files;
    for (const FunctionPair& function : target_.functions) {
      const FunctionSide& side = function.Latest();
      if (side.toolchain.empty()) continue;
      ++target_.functions_of_known_toolchain;
      all_files.insert(side.file);
      if (function.toolchain_change < 0) continue;
      ++target_.toolchain_changes[function.toolchain_change].functions;
      files[function.toolchain_change].insert(side.file);
    }
    target_.files_of_known_toolchain = all_files.size();
    for (const auto& [change, names] : files)
      target_.toolchain_changes[change].files = names.size();
  }

 private:
  void NoteOfBothSides(FunctionPair& function) {
    const FunctionSide& before = function.before;
    const FunctionSide& after = function.after;
    if (before.toolchain.empty() || after.toolchain.empty()) return;
    if (!IsOfOneSource(before, after)) return;
    function.toolchain_change = kUnchanged;
    if (DifferentToolchains(before.toolchain, after.toolchain)) {
      const auto [entry, is_new] =
          by_names_.try_emplace({before.toolchain, after.toolchain},
                                static_cast<int32_t>(target_.toolchain_changes.size()));
      if (is_new) {
        target_.toolchain_changes.push_back(
            {std::string(before.toolchain), std::string(after.toolchain)});
      }
      function.toolchain_change = entry->second;
    }
    for (const auto& [file, toolchain, toolchains] :
         {std::tie(before.file, before.toolchain, toolchains_[0]),
          std::tie(after.file, after.toolchain, toolchains_[1])}) {
      if (!file.empty()) {
        Merge(function.toolchain_change, files_.try_emplace(file, kUnseen).first->second);
      }
      Merge(function.toolchain_change, toolchains.try_emplace(toolchain, kUnseen).first->second);
    }
  }

  void NoteOfOneSide(FunctionPair& function) {
    if (function.before.present() == function.after.present()) return;
    const bool is_after = function.after.present();
    const FunctionSide& side = is_after ? function.after : function.before;
    if (side.toolchain.empty()) return;
    const auto of_file = files_.find(side.file);
    if (of_file != files_.end() && of_file->second != kMixed) {
      function.toolchain_change = of_file->second;
      return;
    }
    const auto of_all = toolchains_[is_after].find(side.toolchain);
    if (of_all != toolchains_[is_after].end() && of_all->second != kMixed) {
      function.toolchain_change = of_all->second;
    }
  }

  MatchedTarget& target_;
  std::map<std::pair<absl::string_view, absl::string_view>, int32_t> by_names_;
  absl::flat_hash_map<absl::string_view, int32_t> files_;          // the common change
  absl::flat_hash_map<absl::string_view, int32_t> toolchains_[2];  // before and after
};

}  // namespace

bool DifferentToolchains(absl::string_view before, absl::string_view after) {
  if (before.empty() || after.empty() || before == after) return false;
  if (Compiler(before) != Compiler(after)) return true;
  const bool both_known = Compiler(before) != before && Compiler(after) != after;
  return both_known;
}

void FindToolchainChanges(MatchedTarget& target) { ToolchainChangeFinder(target).Run(); }

bool CallsAreTheSources(const MatchedTarget& target, uint32_t function) {
  const FunctionPair& pair = target.functions[function];
  if (!pair.before.present() || !pair.after.present() || pair.is_module) return false;
  return !pair.before.may_be_inlined && !pair.after.may_be_inlined && !pair.calls_itself &&
         !IsStructor(pair.name);
}

}  // namespace gprofhub::reporter
