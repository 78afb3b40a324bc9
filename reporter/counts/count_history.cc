// A count is *exact* if the same program with the same inputs repeats it. History shows that it is
// not if runs differ that should agree:
//
// - executions of one run, or runs of one commit, differ;
// - runs of one test binary change their count more than once: once may be a data file that the
//   test reads;
// - over six runs or more it changes at more than half of the commits, and reverses at a third of
//   those or more. A count that grows as tests are added changes often, but keeps its direction;
//   one that depends on addresses, races or the clock does not.
//
// Such a count is compared as a measurement (reporter/counts/judge_count.cc), and its older runs
// show by how much it varies.
//
// History can also show that a count repeats, which a single run of the base cannot: most runs have
// the count of the run before them. A commit may change it now and then.
//
// Nothing of this is stored: it is derived from the stored runs and cannot contradict them.
#include "reporter/counts/count_history.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "profile/names/clone_names.h"
#include "reporter/matching/same_ratio.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kEnoughRuns = 6;
// Number of agreeing runs after which a count that no longer repeats is reported.
constexpr size_t kEnoughToRepeat = 2;

// A function (without a caller) or an arc, by names without clone suffixes.
using Key = std::pair<absl::string_view, absl::string_view>;  // caller, callee

constexpr absl::string_view kNoCaller = "";
constexpr absl::string_view kOutside = "<spontaneous>";

absl::string_view NameAtBase(const FunctionPair& function) {
  return profile::WithoutCloneSuffixes(
      function.renamed_from.empty() ? function.name : function.renamed_from,
      profile::CloneKinds::kAll);
}

// Each wanted key's calls in one run. `callees` has the second parts of the keys: it filters most
// functions out before the lookup.
void AddCounts(const profile::ComputedProfile& profile,
               const absl::flat_hash_set<absl::string_view>& callees,
               absl::flat_hash_map<Key, uint64_t>& wanted) {
  std::vector<absl::string_view> names;
  std::vector<bool> is_callee;
  names.reserve(profile.functions.size());
  is_callee.reserve(profile.functions.size());
  for (const profile::FunctionCost& function : profile.functions) {
    names.push_back(
        profile::WithoutCloneSuffixes(profile.strings[function.name], profile::CloneKinds::kAll));
    is_callee.push_back(callees.contains(names.back()));
    if (!is_callee.back()) continue;
    const auto found = wanted.find({kNoCaller, names.back()});
    if (found != wanted.end()) found->second += function.calls + function.self_calls;
  }
  for (const profile::ArcCost& arc : profile.arcs) {
    if (!is_callee[arc.callee]) continue;
    const absl::string_view caller = arc.caller < names.size() ? names[arc.caller] : kOutside;
    const auto found = wanted.find({caller, names[arc.callee]});
    if (found != wanted.end()) found->second += arc.count;
  }
}

bool ChangesMoreThanOnce(const std::vector<double>& counts) {
  size_t changes = 0;
  for (size_t i = 1; i < counts.size(); ++i) changes += counts[i] != counts[i - 1];
  return changes > 1;
}

bool JumpsAbout(absl::Span<const CountInRun> runs) {
  if (runs.size() < kEnoughRuns) return false;
  size_t changes = 0, turns = 0;
  double last = 0;  // the last change
  for (size_t i = 1; i < runs.size(); ++i) {
    const double change = runs[i].each - runs[i - 1].each;
    if (change == 0) continue;
    ++changes;
    turns += last * change < 0;
    last = change;
  }
  return changes * 2 > runs.size() && turns * 3 >= changes;
}

void Note(const std::vector<CountInRun>& runs, Count& before, Count& after) {
  if (Varies(runs)) {
    before.repeats = false;
    before.by_run.clear();
    for (const CountInRun& run : runs) before.by_run.push_back(run.each);
    return;
  }
  before.repeated_in_history = Repeats(runs);
  if (before.repeats && !after.repeats && runs.size() >= kEnoughToRepeat) {
    after.repeated_before = true;
  }
}

bool WorthALook(const Count& before, const Count& after, const MatchedTarget& target) {
  return !before.repeats || !after.repeats ||
         !SameRatio(before.sum, target.repetitions_before, after.sum, target.repetitions_after);
}

}  // namespace

bool Varies(absl::Span<const CountInRun> runs) {
  std::map<absl::string_view, double> of_commit;
  std::map<absl::string_view, std::vector<double>> of_binary;
  for (const CountInRun& run : runs) {
    if (!run.repeats) return true;
    if (of_commit.try_emplace(run.commit, run.each).first->second != run.each) return true;
    if (!run.binary.empty()) of_binary[run.binary].push_back(run.each);
  }
  for (const auto& [binary, counts] : of_binary) {
    if (ChangesMoreThanOnce(counts)) return true;
  }
  return JumpsAbout(runs);
}

bool Repeats(absl::Span<const CountInRun> runs) {
  size_t same = 0, changes = 0;
  for (size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].each != runs[i - 1].each) {
      ++changes;
    } else if (runs[i].each > 0) {
      ++same;
    }
  }
  return same > changes;
}

void ApplyCountHistory(absl::Span<const CountedRun> runs, MatchedTarget& target) {
  if (runs.size() < 2) return;
  struct Watched {
    Key key;
    Count* before;
    Count* after;
    std::vector<CountInRun> runs;
  };
  std::vector<Watched> watched;
  for (FunctionPair& function : target.functions) {
    FunctionSide& before = function.before;
    FunctionSide& after = function.after;
    if (!before.present() || !WorthALook(before.calls, after.calls, target)) continue;
    watched.push_back({{kNoCaller, NameAtBase(function)}, &before.calls, &after.calls, {}});
  }
  for (ArcPair& arc : target.arcs) {
    if (!arc.before.present || !WorthALook(arc.before, arc.after, target)) continue;
    const absl::string_view caller =
        arc.caller == kSpontaneous ? kOutside : NameAtBase(target.functions[arc.caller]);
    const absl::string_view callee = NameAtBase(target.functions[arc.callee]);
    watched.push_back({{caller, callee}, &arc.before, &arc.after, {}});
  }
  if (watched.empty()) return;
  absl::flat_hash_set<absl::string_view> callees;
  for (const Watched& one : watched) callees.insert(one.key.second);
  for (const CountedRun& run : runs) {
    absl::flat_hash_map<Key, uint64_t> counts;
    for (const Watched& one : watched) counts.try_emplace(one.key, 0);
    AddCounts(*run.profile, callees, counts);
    const uint64_t repetitions = run.profile->repetitions == 0 ? 1 : run.profile->repetitions;
    for (Watched& one : watched) {
      const uint64_t count = counts.at(one.key);
      one.runs.push_back({run.commit, run.binary,
                          static_cast<double>(count) / static_cast<double>(repetitions),
                          count % repetitions == 0});
    }
  }
  for (Watched& one : watched) Note(one.runs, *one.before, *one.after);
}

}  // namespace gprofhub::reporter
