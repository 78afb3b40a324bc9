// Lays the computed profiles of one target's base runs and head runs over each
// other: which function, arc and call site of the one side is which of the other.
//
// Functions are the same if their linkage names are, without the suffixes of
// compiler's clones, and, for static ones, the source file; the image does not
// matter. What that leaves over is paired where the pair is unique on both sides:
// by name (a static function whose file moved, or that lost its `static`), by
// name without parameters (a changed signature), and by what they do (renames.h).
// Several functions of one key are summed; calls among them, a function calling
// its own split-off part, are no calls.
//
// Arcs are the same if caller and callee are. Their call sites, whose line
// numbers shift with every edit above them, are evidence only: matched in order
// of their place in the caller if both sides have equally many, else by line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "profile/computed.h"

namespace gprofhub::reporter {

// The caller of an arc from outside every known function.
inline constexpr uint32_t kSpontaneous = 0xFFFFFFFF;

// A count on one side: the sum over its runs.
struct Count {
  bool present = false;
  uint64_t sum = 0;
  // Whether every execution counted the same, as far as the runs tell.
  bool repeats = true;
  // Of the runs' counts per execution.
  double sum_of_squares = 0;
  // Of a base's count that is known to vary (count_history.h): the runs, of older commits
  // too, that show by how much, and the sum of their squares about their mean.
  size_t older_runs = 0;
  double older_squares = 0;
  // Of a head's count that does not repeat: at the base and before it did.
  bool repeated_before = false;
};

struct FunctionSide {
  Count calls;  // recursive ones included
  double self_samples = 0;
  double child_samples = 0;
  uint64_t size = 0;  // bytes of code, clones included; 0: unknown
  std::string file;
  uint32_t line = 0;

  bool present() const { return calls.present; }
};

struct FunctionPair {
  std::string name;  // linkage name, at the head where it has one
  FunctionSide before;
  FunctionSide after;
  // The linkage name at the base, where that is another; else empty.
  std::string renamed_from;
  // Samples in each run, the base's runs first, then the window's, then the head's: in
  // itself, and inherited. Not a number where the run says nothing of the function.
  std::vector<double> self_by_run;
  std::vector<double> child_by_run;
  bool is_module = false;  // all of an object whose symbols are not known
};

// One place in the caller.
struct SitePair {
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
  std::vector<SitePair> sites;  // only where before or after changed
};

struct MatchedTarget {
  std::vector<FunctionPair> functions;
  std::vector<ArcPair> arcs;  // ascending by (callee, caller)
  size_t runs_before = 0;
  size_t runs_window = 0;
  size_t runs_after = 0;
  // Executions of all the side's runs.
  uint64_t repetitions_before = 1;
  uint64_t repetitions_after = 1;
};

// Both sides hold at least one run. `window` are runs of older commits: they tell of
// the times of those functions that were the same there as at the base, called as
// often and of the same size, and of nothing else.
MatchedTarget Match(absl::Span<const profile::ComputedProfile> before,
                    absl::Span<const profile::ComputedProfile> after,
                    absl::Span<const profile::ComputedProfile> window = {});

// Whether a/x and b/y are the same number, without rounding. x and y above 0.
bool SameRatio(uint64_t a, uint64_t x, uint64_t b, uint64_t y);

}  // namespace gprofhub::reporter
