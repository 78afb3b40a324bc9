#include "profile/codec/symbol_rows.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "proto/symbols.pb.h"

namespace gprofhub::profile {

absl::Status BadBundle(absl::string_view field, absl::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrFormat("symbol bundle: %s: %s; send a bundle created by gprofhub", field, problem));
}

namespace {

constexpr uint64_t kTopBits = 0x8080808080808080;

// Counts the bytes that end a number, eight at a time.
size_t CountVarints(absl::string_view bytes) {
  size_t count = 0;
  for (uint64_t word = 0; TakeFixed(bytes, sizeof word, word);) {
    count += ((~word & kTopBits) >> 7) * 0x0101010101010101 >> 56;
  }
  for (const char c : bytes) count += static_cast<uint8_t>(c) < 0x80;
  return count;
}

}  // namespace

bool TakeLongVarint(absl::string_view& bytes, uint64_t& value) {
  uint64_t word = 0;
  absl::string_view rest = bytes;
  if (TakeFixed(rest, sizeof word, word) && (~word & kTopBits) != 0) {
    // Up to eight bytes at once: the groups of seven bits are joined to groups of 14, 28 and 56.
    const uint64_t ends = ~word & kTopBits;
    word &= ends ^ (ends - 1);
    word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
    word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
    value = (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
    bytes.remove_prefix(static_cast<size_t>(std::countr_zero(ends)) / 8 + 1);
    return true;
  }
  value = 0;
  for (size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    if (i == 9 && byte > 1) return false;
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

void AppendVarint(uint64_t value, std::string& bytes) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

bool WireReader::Next(WireField& field) {
  if (failed_ || rest_.empty()) return false;
  failed_ = true;
  uint64_t tag = 0;
  if (!TakeVarint(rest_, tag) || tag > UINT32_MAX || tag < 8) return false;
  field.number = static_cast<uint32_t>(tag >> 3);
  field.type = static_cast<WireType>(tag & 7);
  switch (field.type) {
    case WireType::kVarint:
      if (!TakeVarint(rest_, field.value)) return false;
      break;
    case WireType::kFixed64:
      if (!TakeFixed(rest_, 8, field.value)) return false;
      break;
    case WireType::kFixed32:
      if (!TakeFixed(rest_, 4, field.value)) return false;
      break;
    case WireType::kDelimited: {
      uint64_t size = 0;
      if (!TakeVarint(rest_, size) || size > rest_.size()) return false;
      field.bytes = rest_.substr(0, size);
      rest_.remove_prefix(size);
      break;
    }
    default:
      return false;
  }
  failed_ = false;
  return true;
}

PackedColumn::PackedColumn(absl::string_view bytes, WireType type) : rest_(bytes), type_(type) {
  if (type != WireType::kVarint) {
    const size_t size = type == WireType::kFixed32 ? 4 : 8;
    well_formed_ = bytes.size() % size == 0;
    rows_ = bytes.size() / size;
  } else {
    rows_ = CountVarints(bytes);
    well_formed_ = bytes.empty() || static_cast<uint8_t>(bytes.back()) < 0x80;
  }
  if (!well_formed_) {
    rest_ = {};
    rows_ = 0;
  }
}

absl::StatusOr<WireTable> WireTable::Read(absl::string_view bytes, uint32_t doubles) {
  constexpr uint32_t kFixed32Column = 20;
  WireTable table;
  uint32_t seen = 0;
  WireReader reader(bytes);
  WireField field;
  while (reader.Next(field)) {
    if (field.number > kMostNumber) continue;
    const uint32_t bit = uint32_t{1} << field.number;
    // All of our columns are packed, and occur once.
    if (field.type != WireType::kDelimited || (seen & bit) != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("column ", field.number, " is not packed in a single field"));
    }
    seen |= bit;
    const WireType type = field.number == kFixed32Column ? WireType::kFixed32
                          : (doubles & bit) != 0         ? WireType::kFixed64
                                                         : WireType::kVarint;
    table.columns_[field.number] = PackedColumn(field.bytes, type);
    if (!table.columns_[field.number].well_formed()) {
      return absl::InvalidArgumentError(absl::StrCat("column ", field.number, " is truncated"));
    }
  }
  if (reader.failed()) return absl::InvalidArgumentError("is not a message");
  return table;
}

absl::StatusOr<WireTable> WireTable::ReadOnce(const WireField& field, uint64_t& seen,
                                              uint32_t doubles) {
  const uint64_t bit = uint64_t{1} << field.number;
  if (field.type != WireType::kDelimited || (seen & bit) != 0) {
    return absl::InvalidArgumentError("is not a table, or is repeated");
  }
  seen |= bit;
  return Read(field.bytes, doubles);
}

// A column is its form (1 byte), then
//   runs    until all numbers are present: the number (varint), its repetitions (varint, at
//           least 1)
//   frames  for each 64 numbers or the rest: the smallest (varint); the number of zero bits that
//           all differences to it end in, and the number of bits before those (1 byte each, at
//           most 64 together); then these bits, low ones first, padded with zeros to a whole byte

namespace {

constexpr uint8_t kRuns = 0;
constexpr uint8_t kFrames = 1;
constexpr size_t kFrame = 64;

std::string InRuns(absl::Span<const uint64_t> numbers) {
  std::string out(1, kRuns);
  for (auto begin = numbers.begin(); begin != numbers.end();) {
    const auto end = std::find_if(begin, numbers.end(), [&](uint64_t n) { return n != *begin; });
    AppendVarint(*begin, out);
    AppendVarint(static_cast<uint64_t>(end - begin), out);
    begin = end;
  }
  return out;
}

int BitsOf(uint64_t number) { return number == 0 ? 0 : 64 - __builtin_clzll(number); }

size_t BytesOf(size_t count, int bits) { return (count * static_cast<size_t>(bits) + 7) / 8; }

std::string InFrames(absl::Span<const uint64_t> numbers) {
  std::string out(1, kFrames);
  for (; !numbers.empty(); numbers.remove_prefix(std::min(kFrame, numbers.size()))) {
    const absl::Span<const uint64_t> frame = numbers.first(std::min(kFrame, numbers.size()));
    const auto least = std::min_element(frame.begin(), frame.end());
    uint64_t any = 0;
    for (const uint64_t number : frame) any |= number - *least;
    const int zeros = any == 0 ? 0 : __builtin_ctzll(any);
    const int bits = BitsOf(any >> zeros);
    AppendVarint(*least, out);
    out += static_cast<char>(zeros);
    out += static_cast<char>(bits);
    unsigned __int128 waiting = 0;
    int waiting_bits = 0;
    for (const uint64_t number : frame) {
      waiting |= static_cast<unsigned __int128>((number - *least) >> zeros) << waiting_bits;
      for (waiting_bits += bits; waiting_bits >= 8; waiting_bits -= 8, waiting >>= 8) {
        out += static_cast<char>(waiting & 0xff);
      }
    }
    if (waiting_bits > 0) out += static_cast<char>(waiting & 0xff);
  }
  return out;
}

bool TakeRuns(absl::string_view& bytes, size_t count, std::vector<uint64_t>& numbers) {
  while (numbers.size() < count) {
    uint64_t number = 0;
    uint64_t times = 0;
    if (!TakeVarint(bytes, number) || !TakeVarint(bytes, times)) return false;
    if (times == 0 || times > count - numbers.size()) return false;
    numbers.insert(numbers.end(), times, number);
  }
  return true;
}

bool TakeFrame(absl::string_view& bytes, size_t count, std::vector<uint64_t>& numbers) {
  uint64_t least = 0;
  if (!TakeVarint(bytes, least) || bytes.size() < 2) return false;
  const int zeros = static_cast<unsigned char>(bytes[0]);
  const int bits = static_cast<unsigned char>(bytes[1]);
  bytes.remove_prefix(2);
  const size_t size = BytesOf(count, bits);
  if (zeros >= 64 || zeros + bits > 64 || size > bytes.size()) return false;
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  unsigned __int128 waiting = 0;
  int waiting_bits = 0;
  auto next = bytes.begin();
  for (size_t i = 0; i < count; ++i) {
    for (; waiting_bits < bits; waiting_bits += 8) {
      waiting |= static_cast<unsigned __int128>(static_cast<unsigned char>(*next++))
                 << waiting_bits;
    }
    const uint64_t difference = (static_cast<uint64_t>(waiting) & mask) << zeros;
    if (difference > ~uint64_t{0} - least) return false;
    numbers.push_back(least + difference);
    waiting >>= bits;
    waiting_bits -= bits;
  }
  bytes.remove_prefix(size);
  return true;
}

}  // namespace

void AppendPacked(absl::Span<const uint64_t> numbers, std::string& out) {
  const std::string runs = InRuns(numbers);
  const std::string frames = InFrames(numbers);
  out += runs.size() <= frames.size() ? runs : frames;
}

bool TakePacked(absl::string_view& bytes, size_t count, std::vector<uint64_t>& numbers) {
  numbers.clear();
  numbers.reserve(count);
  if (bytes.empty()) return false;
  const uint8_t form = static_cast<uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  if (form == kRuns) return TakeRuns(bytes, count, numbers);
  if (form != kFrames) return false;
  while (numbers.size() < count) {
    if (!TakeFrame(bytes, std::min(kFrame, count - numbers.size()), numbers)) return false;
  }
  return true;
}

namespace {

using FunctionFields = v1::FunctionColumns;

constexpr size_t kLongestToolchain = 512;
constexpr size_t kMostToolchains = 4096;

constexpr uint64_t kStringHeapBytes = 16;  // allocator's overhead
// For a string in a list that grows by doubling, with its entry in a table.
constexpr uint64_t kUsedStringBytes = 2 * sizeof(std::string) + kStringHeapBytes + 16;
constexpr uint64_t kAlwaysAllowedBytes = uint64_t{16} << 20;
constexpr uint64_t kMostDecoded = uint64_t{768} << 20;

absl::Status BadSymbolRow(absl::string_view column, size_t row, absl::string_view problem) {
  return BadBundle(absl::StrFormat("%s, row %d", column, row), problem);
}

}  // namespace

uint64_t MostMemoryOfSymbols(uint64_t content) {
  return std::min(4 * content + kAlwaysAllowedBytes, kMostDecoded - content);
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
                     "exceeds the limit after decoding: 4 times the bundle's content plus 16 MiB, "
                     "or 768 MiB including the content");
  }
  memory_ -= bytes;
  return absl::OkStatus();
}

