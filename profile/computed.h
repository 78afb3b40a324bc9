// The analyzer's result for one target in one run: costs per function and per arc. Comparisons,
// charts and orderings start from this value. The wire form, with the meaning and unit of every
// field, is proto/computed.proto; profile/codec/computed.h converts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/text_arena.h"
#include "profile/environment.h"

namespace gprofhub::profile {

struct FunctionCost {
  uint32_t name = 0;   // linkage name: index into ComputedProfile::strings
  uint32_t file = 0;   // index into strings; 0: unknown
  uint32_t line = 0;   // 0: unknown
  uint32_t image = 0;  // index into strings
  uint64_t size = 0;   // bytes
  bool is_static = false;
  bool is_module = false;   // a whole object without known symbols
  uint64_t calls = 0;       // from other functions
  uint64_t self_calls = 0;  // from itself
  double self_samples = 0;
  double child_samples = 0;
  uint32_t cycle = 0;  // from 1; 0: none
  uint32_t code = 0;   // digest of its code (profile/code/code_digests.h); 0: unknown
  uint8_t asks = 0;    // as FunctionSymbol::asks
  // No call of it was inlined; false: one was, or unknown.
  bool never_inlined = false;
  uint32_t toolchain = 0;  // its compiler: index into strings; 0: unknown
};

struct ArcCost {
  uint32_t caller = 0;     // row in functions; functions.size(): spontaneous
  uint32_t callee = 0;     // row in functions
  uint32_t site_file = 0;  // index into strings; 0: unknown
  uint32_t site_line = 0;
  uint64_t site_offset = 0;  // bytes from the caller's entry to the return address
  uint64_t count = 0;
  double self_samples = 0;  // of the callee, passed to the caller
  double child_samples = 0;
};

// A function was inlined into one that ran.
struct InlinedCost {
  uint32_t function = 0;  // row in functions: what it was inlined into
  uint32_t name = 0;      // as InlinedFunction::name
};

// Another linkage name of a function: the linker folded functions of equal code, or one is an alias
// of the other.
struct AliasCost {
  uint32_t function = 0;  // row in functions
  uint32_t name = 0;      // index into ComputedProfile::strings
};

// A function's code from one line, inlined code included. Of code inlined from a library's header
// it is the line in the program's own file that led there.
struct LineCost {
  uint32_t function = 0;  // row in functions
  uint32_t file = 0;      // index into ComputedProfile::strings
  uint32_t line = 0;
  uint64_t bytes = 0;  // of code
  double samples = 0;
};

struct ComputedProfile {
  base::TextList strings = {""};
  double sample_rate = 0;  // samples per unit of the dimension
  std::string dimension = "seconds";
  double total_samples = 0;
  double unattributed_samples = 0;
  double overhead_samples = 0;        // in the profiling runtime; not in total_samples
  double stack_samples = 0;           // of total_samples, those recorded with their stack
  double complete_stack_samples = 0;  // of these, those with a complete stack
  bool sampled_calls = false;         // calls and counts are samples that saw the call
  bool incomplete_calls = false;      // calls are missing: counts are lower bounds
  uint32_t repetitions = 1;
  uint32_t profiles = 0;
  std::vector<FunctionCost> functions;  // ascending by (image, address)
  std::vector<ArcCost> arcs;            // ascending by (caller, site_offset, callee)
  std::vector<std::string> warnings;
  std::vector<InlinedCost> inlined;  // ascending by (function, name); empty: unknown
  std::vector<AliasCost> aliases;    // ascending by function
  std::vector<LineCost> lines;       // ascending by function; empty: unknown
  // Of its processes, ascending and different (AddEnvironment); empty: unknown.
  std::vector<Environment> environments;
};

}  // namespace gprofhub::profile
