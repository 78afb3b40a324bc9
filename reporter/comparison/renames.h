// Matches renamed functions of base and head.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/text_arena.h"
#include "profile/computed.h"
#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

// Maps rows of several profiles to functions.

// The functions of all runs by key. A clone is mapped to the function that it was made from. If no
// profile has that function, it is represented by its clones of one file.
class FunctionIndex {
 public:
  // Keeps a reference to `matched`, which owns the functions. Each gets `runs` columns of times.
  FunctionIndex(size_t runs, MatchedTarget& matched)
      : runs_(runs), functions_(matched.functions), texts_(matched.texts) {}

  // Adds the functions of one profile. Returns the function index of each row.
  RowMap Add(const profile::ComputedProfile& profile);

  // Call after the last Add: unites the functions that share their code in one of the profiles,
  // under any of their names. `rows` are the results of Add for `profiles`, and are changed. A
  // function that became part of another is left without a name.
  void UniteAliases(absl::Span<const profile::ComputedProfile* const> profiles,
                    absl::Span<RowMap> rows);

 private:
  uint32_t IndexOf(absl::string_view name, absl::string_view file, bool is_static, bool is_clone);
  uint32_t Insert(absl::string_view key, absl::string_view name);

  const size_t runs_;
  std::vector<FunctionPair>& functions_;
  base::TextArena& texts_;
  // Keys point into texts_ or static_keys_.
  absl::flat_hash_map<absl::string_view, uint32_t> index_;
  base::TextArena static_keys_;
  // Keys with clones but without a function so far.
  absl::flat_hash_set<std::string> orphans_;
};

// Pairs functions of base and head whose names have numbers of lambdas or unnamed types: by code
// and place, since an inserted lambda changes the numbers of others. Moves the head's rows to the
// base's functions. Call before AddCosts, with the repetitions of both sides set. The essay is in
// numbered_names.cc.
void PairNumberedFunctions(SideRuns (&sides)[2], MatchedTarget& matched);

// The calls and times of matched functions, run by run.

// Adds the costs of one side's runs. The first run has the column `first_run` in
// FunctionPair::self_by_run and child_by_run. Rows of the runs must still have their function's
// name, up to a clone suffix.
void AddCosts(const SideRuns& side, bool is_after, size_t first_run, MatchedTarget& matched);

// Adds times of runs of older commits. A run counts for a function only if the function was the
// same there as at the base: same calls per execution and same size. Otherwise the function's
// column of that run is NaN. The base's costs, of `repetitions_before` executions, must already be
// added.
void AddOlderRuns(const SideRuns& older, uint64_t repetitions_before, size_t first_run,
                  std::vector<FunctionPair>& functions);

// Of a digest of code: its half without names (profile/code/code_digests.cc); 0: unknown.
constexpr uint32_t ShapeOf(uint32_t code) { return code >> 16; }

// Code by which a function is recognised under another name. Equal code of a few instructions says
// little, of some dozen bytes only within one file.
struct KnownCode {
  uint32_t digest = 0;  // 0: unknown, or the function is too small
  uint32_t file = 0;    // hash of its file's name; 0: it is recognised in any file

  // Keys with and without the names that the code refers to; 0: unknown.
  uint64_t ByDigest() const { return digest == 0 ? 0 : uint64_t{file} << 32 | digest; }
  uint64_t ByShape() const {
    return ShapeOf(digest) == 0 ? 0 : uint64_t{file} << 32 | ShapeOf(digest);
  }
};

// By function, of one side. Unknown if runs that have the function differ in its code.
std::vector<KnownCode> CodeOfFunctions(const SideRuns& side, size_t functions);

// Separates base and head of functions that exchanged their names: each of these has, at the head,
// the code that another had at the base. The head's half becomes a function of its own, in the rows
// of `head`, so both halves can be paired by their code. Call before costs are added.
void SeparateExchanged(const SideRuns& base, SideRuns& head, MatchedTarget& matched);

// A function of one side only.
struct LoneFunction {
  uint32_t function = 0;  // any identifier
  double calls = 0;       // per execution
  uint64_t size = 0;      // bytes of code; 0: unknown
  uint32_t file = 0;      // identifier; 0: unknown
  uint32_t line = 0;      // of its definition; 0: unknown
  uint32_t name = 0;      // identifier of the name without scope and signature; 0: unknown
};

// An arc from or to a lone function, by LoneFunction's identifier. A function of both sides has the
// same identifier on both.
struct LoneArc {
  uint32_t caller = 0;
  uint32_t callee = 0;
  double calls = 0;          // per execution
  double caller_calls = 0;   // calls of the caller, per execution; 0: unknown
  bool from_edited = false;  // the caller's code is known to differ, or the caller is lone, too
};

// Pairs of a lone function of the base and one of the head. The essay is in renames.cc.
std::vector<std::pair<uint32_t, uint32_t>> FindRenames(absl::Span<const LoneFunction> before,
                                                       absl::Span<const LoneArc> arcs_before,
                                                       absl::Span<const LoneFunction> after,
                                                       absl::Span<const LoneArc> arcs_after);

}  // namespace gprofhub::reporter
