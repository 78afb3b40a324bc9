// Measures the effect of an ordering on a program's instruction fetches by replaying a trace. Needs
// no link, and is deterministic.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// The sequence of code blocks that a program executed, on which orderings are replayed.

inline constexpr uint64_t kTraceBlock = 16;  // bytes

// Code of the program only, without libraries.
struct InstructionTrace {
  std::string build_id;  // of the program; may be empty
  uint64_t instructions = 0;
  // Link-time addresses of the first executed instruction in each entered block of 16 bytes,
  // without consecutive repetitions of a block.
  std::vector<uint64_t> entries;
};

// Parses the output of `valgrind --tool=lackey --trace-mem=yes` and keeps the instructions in the
// program's executable range. `load_bias` is the offset of its runtime addresses: 0 for a program
// linked at fixed addresses; valgrind loads others 0x108000 higher on x86-64. `name` is for
// messages. InvalidArgument: the text contains no instruction of the program. At most 2^32 entries,
// else ResourceExhausted.
absl::StatusOr<InstructionTrace> ReadLackeyTrace(std::istream& text, absl::string_view name,
                                                 const profile::SymbolTable& program,
                                                 uint64_t load_bias);

// The compact stored form of one program's trace. The two functions are inverse to each other.
// DataLoss: truncated or damaged. InvalidArgument: not a stored trace.
std::string EncodeTrace(const InstructionTrace& trace);
absl::StatusOr<InstructionTrace> DecodeTrace(absl::string_view bytes, absl::string_view name);
bool IsStoredTrace(absl::string_view bytes);

struct ReplayMetrics {
  uint64_t startup_pages = 0;  // pages of text touched in the first tenth of the trace
  uint64_t pages = 0;          // touched in the whole trace
  // Misses of a fully associative instruction TLB with least recently used
  // replacement, first touches included.
  uint64_t itlb_misses_16 = 0;
  uint64_t itlb_misses_64 = 0;
  uint64_t l1i_misses = 0;  // 32 KiB, 8 ways, lines of 64 bytes, least recently used
};

// How a page of text was first touched.
enum class PageTouch : uint8_t { kNever, kLater, kStartup };

struct Replayed {
  ReplayMetrics metrics;
  std::vector<PageTouch> pages;  // of the text, by address
};

// The bytes of the executed functions, in pages: the lower bound of all orderings, except for
// unexecuted parts of functions.
struct ReplayLimit {
  double startup_pages = 0;
  double pages = 0;
};

class Replayer {
 public:
  // FailedPrecondition: the trace is from another build than `program`, or hardly any of it lies in
  // functions of `program`. InvalidArgument: the functions' sizes exceed 64 GiB (symbols on a
  // server are untrusted client data).
  static absl::StatusOr<Replayer> Create(const profile::SymbolTable& program,
                                         const InstructionTrace& trace);

  // Lays out the functions in `names` first, in that order (functions of one name adjacent), then
  // the others in the program's order, each with the alignment of its address, up to 16.
  Replayed Replay(absl::Span<const std::string> names) const;

  ReplayLimit Limit() const;

 private:
  struct Function {
    std::string name;
    std::vector<std::string> aliases;
    uint64_t address = 0;
    uint64_t size = 0;
    uint32_t first_block = 0;  // number of its first block among all functions'
  };

  std::vector<uint32_t> Layout(absl::Span<const std::string> names) const;

  std::vector<Function> functions_;       // ascending by address, not overlapping
  std::vector<uint32_t> block_function_;  // by block
  std::vector<uint32_t> entries_;         // blocks, in the order in which they ran
};

}  // namespace gprofhub::analyzer