absl::Status RowDecoder::DecodeFunction(absl::string_view table, WireTable& columns, size_t row,
                                        FunctionSymbol& function) {
  const auto bad = [&](absl::string_view column, absl::string_view problem) {
    return BadSymbolRow(absl::StrCat(table, ".", column), row, problem);
  };
  uint64_t delta = 0;
  uint64_t name = 0;
  uint64_t file = 0;
  uint64_t line = 0;
  uint64_t flags = 0;
  uint64_t toolchain = 0;
  uint64_t code = 0;
  if (!columns[FunctionFields::kAddressDeltaFieldNumber].Next(delta) ||
      __builtin_add_overflow(function.address, delta, &function.address)) {
    return bad("address_delta", "the address exceeds 64 bits");
  }
  if (!columns[FunctionFields::kSizeFieldNumber].Next(function.size)) {
    return bad("size", "exceeds 64 bits");
  }
  if (!columns[FunctionFields::kNameFieldNumber].Next(name) || name >= strings_.size() ||
      strings_[name].empty()) {
    return bad("name", "is not the index of a name");
  }
  if (!columns[FunctionFields::kFileFieldNumber].Next(file) || file >= strings_.size()) {
    return bad("file", "is not the index of a string");
  }
  if (!columns[FunctionFields::kLineFieldNumber].Next(line) || line > UINT32_MAX) {
    return bad("line", "exceeds 32 bits");
  }
  if (!columns[FunctionFields::kFlagsFieldNumber].Next(flags) ||
      (flags & ~uint64_t{kAllFunctionFlags}) != 0) {
    return bad("flags", "has unknown bits");
  }
  if (columns[FunctionFields::kToolchainFieldNumber].rows() > 0 &&
      (!columns[FunctionFields::kToolchainFieldNumber].Next(toolchain) ||
       toolchain >= strings_.size() || strings_[toolchain].size() > kLongestToolchain)) {
    return bad("toolchain", "is not the index of a string of at most 512 bytes");
  }
  if (columns[FunctionFields::kCodeFieldNumber].rows() > 0) {
    columns[FunctionFields::kCodeFieldNumber].Next(code);
  }
  const absl::string_view text = strings_[name];
  // Short names take no heap memory.
  const uint64_t heap = text.size() < sizeof(std::string) / 2 ? 0 : text.size() + kStringHeapBytes;
  RETURN_IF_ERROR(Use(table, heap));
  function.name = std::string(text);
  function.file = files_.IndexOf(static_cast<uint32_t>(file));
  function.line = static_cast<uint32_t>(line);
  function.code = static_cast<uint32_t>(code);
  function.is_local = (flags & kLocalFlag) != 0;
  function.is_weak = (flags & kWeakFlag) != 0;
  function.is_function = (flags & kFunctionFlag) != 0;
  function.is_indirect = (flags & kIndirectFlag) != 0;
  function.never_inlined = (flags & kNeverInlinedFlag) != 0;
  function.asks = static_cast<uint8_t>(flags >> kAsksShift & kAsksAll);
  function.toolchain = toolchains_.IndexOf(static_cast<uint32_t>(toolchain));
  return absl::OkStatus();
}

