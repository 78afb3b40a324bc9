// Measures the effect of an ordering on a program's instruction fetches by replaying a trace. Needs
// no link, and is deterministic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "analyzer/replay/instruction_trace.h"
#include "profile/symbols.h"

namespace gprofhub::analyzer {

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
