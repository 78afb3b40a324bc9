// Counts and samples of one process, by module: the contents of a recording
// (profile/recording/format.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// One object that was loaded: the program, a shared object, the vdso, or, as "[anon]", code without
// a file. An object that was loaded twice is one.
struct RecordedModule {
  std::string path;
  std::string build_id;  // lower-case hexadecimal; empty if it has none
  bool is_program = false;
  uint64_t text_low = 0;  // executable range, as linked
  uint64_t text_high = 0;
  // Addresses as linked. An arc is in the module of its callee; from_pc is 0 if the caller is in
  // another module (Recording::cross_arcs) or unknown (spontaneous). Histograms are tiles of 4096
  // bytes, two bytes to a bin: those with samples, and always the first. Samples in the runtime's
  // own code are left out.
  RawProfile profile;
};

// Calls from one module into another; they are also among the arcs of `to_module`, without their
// caller.
struct CrossArc {
  uint32_t from_module = 0;  // index into Recording::modules
  uint64_t from_pc = 0;      // return address, as linked
  uint32_t to_module = 0;
  uint64_t self_pc = 0;
  uint64_t count = 0;
};

// A frame of a sampled stack, which may run through several modules.
struct ModuleFrame {
  // Index into Recording::modules; modules.size(): none, and then the pc kFramesMissing means,
  // outermost, that frames could not be read.
  uint32_t module = 0;
  StackFrame frame;  // pc as linked; parent: index into Recording::stacks
};

// A moment that can be the start or end of a window (window.h).
struct RecordingMark {
  uint64_t number = 0;  // from 1 on
  uint64_t ns = 0;      // wall clock, since 1970
};

struct Recording {
  std::string program;  // path of the executable
  uint32_t pid = 0;
  uint32_t parent_pid = 0;
  uint64_t start_seconds = 0;  // wall clock, since 1970
  // Not 0: a window (window.h) of this many seconds from start_seconds on.
  double window_seconds = 0;
  std::vector<RecordingMark> marks;  // those still in the file, ascending; fewer than were made
  bool finished = false;             // false: killed, crashed, left by _exit or exec, or running
  int64_t rank = -1;                 // in its MPI job; -1: none
  std::string mechanism;             // "perf task clock", …, "off"
  uint32_t rate_asked = 0;           // samples per second; 0 for hardware events
  uint32_t rate = 0;                 // of the histograms: periods per unit of the dimension
  double rate_achieved = 0;          // samples delivered per second of sampled CPU time
  uint64_t samples = 0;              // delivered
  uint64_t periods = 0;              // that they represent
  // The maximum number of periods per sample. 1 unless they differ.
  uint64_t most_periods = 1;
  double cpu_seconds = 0;   // of the sampled threads, up to their last samples
  double user_seconds = 0;  // of the process; 0 unless finished
  double system_seconds = 0;
  uint32_t threads = 0;
  std::string dimension;
  // Calls and samples at addresses outside all modules.
  uint64_t unattributed_calls = 0;
  uint64_t unattributed_samples = 0;
  std::vector<std::pair<std::string, uint64_t>> losses;  // all kinds, including zeros
  // Periods in the runtime's own code: the cost of profiling. In no histogram.
  uint64_t overhead_samples = 0;
  std::vector<RecordedModule> modules;  // the program first if known
  std::vector<CrossArc> cross_arcs;     // ascending by all but the count
  std::vector<ModuleFrame> stacks;      // empty unless recorded
};

// The module with this build-id; if it is empty, the program. Null: not found.
const RecordedModule* FindModule(const Recording& recording, absl::string_view build_id);

// Approximate memory of its rows.
uint64_t MemoryOf(const Recording& recording);

// The part of `recording` in one of its modules (an index), with the stacks of the samples there;
// frames of other modules become kFrameElsewhere.
RawProfile ProfileOfModule(const Recording& recording, size_t module);

}  // namespace gprofhub::profile