absl::Status RowDecoder::DecodeFunctions(absl::string_view name, WireTable& table,
                                         std::vector<FunctionSymbol>& symbols) {
  const size_t rows = table[FunctionFields::kAddressDeltaFieldNumber].rows();
  for (const int column : {FunctionFields::kSizeFieldNumber, FunctionFields::kNameFieldNumber,
                           FunctionFields::kFileFieldNumber, FunctionFields::kLineFieldNumber,
                           FunctionFields::kFlagsFieldNumber}) {
    if (table[column].rows() != rows) return BadBundle(name, "its columns differ in length");
  }
  for (const int column :
       {FunctionFields::kCodeFieldNumber, FunctionFields::kToolchainFieldNumber}) {
    if (table[column].rows() != rows && table[column].rows() != 0) {
      return BadBundle(name, "its columns differ in length");
    }
  }
  RETURN_IF_ERROR(Use(name, rows * sizeof(FunctionSymbol)));
  symbols.reserve(rows);
  uint64_t address = 0;
  for (size_t row = 0; row < rows; ++row) {
    FunctionSymbol function;
    function.address = address;
    RETURN_IF_ERROR(decoding_.CheckWantedAt(row));
    RETURN_IF_ERROR(DecodeFunction(name, table, row, function));
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
    RETURN_IF_ERROR(Use(name, rows * sizeof(LineRow)));
    lines.reserve(rows);
  }
  uint64_t address = 0;
  for (size_t row = 0; row < rows; ++row) {
    RETURN_IF_ERROR(decoding_.CheckWantedAt(row));
    uint64_t delta = 0;
    uint64_t file = 0;
    uint64_t line = 0;
    if (!deltas.Next(delta) || __builtin_add_overflow(address, delta, &address)) {
      return BadSymbolRow(absl::StrCat(name, ".address_delta"), row, "the address exceeds 64 bits");
    }
    if (!files.Next(file) || file >= strings_.size()) {
      return BadSymbolRow(absl::StrCat(name, ".file"), row, "is not the index of a string");
    }
    if (!numbers.Next(line) || line > UINT32_MAX) {
      return BadSymbolRow(absl::StrCat(name, ".line"), row, "exceeds 32 bits");
    }
    if (!keep) continue;
    lines.push_back(
        {address, files_.IndexOf(static_cast<uint32_t>(file)), static_cast<uint32_t>(line)});
    RETURN_IF_ERROR(Use(name, 0));
  }
  return absl::OkStatus();
}

