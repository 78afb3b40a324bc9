// The stored form is a line of text, "gprofhub-trace 1 BUILD_ID INSTRUCTIONS
// ENTRIES BYTES\n" ("-" for no build-id), and a zstd frame of BYTES bytes when
// unpacked: each entry's distance from the one before, zigzag-coded (0, -1, 1, -2, …
// become 0, 1, 2, 3, …) as a base-128 number, low digits first, the high bit set on
// all bytes but the last.
#include "analyzer/replay/instruction_trace.h"

#include <zstd.h>

#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace gprofhub::analyzer {
namespace {

constexpr absl::string_view kMagic = "gprofhub-trace 1 ";
constexpr uint64_t kMostEntries = std::numeric_limits<uint32_t>::max();
constexpr size_t kLongestNumber = 10;  // bytes

// "I  0010915a,3": address and length of an instruction.
bool ParseInstruction(absl::string_view line, uint64_t& address, uint64_t& length) {
  if (!absl::StartsWith(line, "I  ")) return false;
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(line.substr(3), absl::MaxSplits(',', 1));
  return absl::SimpleHexAtoi(parts.first, &address) && absl::SimpleAtoi(parts.second, &length) &&
         length > 0 && length <= kTraceBlock;
}

absl::Status Damaged(absl::string_view name, absl::string_view what) {
  return absl::DataLossError(absl::StrCat(name, " is damaged: ", what, "; record the trace again"));
}

}  // namespace

absl::StatusOr<InstructionTrace> ReadLackeyTrace(std::istream& text, absl::string_view name,
                                                 const profile::SymbolTable& program,
                                                 uint64_t load_bias) {
  InstructionTrace trace;
  trace.build_id = program.build_id;
  uint64_t block = std::numeric_limits<uint64_t>::max();
  std::string line;
  while (std::getline(text, line)) {
    uint64_t address = 0;
    uint64_t length = 0;
    if (!ParseInstruction(line, address, length)) continue;
    address -= load_bias;
    if (address < program.text_low || address >= program.text_high) continue;
    ++trace.instructions;
    // One that straddles two blocks enters both.
    for (uint64_t at = address; at < address + length; at = (at / kTraceBlock + 1) * kTraceBlock) {
      if (at / kTraceBlock == block) continue;
      block = at / kTraceBlock;
      trace.entries.push_back(at);
    }
    if (trace.entries.size() > kMostEntries) {
      return absl::ResourceExhaustedError(
          absl::StrCat(name, " is too long; trace a shorter workload"));
    }
  }
  if (trace.entries.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " holds no instruction of ", program.image_name,
        "; it should be what valgrind --tool=lackey --trace-mem=yes printed of that program"));
  }
  return trace;
}

std::string EncodeTrace(const InstructionTrace& trace) {
  std::string numbers;
  uint64_t before = 0;
  for (const uint64_t entry : trace.entries) {
    const uint64_t distance = entry - before;
    before = entry;
    uint64_t number = distance << 1 ^ (distance >> 63 != 0 ? ~uint64_t{0} : 0);
    while (number >= 0x80) {
      numbers.push_back(static_cast<char>(number | 0x80));
      number >>= 7;
    }
    numbers.push_back(static_cast<char>(number));
  }
  std::string packed(ZSTD_compressBound(numbers.size()), '\0');
  packed.resize(
      ZSTD_compress(packed.data(), packed.size(), numbers.data(), numbers.size(), /*level=*/6));
  return absl::StrCat(kMagic, trace.build_id.empty() ? "-" : trace.build_id, " ",
                      trace.instructions, " ", trace.entries.size(), " ", numbers.size(), "\n",
                      packed);
}

bool IsStoredTrace(absl::string_view bytes) { return absl::StartsWith(bytes, kMagic); }

absl::StatusOr<InstructionTrace> DecodeTrace(absl::string_view bytes, absl::string_view name) {
  const size_t end = bytes.find('\n');
  if (!IsStoredTrace(bytes) || end == absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is no stored instruction trace"));
  }
  const std::vector<absl::string_view> fields =
      absl::StrSplit(bytes.substr(kMagic.size(), end - kMagic.size()), ' ');
  InstructionTrace trace;
  uint64_t entries = 0;
  uint64_t size = 0;
  if (fields.size() != 4 || !absl::SimpleAtoi(fields[1], &trace.instructions) ||
      !absl::SimpleAtoi(fields[2], &entries) || !absl::SimpleAtoi(fields[3], &size) ||
      entries > kMostEntries || size < entries || size > entries * kLongestNumber) {
    return Damaged(name, "its first line");
  }
  if (fields[0] != "-") trace.build_id = std::string(fields[0]);
  const absl::string_view packed = bytes.substr(end + 1);
  if (ZSTD_getFrameContentSize(packed.data(), packed.size()) != size) {
    return Damaged(name, "its length is not what its first line says");
  }
  std::string numbers(size, '\0');
  if (ZSTD_decompress(numbers.data(), size, packed.data(), packed.size()) != size) {
    return Damaged(name, "it cannot be unpacked");
  }
  trace.entries.reserve(entries);
  uint64_t at = 0;
  uint64_t number = 0;
  int shift = 0;
  for (const char byte : numbers) {
    if (shift > 63) return Damaged(name, "an entry");
    number |= uint64_t{static_cast<uint8_t>(byte) & 0x7fu} << shift;
    shift += 7;
    if ((static_cast<uint8_t>(byte) & 0x80u) != 0) continue;
    at += number >> 1 ^ ((number & 1) != 0 ? ~uint64_t{0} : 0);
    trace.entries.push_back(at);
    number = 0;
    shift = 0;
  }
  if (trace.entries.size() != entries || shift != 0) return Damaged(name, "its entries");
  return trace;
}

}  // namespace gprofhub::analyzer
