#include "cli/static_calls/static_calls.h"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "analyzer/graph/call_graph.h"
#include "analyzer/listing/rows.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "cli/gprof/options.h"
#include "profile/elf/file.h"
#include "profile/raw_profile.h"

namespace gprofhub::cli {
namespace {

class Calls {
 public:
  explicit Calls(const std::vector<uint64_t>& entries) : entries_(entries) {}

  void Add(uint64_t from, uint64_t to) {
    if (std::binary_search(entries_.begin(), entries_.end(), to)) calls_.push_back({from, to});
  }
  std::vector<analyzer::StaticCall>& calls() { return calls_; }

 private:
  const std::vector<uint64_t>& entries_;
  std::vector<analyzer::StaticCall> calls_;
};

class X86Decoder {
 public:
  explicit X86Decoder(bool is_64_bit) : is_64_bit_(is_64_bit) {
    ZydisDecoderInit(&decoder_,
                     is_64_bit ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                     is_64_bit ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
  }

  void FindCalls(absl::string_view code, uint64_t address, Calls& calls) const {
    constexpr uint8_t kCallRelative = 0xe8;
    ZydisDecodedInstruction instruction;
    while (!code.empty() && ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
                                &decoder_, nullptr, code.data(), code.size(), &instruction))) {
      const uint64_t from = address;
      address += instruction.length;
      code.remove_prefix(instruction.length);
      if (instruction.opcode_map != ZYDIS_OPCODE_MAP_DEFAULT) continue;
      if (instruction.opcode != kCallRelative) continue;
      const uint64_t to = address + static_cast<uint64_t>(instruction.raw.imm[0].value.s);
      calls.Add(from, is_64_bit_ ? to : to & UINT32_MAX);
    }
  }

 private:
  bool is_64_bit_;
  ZydisDecoder decoder_;
};

struct Aarch64Decoder {
  void FindCalls(absl::string_view code, uint64_t address, Calls& calls) const {
    constexpr size_t kWord = 4;
    constexpr int kDistanceBits = 26;
    constexpr uint32_t kBranch = 0b000101;
    constexpr uint32_t kBranchAndLink = 0b100101;
    const uint64_t begin = address;
    const uint64_t end = begin + code.size();
    for (; code.size() >= kWord; code.remove_prefix(kWord), address += kWord) {
      uint32_t word = 0;
      for (size_t i = kWord; i-- > 0;) word = word << 8 | static_cast<uint8_t>(code[i]);
      const uint32_t opcode = word >> kDistanceBits;
      if (opcode != kBranch && opcode != kBranchAndLink) continue;
      int64_t distance = word & ((1u << kDistanceBits) - 1);
      if (distance >> (kDistanceBits - 1) != 0) distance -= int64_t{1} << kDistanceBits;
      const uint64_t to = address + static_cast<uint64_t>(distance) * kWord;
      const bool is_jump = opcode == kBranch && begin <= to && to < end;
      if (!is_jump) calls.Add(address, to);
    }
  }
};

// The bytes from `begin` up to `end`, limited to one section.
absl::string_view BytesOf(const std::vector<profile::CodeSection>& code, uint64_t begin,
                          uint64_t end) {
  for (const profile::CodeSection& section : code) {
    if (begin < section.address || begin - section.address >= section.bytes.size()) continue;
    return absl::string_view(section.bytes).substr(begin - section.address, end - begin);
  }
  return {};
}

template <typename Decoder>
void FindCallsOfAll(const Decoder& decoder, const profile::SymbolTable& symbols,
                    const std::vector<profile::CodeSection>& code, Calls& calls) {
  uint64_t done = 0;  // aliases and overlapping functions are decoded once
  const std::vector<profile::FunctionSymbol>& functions = symbols.functions;
  for (size_t i = 0; i < functions.size(); ++i) {
    const profile::FunctionSymbol& function = functions[i];
    if (!function.is_function || function.address < done) continue;
    uint64_t end = symbols.text_high;
    size_t next = i + 1;
    while (next < functions.size() && functions[next].address == function.address) ++next;
    if (next < functions.size()) end = functions[next].address;
    if (function.size != 0) {
      end = function.address + std::min(function.size, UINT64_MAX - function.address);
    }
    if (end <= function.address) continue;
    decoder.FindCalls(BytesOf(code, function.address, end), function.address, calls);
    done = end;
  }
}

}  // namespace

absl::StatusOr<std::vector<analyzer::StaticCall>> FindStaticCalls(
    const profile::SymbolTable& symbols, const std::vector<profile::CodeSection>& code,
    const std::vector<uint64_t>& entries) {
  Calls calls(entries);
  if (symbols.architecture == "x86_64" || symbols.architecture == "i386") {
    FindCallsOfAll(X86Decoder(symbols.architecture == "x86_64"), symbols, code, calls);
  } else if (symbols.architecture == "aarch64") {
    FindCallsOfAll(Aarch64Decoder(), symbols, code, calls);
  } else {
    return absl::UnimplementedError(
        absl::StrCat("calls can be found in code for x86_64, i386 and aarch64, not for ",
                     symbols.architecture, "; leave out -c"));
  }
  return std::move(calls.calls());
}

namespace {

absl::StatusOr<std::vector<analyzer::StaticCall>> Read(const GprofOptions& options,
                                                       const profile::SymbolTable& symbols) {
  ASSIGN_OR_RETURN(const std::vector<profile::CodeSection> code,
                   profile::ReadElfCode(options.image));
  analyzer::RowOptions by_function = options.listing.rows;
  by_function.by_line = false;
  const analyzer::ListingRows rows(symbols, by_function);
  std::vector<uint64_t> entries;
  for (uint32_t row = 0; row < rows.size(); ++row) {
    if (rows.IsFunction(row)) entries.push_back(rows.Address(row));
  }
  return FindStaticCalls(symbols, code, entries);
}

}  // namespace

absl::StatusOr<std::vector<analyzer::StaticCall>> ReadStaticCalls(
    const GprofOptions& options, const profile::SymbolTable& symbols) {
  absl::StatusOr<std::vector<analyzer::StaticCall>> calls = Read(options, symbols);
  if (calls.ok()) return calls;
  return base::WithContext(calls.status(), options.program);
}

}  // namespace gprofhub::cli
