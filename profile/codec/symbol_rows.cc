#include "profile/codec/symbol_rows.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proto/symbols.pb.h"

namespace gprofhub::profile {
namespace {

using Functions = v1::FunctionColumns;

constexpr size_t kLongestToolchain = 512;
constexpr size_t kMostToolchains = 4096;

constexpr uint64_t kHeapBytes = 16;  // allocator's overhead
// For a string in a list that grows by doubling, with its entry in a table.
constexpr uint64_t kUsedStringBytes = 2 * sizeof(std::string) + kHeapBytes + 16;
constexpr uint64_t kAlwaysAllowed = uint64_t{16} << 20;
constexpr uint64_t kMostDecoded = uint64_t{768} << 20;

absl::Status BadRow(absl::string_view column, size_t row, absl::string_view problem) {
  return BadBundle(absl::StrFormat("%s, row %d", column, row), problem);
}

}  // namespace

uint64_t MostMemoryOfSymbols(uint64_t content) {
  return std::min(4 * content + kAlwaysAllowed, kMostDecoded - content);
}

uint32_t RowDecoder::UsedStrings::IndexOf(uint32_t string) {
  if (string == 0) return 0;
  const auto [entry, is_new] = indices_.try_emplace(string, static_cast<uint32_t>(used_.size()));
  if (is_new) {
    used_.emplace_back(strings_[string]);
    memory_ += used_.back().size() + kUsedStringBytes;
  }
  return entry->second;
}

absl::Status RowDecoder::Use(absl::string_view table, uint64_t bytes) {
  if (bytes + files_.memory() + toolchains_.memory() > memory_) {
    return BadBundle(table,
                     "takes more than 4 times the bundle's content and 16 MiB, or, with the "
                     "content, than 768 MiB, once it is decoded");
  }
  memory_ -= bytes;
  return absl::OkStatus();
}

absl::Status RowDecoder::DecodeFunction(absl::string_view table, WireTable& columns, size_t row,
                                        FunctionSymbol& function) {
  const auto bad = [&](absl::string_view column, absl::string_view problem) {
    return BadRow(absl::StrCat(table, ".", column), row, problem);
  };
  uint64_t delta = 0;
  uint64_t name = 0;
  uint64_t file = 0;
  uint64_t line = 0;
  uint64_t flags = 0;
  uint64_t toolchain = 0;
  uint64_t code = 0;
  if (!columns[Functions::kAddressDeltaFieldNumber].Next(delta) ||
      __builtin_add_overflow(function.address, delta, &function.address)) {
    return bad("address_delta", "the address exceeds 64 bits");
  }
  if (!columns[Functions::kSizeFieldNumber].Next(function.size)) {
    return bad("size", "exceeds 64 bits");
  }
  if (!columns[Functions::kNameFieldNumber].Next(name) || name >= strings_.size() ||
      strings_[name].empty()) {
    return bad("name", "is not the index of a name");
  }
  if (!columns[Functions::kFileFieldNumber].Next(file) || file >= strings_.size()) {
    return bad("file", "is not the index of a string");
  }
  if (!columns[Functions::kLineFieldNumber].Next(line) || line > UINT32_MAX) {
    return bad("line", "exceeds 32 bits");
  }
  if (!columns[Functions::kFlagsFieldNumber].Next(flags) ||
      (flags & ~uint64_t{kAllFunctionFlags}) != 0) {
    return bad("flags", "has unknown bits");
  }
  if (columns[Functions::kToolchainFieldNumber].rows() > 0 &&
      (!columns[Functions::kToolchainFieldNumber].Next(toolchain) || toolchain >= strings_.size() ||
       strings_[toolchain].size() > kLongestToolchain)) {
    return bad("toolchain", "is not the index of a string of at most 512 bytes");
  }
  if (columns[Functions::kCodeFieldNumber].rows() > 0) {
    columns[Functions::kCodeFieldNumber].Next(code);
  }
  const absl::string_view text = strings_[name];
  // Short names take no heap memory.
  const uint64_t heap = text.size() < sizeof(std::string) / 2 ? 0 : text.size() + kHeapBytes;
  if (absl::Status status = Use(table, heap); !status.ok()) return status;
  function.name = std::string(text);
  function.file = files_.IndexOf(static_cast<uint32_t>(file));
  function.line = static_cast<uint32_t>(line);
  function.code = static_cast<uint32_t>(code);
  function.is_local = (flags & kLocalFlag) != 0;
  function.is_weak = (flags & kWeakFlag) != 0;
  function.is_function = (flags & kFunctionFlag) != 0;
  function.is_indirect = (flags & kIndirectFlag) != 0;
  function.never_inlined = (flags & kNeverInlinedFlag) != 0;
  function.toolchain = toolchains_.IndexOf(static_cast<uint32_t>(toolchain));
  return absl::OkStatus();
}

absl::Status RowDecoder::DecodeFunctions(absl::string_view name, WireTable& table,
                                         std::vector<FunctionSymbol>& symbols) {
  const size_t rows = table[Functions::kAddressDeltaFieldNumber].rows();
  for (const int column :
       {Functions::kSizeFieldNumber, Functions::kNameFieldNumber, Functions::kFileFieldNumber,
        Functions::kLineFieldNumber, Functions::kFlagsFieldNumber}) {
    if (table[column].rows() != rows) return BadBundle(name, "its columns differ in length");
  }
  for (const int column : {Functions::kCodeFieldNumber, Functions::kToolchainFieldNumber}) {
    if (table[column].rows() != rows && table[column].rows() != 0) {
      return BadBundle(name, "its columns differ in length");
    }
  }
  absl::Status status = Use(name, rows * sizeof(FunctionSymbol));
  if (!status.ok()) return status;
  symbols.reserve(rows);
  uint64_t address = 0;
  for (size_t row = 0; row < rows; ++row) {
    FunctionSymbol function;
    function.address = address;
    if (status = decoding_.CheckWantedAt(row); !status.ok()) return status;
    if (status = DecodeFunction(name, table, row, function); !status.ok()) return status;
    address = function.address;
    symbols.push_back(std::move(function));
  }
  if (toolchains_.size() > kMostToolchains) {
    return BadBundle(absl::StrCat(name, ".toolchain"), "names more than 4096");
  }
  return absl::OkStatus();
}

absl::Status RowDecoder::DecodeLines(absl::string_view name, WireTable& table, bool keep,
                                     std::vector<LineRow>& lines) {
  PackedColumn& deltas = table[v1::LineColumns::kAddressDeltaFieldNumber];
  PackedColumn& files = table[v1::LineColumns::kFileFieldNumber];
  PackedColumn& numbers = table[v1::LineColumns::kLineFieldNumber];
  const size_t rows = deltas.rows();
  if (files.rows() != rows || numbers.rows() != rows) {
    return BadBundle(name, "its columns differ in length");
  }
  if (keep) {
    if (absl::Status status = Use(name, rows * sizeof(LineRow)); !status.ok()) return status;
    lines.reserve(rows);
  }
  uint64_t address = 0;
  for (size_t row = 0; row < rows; ++row) {
    if (absl::Status status = decoding_.CheckWantedAt(row); !status.ok()) return status;
    uint64_t delta = 0;
    uint64_t file = 0;
    uint64_t line = 0;
    if (!deltas.Next(delta) || __builtin_add_overflow(address, delta, &address)) {
      return BadRow(absl::StrCat(name, ".address_delta"), row, "the address exceeds 64 bits");
    }
    if (!files.Next(file) || file >= strings_.size()) {
      return BadRow(absl::StrCat(name, ".file"), row, "is not the index of a string");
    }
    if (!numbers.Next(line) || line > UINT32_MAX) {
      return BadRow(absl::StrCat(name, ".line"), row, "exceeds 32 bits");
    }
    if (!keep) continue;
    lines.push_back(
        {address, files_.IndexOf(static_cast<uint32_t>(file)), static_cast<uint32_t>(line)});
    if (absl::Status status = Use(name, 0); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status RowDecoder::DecodeInlined(absl::string_view name, WireTable& table, bool keep,
                                       std::vector<InlinedFunction>& inlined) {
  PackedColumn& addresses = table[v1::InlinedColumns::kAddressDeltaFieldNumber];
  PackedColumn& names = table[v1::InlinedColumns::kNameFieldNumber];
  const size_t rows = addresses.rows();
  if (names.rows() != rows) return BadBundle(name, "its columns differ in length");
  if (absl::Status status = Use(name, keep ? rows * sizeof(InlinedFunction) : 0); !status.ok()) {
    return status;
  }
  if (keep) inlined.reserve(rows);
  InlinedFunction last;
  for (size_t row = 0; row < rows; ++row) {
    if (absl::Status status = decoding_.CheckWantedAt(row); !status.ok()) return status;
    uint64_t delta = 0, hash = 0;
    InlinedFunction next;
    if (!addresses.Next(delta) || __builtin_add_overflow(last.into, delta, &next.into)) {
      return BadRow(absl::StrCat(name, ".address_delta"), row, "the address exceeds 64 bits");
    }
    names.Next(hash);
    next.name = static_cast<uint32_t>(hash);
    if (row > 0 && !(last < next)) {
      return BadRow(absl::StrCat(name, ".name"), row, "is not above the row before");
    }
    if (keep) inlined.push_back(next);
    last = next;
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::profile