absl::Status RowDecoder::DecodeInlined(absl::string_view name, WireTable& table, bool keep,
                                       std::vector<InlinedFunction>& inlined) {
  PackedColumn& addresses = table[v1::InlinedColumns::kAddressDeltaFieldNumber];
  PackedColumn& names = table[v1::InlinedColumns::kNameFieldNumber];
  const size_t rows = addresses.rows();
  if (names.rows() != rows) return BadBundle(name, "its columns differ in length");
  RETURN_IF_ERROR(Use(name, keep ? rows * sizeof(InlinedFunction) : 0));
  if (keep) inlined.reserve(rows);
  InlinedFunction last;
  for (size_t row = 0; row < rows; ++row) {
    RETURN_IF_ERROR(decoding_.CheckWantedAt(row));
    uint64_t delta = 0, hash = 0;
    InlinedFunction next;
    if (!addresses.Next(delta) || __builtin_add_overflow(last.into, delta, &next.into)) {
      return BadSymbolRow(absl::StrCat(name, ".address_delta"), row, "the address exceeds 64 bits");
    }
    names.Next(hash);
    next.name = static_cast<uint32_t>(hash);
    if (row > 0 && !(last < next)) {
      return BadSymbolRow(absl::StrCat(name, ".name"), row, "is not above the row before");
    }
    if (keep) inlined.push_back(next);
    last = next;
  }
  return absl::OkStatus();
}

absl::Status RowDecoder::DecodeReturns(absl::string_view name, WireTable& table,
                                       std::vector<SharedReturn>& returns) {
  PackedColumn& addresses = table[v1::ReturnColumns::kAddressDeltaFieldNumber];
  PackedColumn& callees = table[v1::ReturnColumns::kCalleeFieldNumber];
  const size_t rows = addresses.rows();
  if (callees.rows() != rows) return BadBundle(name, "its columns differ in length");
  RETURN_IF_ERROR(Use(name, rows * sizeof(SharedReturn)));
  returns.reserve(rows);
  SharedReturn next;
  for (size_t row = 0; row < rows; ++row) {
    RETURN_IF_ERROR(decoding_.CheckWantedAt(row));
    uint64_t delta = 0;
    if (!addresses.Next(delta) || __builtin_add_overflow(next.address, delta, &next.address)) {
      return BadSymbolRow(absl::StrCat(name, ".address_delta"), row, "the address exceeds 64 bits");
    }
    if (!callees.Next(next.callee)) {
      return BadSymbolRow(absl::StrCat(name, ".callee"), row, "exceeds 64 bits");
    }
    returns.push_back(next);
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::profile
