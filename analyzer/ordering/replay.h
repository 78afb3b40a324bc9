// What an ordering does to a program's instruction fetches, found by replaying a
// trace of it: no link needed, and the same result every time.
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

// Which code of a program ran, in order: what an ordering is replayed on.

inline constexpr uint64_t kTraceBlock = 16;  // bytes

// The program's own code only, libraries left out.
struct InstructionTrace {
  std::string build_id;  // of the program; may be empty
  uint64_t instructions = 0;
  // Addresses as linked of the first instructions in each block of 16 bytes
  // that was entered, a block not twice in a row.
  std::vector<uint64_t> entries;
};

// Reads what `valgrind --tool=lackey --trace-mem=yes` prints and keeps what lies in
// the program's executable range. `load_bias` is what was added to its addresses:
// 0 for a program linked at fixed addresses; valgrind loads others 0x108000 higher
// on x86-64. `name` is for messages. InvalidArgument: the text holds no instruction
// of the program. At most 2^32 entries, else ResourceExhausted.
absl::StatusOr<InstructionTrace> ReadLackeyTrace(std::istream& text, absl::string_view name,
                                                 const profile::SymbolTable& program,
                                                 uint64_t load_bias);

// The stored form: small, and of one program. The two are inverse to each other.
// DataLoss: cut or damaged. InvalidArgument: not a stored trace.
std::string EncodeTrace(const InstructionTrace& trace);
absl::StatusOr<InstructionTrace> DecodeTrace(absl::string_view bytes, absl::string_view name);
bool IsStoredTrace(absl::string_view bytes);

struct ReplayMetrics {
  uint64_t startup_pages = 0;  // pages of text touched in the first tenth of the trace
  uint64_t pages = 0;          // in all of it
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

// The bytes of the functions that ran, in pages: no ordering needs fewer, but for
// those parts of functions that did not run.
struct ReplayLimit {
  double startup_pages = 0;
  double pages = 0;
};

class Replayer {
 public:
  // FailedPrecondition: the trace is of another build than `program`, or hardly
  // any of it lies in functions that `program` names. InvalidArgument: its functions
  // are said to have more than 64 GiB. Symbols of a server are its clients' words.
  static absl::StatusOr<Replayer> Create(const profile::SymbolTable& program,
                                         const InstructionTrace& trace);

  // Lays the functions that `names` names out first, in that order (all of one
  // name side by side), then the others as they stand in the program, each at the
  // alignment that its address shows, up to 16.
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
