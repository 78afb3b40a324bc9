// Which code of a program ran, in order: what an ordering is replayed on.
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

}  // namespace gprofhub::analyzer
