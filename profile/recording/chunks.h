// Finds the chunks of a recording, and checks that they are within the file and have the size that
// they declare, before they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "profile/environment.h"
#include "profile/format/recording.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// Counts and samples of one process, by module: the contents of a recording
// (profile/format/recording.h).

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

// A place in a module.
struct ModulePlace {
  uint32_t module;  // index into Recording::modules
  uint64_t pc;      // as linked
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
  Environment environment;
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
  std::vector<std::pair<std::string, uint64_t>> losses;  // by gprofhub_loss, including zeros
  // Periods in the runtime's own code: the cost of profiling. In no histogram.
  uint64_t overhead_samples = 0;
  std::vector<RecordedModule> modules;  // the program first if known
  std::vector<CrossArc> cross_arcs;     // ascending by all but the count
  std::vector<ModuleFrame> stacks;      // empty unless recorded
  // A place in each function that mcount counted, in the order of the functions' first calls in any
  // thread. Empty if calls were counted in the program's text, which keeps no order, and in a
  // window.
  std::vector<ModulePlace> first_calls;
};

// Why calls are missing in the recording, as a part of a sentence; empty: none are, so the counts
// are exact.
std::string MissingCalls(const Recording& recording);

// The module with this build-id; if it is empty, the program. Null: not found.
const RecordedModule* FindModule(const Recording& recording, absl::string_view build_id);

// Approximate memory of its rows.
uint64_t MemoryOf(const Recording& recording);

// Whether the module with this build-id has a profile of its own.
using HasProfile = std::function<bool(absl::string_view build_id)>;

// The part of `recording` in one of its modules (an index), which has a profile. A sample in a
// module without one belongs to the innermost module on its stack that has one, else to the first
// of the recording. `has_profile` may be null: no other module has one.
RawProfile ProfileOfModule(const Recording& recording, size_t module,
                           const HasProfile& has_profile = nullptr);

// Calls from one module of a process to functions of others.

// Calls into one other module.
struct CallsOut {
  std::string path;  // of the other module
  std::string build_id;
  std::vector<RawArc> arcs;  // from_pc is in the caller's module, self_pc in the other
};

// Ascending by the modules' order in the recording; `module` is an index there.
std::vector<CallsOut> CallsOutOf(const Recording& recording, size_t module);

// The file's bytes with checked access.
class RecordingBytes {
 public:
  RecordingBytes(absl::string_view bytes, absl::string_view file_name)
      : bytes_(bytes), name_(file_name) {}

  uint64_t size() const { return bytes_.size(); }
  bool Holds(uint64_t offset, uint64_t count) const {
    return offset <= bytes_.size() && count <= bytes_.size() - offset;
  }
  absl::string_view Start(uint64_t count) const { return bytes_.substr(0, count); }
  // The caller must have checked with Holds().
  template <typename T>
  T At(uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  absl::Status Broken(absl::string_view what, uint64_t offset) const {
    return absl::DataLossError(absl::StrCat(name_, ": ", what, " at offset ", offset,
                                            "; the file is truncated or damaged; record again"));
  }
  absl::Status Foreign(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(name_, ": ", what));
  }

 private:
  absl::string_view bytes_;
  absl::string_view name_;
};

// Characters up to a zero, or filling the field.
inline std::string TextOf(const char* characters, size_t size) {
  return std::string(characters, strnlen(characters, size));
}

// The header of a recording of this version. InvalidArgument: not such a recording. DataLoss: cut
// off.
absl::StatusOr<gprofhub_recording> ReadHeader(const RecordingBytes& bytes);

struct RecordingChunk {
  uint64_t offset = 0;
  uint64_t entry = 0;   // offset of its directory entry
  uint32_t number = 0;  // of that entry
  gprofhub_chunk head;
};

// The chunks in the directory, each checked to be within the file and large enough for the records
// or slots that it declares.
absl::StatusOr<std::vector<RecordingChunk>> ReadDirectory(const RecordingBytes& bytes,
                                                          const gprofhub_recording& header);

// DataLoss: a stack is too deep, or has a cycle.
absl::Status CheckStackDepths(const RecordingBytes& bytes,
                              const std::vector<RecordingChunk>& chunks);

// Number of records in a chunk of ReadDirectory; of slots, if it is a table, including `extra` ones
// beyond the capacity.
inline uint64_t RecordsIn(const RecordingChunk& chunk, uint64_t extra) {
  // Not initialised yet when its writer was killed.
  return chunk.head.capacity == 0 ? 0 : chunk.head.capacity + extra;
}

// Upper bound of ReadRecording's memory for them, without histograms. Free slots of tables take
// none.
uint64_t MemoryToRead(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks);

template <typename Record, typename Visit>
absl::Status ForEach(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                     uint32_t kind, uint64_t extra, Visit visit) {
  for (size_t c = 0; c < chunks.size(); ++c) {
    if (chunks[c].head.kind != kind) continue;
    const uint64_t count = RecordsIn(chunks[c], extra);
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t at = chunks[c].offset + sizeof(gprofhub_chunk) + i * sizeof(Record);
      RETURN_IF_ERROR(visit(bytes.At<Record>(at), c, i, at));
    }
  }
  return absl::OkStatus();
}

template <typename Visit>
absl::Status ForEachSlot(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                         uint32_t kind, Visit visit) {
  return ForEach<gprofhub_slot>(
      bytes, chunks, kind, GPROFHUB_PROBE_SLOTS,
      [&](const gprofhub_slot& slot, size_t chunk, uint64_t index, uint64_t at) {
        if (slot.key == 0) return absl::OkStatus();
        return visit(slot, chunk, index, at);
      });
}

// Maps addresses at run time to modules of a recording.

class ModuleMap {
 public:
  // The module was loaded at [low, high); `bias` is the difference of its addresses to those as
  // linked, and `order` ascends with time.
  void Add(uint64_t low, uint64_t high, uint64_t bias, uint64_t order, uint32_t module) {
    loads_.push_back({low, high, bias, order, module});
  }
  // Call after the last Add, before the first Find.
  void Build();

  std::optional<ModulePlace> Find(uint64_t pc) const;

 private:
  struct Load {
    uint64_t low, high, bias, order;
    uint32_t module;
  };
  std::vector<Load> loads_;
  std::map<uint64_t, int64_t> intervals_;  // from this address on: load or -1
};

// Adds the modules to `recording`, whose program must be set, and builds `map`. DataLoss: a module
// is impossible.
absl::Status ReadModules(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                         Recording& recording, ModuleMap& map);

// Addresses of the runtime's own code: the stubs that are linked into a program, or the whole
// object that was preloaded.
class OwnCode {
 public:
  OwnCode(const gprofhub_recording& header, const ModuleMap& map, const Recording& recording)
      : low_(header.own_low), high_(header.own_high), module_(recording.modules.size()) {
    const std::optional<ModulePlace> place = map.Find(low_);
    if (place && !recording.modules[place->module].is_program) module_ = place->module;
  }

  bool Holds(uint64_t pc, const std::optional<ModulePlace>& place) const {
    return (pc >= low_ && pc < high_) || (place && place->module == module_);
  }

 private:
  uint64_t low_;
  uint64_t high_;
  size_t module_;
};

}  // namespace gprofhub::profile
