// Matches an arc's call sites of base and head.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/text_arena.h"
#include "profile/computed.h"

namespace gprofhub::reporter {

// One target's matched functions, arcs and call sites of base and head.

// The caller of an arc from outside every known function.
inline constexpr uint32_t kSpontaneous = 0xFFFFFFFF;

// A count on one side: the sum over its runs.
struct Count {
  bool present = false;
  // Whether all executions may have the same count.
  bool repeats = true;
  // Of a base's count: whether older runs show that it repeats (count_history.h).
  bool repeated_in_history = false;
  // Of a head's count that does not repeat: whether it repeated at the base and before.
  bool repeated_before = false;
  // Whether it was computed as if nothing were inlined (inlined_calls.cc), and not only counted.
  bool restored = false;
  uint32_t runs = 0;
  uint64_t sum = 0;
  // Of a count that does not repeat: its value per execution, by run. The base's own runs are
  // followed by older ones, if these show that it varies.
  std::vector<double> by_run;
};

struct FunctionSide {
  Count calls;  // recursive ones included
  double self_samples = 0;
  double child_samples = 0;
  uint64_t size = 0;            // bytes of code, clones included; 0: unknown
  absl::string_view file;       // source file of the definition; empty: unknown
  uint32_t line = 0;            // 0: unknown
  uint32_t object = 0;          // hash of the object's file name
  absl::string_view toolchain;  // as in profile/demangle.h; empty: unknown
  bool may_be_inlined = false;  // in a run's image, or unknown
  // Functions inlined into it: indices into MatchedTarget::functions, ascending, without itself.
  std::vector<uint32_t> inlined;

  bool present() const { return calls.present; }
  bool Inlines(uint32_t function) const {
    return std::binary_search(inlined.begin(), inlined.end(), function);
  }
};

// Whether the function's machine code is equivalent on both sides (profile/code/code_digests.h).
enum class CodeChange { kUnknown, kSame, kChanged };

// One number per run. Usually each side has one run, and there are very many functions, so two
// numbers are stored inline.
using ByRun = absl::InlinedVector<double, 2>;

// Its strings point into MatchedTarget::texts.
struct FunctionPair {
  absl::string_view name;  // linkage name, the head's if it has one
  FunctionSide before;
  FunctionSide after;
  // The linkage name at the base, if it differs; otherwise empty.
  absl::string_view renamed_from;
  bool renumbered = false;  // the compiler renamed it: only the number of a lambda differs
  // Samples by run, self and inherited. The base's runs come first, then those of older commits,
  // then the head's. NaN if a run has no information about the function.
  ByRun self_by_run;
  ByRun child_by_run;
  // Instructions counted in addition to time, by run. Empty if no run counted them.
  ByRun instructions_by_run;
  bool is_module = false;  // represents an object without symbols
  CodeChange code = CodeChange::kUnknown;
  uint8_t asks = 0;  // as profile::FunctionSymbol::asks, on any side
  bool calls_itself = false;
  // Index into MatchedTarget::toolchain_changes; negative: the toolchain is the same or unknown.
  int32_t toolchain_change = -1;

  // The head's side, or, if only the base has the function, the base's.
  const FunctionSide& Latest() const { return after.present() ? after : before; }
};

// A toolchain change: compiler, version and options of base and head.
struct ToolchainPair {
  std::string before, after;
  size_t functions = 0;  // number of functions it compiled
  size_t files = 0;
};

// One call site of an arc.
struct CallSitePair {
  std::string file;
  uint32_t line_before = 0;
  uint32_t line_after = 0;
  uint64_t before = 0;
  uint64_t after = 0;
};

struct ArcPair {
  uint32_t caller = kSpontaneous;  // index into functions
  uint32_t callee = 0;
  Count before;
  Count after;
  std::vector<CallSitePair> sites;  // only if the count changed
};

// A function's code from one line, on one side.
struct LineCode {
  absl::string_view file;
  uint32_t line = 0;
  uint64_t bytes = 0;
  double samples = 0;  // over all runs
};

// Ascending by file and line.
struct FunctionLines {
  std::vector<LineCode> before, after;
};

struct MatchedTarget {
  base::TextArena texts;  // storage of the functions' and lines' strings
  std::vector<FunctionPair> functions;
  std::vector<ArcPair> arcs;  // ascending by (callee, caller)
  // By function: of those that may have a changed time (source_lines.cc).
  absl::flat_hash_map<uint32_t, FunctionLines> lines;
  size_t runs_before = 0;
  size_t runs_window = 0;
  size_t runs_after = 0;
  std::vector<ToolchainPair> toolchain_changes;
  // Functions with a known toolchain; counted only if there is a change.
  size_t functions_of_known_toolchain = 0;
  size_t files_of_known_toolchain = 0;
  // Whether both sides know which functions were inlined.
  bool knows_inlined = false;
  // The sides ran in environments in which counts may differ (environments.h).
  bool other_environment = false;
  // Executions over all runs of the side.
  uint64_t repetitions_before = 1;
  uint64_t repetitions_after = 1;

