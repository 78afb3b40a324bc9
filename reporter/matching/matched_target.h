// One target's functions, arcs and call sites, those of the base beside those of the head.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "base/memory/text_arena.h"

namespace gprofhub::reporter {

// The caller of an arc from outside every known function.
inline constexpr uint32_t kSpontaneous = 0xFFFFFFFF;

// A count on one side: the sum over its runs.
struct Count {
  bool present = false;
  // Whether nothing contradicts that every execution counts the same.
  bool repeats = true;
  // Of a base's count: whether older runs show that it repeats (count_history.h).
  bool repeated_in_history = false;
  // Of a head's count that does not repeat: at the base and before it did.
  bool repeated_before = false;
  uint32_t runs = 0;
  uint64_t sum = 0;
  // Of a count that does not repeat: of each run, per execution. After the base's own runs come
  // older ones, where these show that it varies.
  std::vector<double> by_run;
};

struct FunctionSide {
  Count calls;  // recursive ones included
  double self_samples = 0;
  double child_samples = 0;
  uint64_t size = 0;            // bytes of code, clones included; 0: unknown
  absl::string_view file;       // where the function stands; empty: unknown
  uint32_t line = 0;            // 0: unknown
  uint32_t object = 0;          // hash of the file name of the object that has its code
  absl::string_view toolchain;  // that compiled it (profile/names/toolchain_name.h); empty: unknown
  bool may_be_inlined = false;  // calls of it, in a run's image; nothing is known otherwise
  // What was inlined into it: indices into MatchedTarget::functions, ascending, without itself.
  std::vector<uint32_t> inlined;

  bool present() const { return calls.present; }
};

// Whether the function's machine code does the same on both sides (profile/code/code_digests.h).
enum class CodeChange { kUnknown, kSame, kChanged };

// A number for each run. Mostly each side has one, and there are very many functions: so two need
// no allocation.
using ByRun = absl::InlinedVector<double, 2>;

// Its texts are MatchedTarget::texts'.
struct FunctionPair {
  absl::string_view name;  // linkage name, at the head where it has one
  FunctionSide before;
  FunctionSide after;
  // The linkage name at the base, where that is another; else empty.
  absl::string_view renamed_from;
  // Samples in each run: in the function itself, and inherited. The base's runs come first, then
  // those of older commits, then the head's. Not a number where a run says nothing of the function.
  ByRun self_by_run;
  ByRun child_by_run;
  // The same of instructions that were counted beside the time. Empty where no run counted them.
  ByRun instructions_by_run;
  bool is_module = false;  // all of an object whose symbols are not known
  CodeChange code = CodeChange::kUnknown;
  bool calls_itself = false;
  // Index into MatchedTarget::toolchain_changes; negative: its toolchain is the same, or unknown.
  int32_t toolchain_change = -1;
};

// One compiler, version and options in the place of another.
struct ToolchainPair {
  std::string before, after;
  size_t functions = 0;  // that it compiled
  size_t files = 0;
};

// One place in the caller.
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
  std::vector<CallSitePair> sites;  // only where before or after changed
};

struct MatchedTarget {
  base::TextArena texts;  // that the functions' are parts of
  std::vector<FunctionPair> functions;
  std::vector<ArcPair> arcs;  // ascending by (callee, caller)
  size_t runs_before = 0;
  size_t runs_window = 0;
  size_t runs_after = 0;
  std::vector<ToolchainPair> toolchain_changes;
  // Of all functions whose toolchain is known; counted where there is a change.
  size_t functions_of_known_toolchain = 0;
  size_t files_of_known_toolchain = 0;
  // Whether it is known, of both sides, what was inlined into the functions.
  bool knows_inlined = false;
  // Executions of all the side's runs.
  uint64_t repetitions_before = 1;
  uint64_t repetitions_after = 1;
};

}  // namespace gprofhub::reporter
