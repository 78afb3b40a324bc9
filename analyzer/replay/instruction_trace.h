// The sequence of code blocks that a program executed, on which orderings are replayed.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/symbols.h"

namespace gprofhub::analyzer {

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

}  // namespace gprofhub::analyzer