  // Whether the code of any function is known to differ.
  bool AnyEdited() const {
    return std::any_of(functions.begin(), functions.end(), [](const FunctionPair& function) {
      return function.code == CodeChange::kChanged;
    });
  }

  // A sum over all executions of the side, for each of them.
  double PerBefore(uint64_t sum) const {
    return static_cast<double>(sum) / static_cast<double>(repetitions_before);
  }
  double PerAfter(uint64_t sum) const {
    return static_cast<double>(sum) / static_cast<double>(repetitions_after);
  }
};

struct CallSite {
  absl::string_view file;
  uint32_t line = 0;    // 0: unknown
  uint64_t offset = 0;  // in the caller's code
  uint64_t count = 0;   // over all of the side's executions
};

// Both lists are in the caller's order. A site of one side only is a pair with a zero line and a
// zero count on the other side. The caller's beginning moved down by `caller_shift` lines.
std::vector<CallSitePair> PairCallSites(const std::vector<CallSite>& before,
                                        uint64_t repetitions_before,
                                        const std::vector<CallSite>& after,
                                        uint64_t repetitions_after, int64_t caller_shift);

// Compares counts per execution without rounding.

// Whether a/x and b/y are the same number. x and y are above 0.
inline bool SameRatio(uint64_t a, uint64_t x, uint64_t b, uint64_t y) {
  using Wide = unsigned __int128;
  return static_cast<Wide>(a) * y == static_cast<Wide>(b) * x;
}

// The runs of one side of a comparison, with the mapping of their rows to the matched target's
// functions.

// Row of a profile → index into MatchedTarget::functions.
using RowMap = std::vector<uint32_t>;

// Kind of an arc of a run, after clones are merged with their function.
enum class ArcKind : uint8_t {
  // A call of the program.
  kCall,
  // A function's call of its own clone, or a constructor's of its own variant, which the compiler
  // created.
  kWithinFamily,
  // Counted twice: also as a call of a clone that the callee jumps to. A call instruction calls one
  // function; a jump keeps its return address on the stack. Of the arcs from one call site to one
  // function's clones, the one with the most calls counts.
  kJump,
  // Microseconds, not calls: they never repeat, so they are not compared as counts.
  kMeasured,
};

// By arc. `rows` must map all rows of a function to one number, whichever it is.
std::vector<ArcKind> KindsOfArcs(const profile::ComputedProfile& profile, const RowMap& rows);

struct SideRuns {
  absl::Span<const profile::ComputedProfile> profiles;
  std::vector<RowMap> rows = {};                 // by run
  std::vector<std::vector<ArcKind>> kinds = {};  // by run: of its arcs

  // The rows of the next profile.
  void Add(RowMap rows_of_run) {
    kinds.push_back(KindsOfArcs(profiles[rows.size()], rows_of_run));
    rows.push_back(std::move(rows_of_run));
  }
};

// The pair's head side (`after`) or base side.
FunctionSide& SideOf(FunctionPair& pair, bool after);

// Executions of the run; 1 if the profile does not have the number.
uint64_t RepetitionsOf(const profile::ComputedProfile& profile);
uint64_t RepetitionsOf(absl::Span<const profile::ComputedProfile> profiles);

// Adds the count of one run to the sum over runs. The run counted `sum` in `repetitions`
// executions; the runs added before had `all_before` executions.
void AddRun(uint64_t sum, uint64_t repetitions, uint64_t all_before, Count& count);

// Functions compiled by another toolchain: another compiler, version or options.

// Whether both names (profile/demangle.h) are known and differ. If one side recorded no
// options, they are assumed to be the other's.
bool DifferentToolchains(absl::string_view before, absl::string_view after);

// Sets toolchain_changes and FunctionPair::toolchain_change. A function of one side only gets the
// change of its file, or otherwise that of everything its toolchain compiled.
void FindToolchainChanges(MatchedTarget& target);

// Whether the function's total calls depend on the source alone, whatever its callers were compiled
// with: none of its calls is inlined on either side, and it is not recursive.
bool CallsAreTheSources(const MatchedTarget& target, uint32_t function);

}  // namespace gprofhub::reporter
