#include "profile/codec/symbol_bundle.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/string_interner.h"
#include "profile/codec/bundle_wire.h"
#include "profile/codec/message.h"
#include "profile/codec/wire.h"
#include "proto/symbols.pb.h"

namespace gprofhub::profile {
namespace {

constexpr uint32_t kLocal = 1;
constexpr uint32_t kWeak = 2;
constexpr uint32_t kFunction = 4;
constexpr uint32_t kIndirect = 8;
constexpr uint32_t kNeverInlined = 16;
constexpr uint32_t kAllFlags = kLocal | kWeak | kFunction | kIndirect | kNeverInlined;

constexpr size_t kLongestBuildId = 128;
constexpr size_t kLongestName = 4096;
constexpr size_t kLongestToolchain = 512;
constexpr size_t kMostToolchains = 4096;
constexpr size_t kMostStrings = 4'000'000;

constexpr uint64_t kHeapBytes = 16;  // beside what was asked for
// Of a string in a list that grows by doubling, with its entry in a table.
constexpr uint64_t kUsedStringBytes = 2 * sizeof(std::string) + kHeapBytes + 16;
constexpr uint64_t kAlwaysAllowed = uint64_t{16} << 20;
constexpr uint64_t kMostDecoded = uint64_t{768} << 20;

// What a table of a bundle with so much content, at most kLargestContent, may take.
uint64_t MostMemory(uint64_t content) {
  return std::min(4 * content + kAlwaysAllowed, kMostDecoded - content);
}

absl::Status BadRow(absl::string_view column, size_t row, absl::string_view problem) {
  return BadBundle(absl::StrFormat("%s, row %d", column, row), problem);
}

// Everything of a bundle but its rows' values.
struct WireBundle {
  explicit WireBundle(absl::string_view content) : strings(content) {}

  SymbolTable head;  // without tables
  WireStrings strings;
  WireTable functions;
  WireTable lines;
  WireTable weak_labels;
  WireTable call_lines;
  WireTable inlined;
};

absl::Status CheckHead(const SymbolTable& head, const WireStrings& strings) {
  if (head.build_id.size() > kLongestBuildId) {
    return BadBundle("build_id", absl::StrFormat("%d characters, at most %d are accepted",
                                                 head.build_id.size(), kLongestBuildId));
  }
  for (const char c : head.build_id) {
    if (!absl::ascii_isdigit(c) && (c < 'a' || c > 'f')) {
      return BadBundle("build_id", "is not lower-case hexadecimal");
    }
  }
  if (head.architecture.size() > kLongestName || head.image_name.size() > kLongestName) {
    return BadBundle("architecture or image_name",
                     absl::StrFormat("longer than %d bytes", kLongestName));
  }
  if (head.text_low > head.text_high) {
    return BadBundle("text_low",
                     absl::StrFormat("%#x is above text_high %#x", head.text_low, head.text_high));
  }
  if (strings.size() == 0 || !strings[0].empty()) {
    return BadBundle("strings", "entry 0 is not the empty string");
  }
  if (head.address_size != 4 && head.address_size != 8) {
    return BadBundle("address_size", absl::StrFormat("%d is not 4 or 8", head.address_size));
  }
  return absl::OkStatus();
}

// A number, a text or a string of the bundle; gives whether it has the type that it must have.
bool TakeHeadField(const WireField& field, WireBundle& bundle) {
  SymbolTable& head = bundle.head;
  const bool is_number = field.type == WireType::kVarint;
  const bool is_text = field.type == WireType::kDelimited;
  switch (field.number) {
    case v1::SymbolBundle::kBuildIdFieldNumber:
      head.build_id = std::string(field.bytes.substr(0, kLongestBuildId + 1));
      return is_text;
    case v1::SymbolBundle::kArchitectureFieldNumber:
      head.architecture = std::string(field.bytes.substr(0, kLongestName + 1));
      return is_text;
    case v1::SymbolBundle::kImageNameFieldNumber:
      head.image_name = std::string(field.bytes.substr(0, kLongestName + 1));
      return is_text;
    case v1::SymbolBundle::kTextLowFieldNumber:
      head.text_low = field.value;
      return is_number;
    case v1::SymbolBundle::kTextHighFieldNumber:
      head.text_high = field.value;
      return is_number;
    case v1::SymbolBundle::kEtextFieldNumber:
      head.etext = field.value;
      return is_number;
    case v1::SymbolBundle::kAddressSizeFieldNumber:
      head.address_size = static_cast<int>(std::min<uint64_t>(field.value, 255));
      return is_number;
    case v1::SymbolBundle::kBigEndianFieldNumber:
      head.big_endian = field.value != 0;
      return is_number;
    case v1::SymbolBundle::kStringsFieldNumber:
      if (is_text) bundle.strings.Add(field.bytes);
      return is_text;
    default:
      return true;  // of a later version
  }
}

// The bundle's table that a field is; nullptr: it is none. `name` becomes its name.
WireTable* TableOf(const WireField& field, WireBundle& bundle, absl::string_view& name) {
  switch (field.number) {
    case v1::SymbolBundle::kFunctionsFieldNumber:
      name = "functions";
      return &bundle.functions;
    case v1::SymbolBundle::kLinesFieldNumber:
      name = "lines";
      return &bundle.lines;
    case v1::SymbolBundle::kWeakLabelsFieldNumber:
      name = "weak_labels";
      return &bundle.weak_labels;
    case v1::SymbolBundle::kCallLinesFieldNumber:
      name = "call_lines";
      return &bundle.call_lines;
    case v1::SymbolBundle::kInlinedFieldNumber:
      name = "inlined";
      return &bundle.inlined;
    default:
      return nullptr;
  }
}

absl::Status ReadWire(absl::string_view content, WireBundle& bundle) {
  WireReader reader(content);
  WireField field;
  uint64_t seen = 0;
  while (reader.Next(field)) {
    absl::string_view name;
    WireTable* const table = TableOf(field, bundle, name);
    if (table == nullptr) {
      if (!TakeHeadField(field, bundle)) {
        return BadBundle(absl::StrCat("field ", field.number), "is of another type");
      }
      if (bundle.strings.size() > kMostStrings) {
        return BadBundle("strings", absl::StrFormat("more than %d fields", kMostStrings));
      }
      continue;
    }
    const uint64_t bit = uint64_t{1} << field.number;
    if (field.type != WireType::kDelimited || (seen & bit) != 0) {
      return BadBundle(name, "is no table, or comes twice");
    }
    seen |= bit;
    absl::StatusOr<WireTable> read = WireTable::Read(field.bytes, name);
    if (!read.ok()) return read.status();
    *table = *read;
  }
  if (reader.failed()) {
    return absl::DataLossError(absl::StrFormat(
        "symbol bundle: its %d bytes of content are not a message: send it as gprofhub writes it",
        content.size()));
  }
  return CheckHead(bundle.head, bundle.strings);
}

// Reads the rows of the tables into values, within a bound of memory.
class RowDecoder {
 public:
  // The first two outlive the decoder. `memory` bounds what the symbols take.
  RowDecoder(const WireStrings& strings, SymbolTable& symbols, uint64_t memory,
             const base::Decoding& decoding)
      : strings_(strings),
        memory_(memory),
        decoding_(decoding),
        files_(strings, symbols.files),
        toolchains_(strings, symbols.toolchains) {}

  absl::Status DecodeFunctions(absl::string_view name, WireTable& table,
                               std::vector<FunctionSymbol>& symbols);
  // The rows are only checked if `keep` is false.
  absl::Status DecodeLines(absl::string_view name, WireTable& table, bool keep,
                           std::vector<LineRow>& lines);
  // Likewise.
  absl::Status DecodeInlined(absl::string_view name, WireTable& table, bool keep,
                             std::vector<InlinedFunction>& inlined);

 private:
  // The strings that are used as names of files, or of toolchains, in a list of their own.
  class UsedStrings {
   public:
    UsedStrings(const WireStrings& strings, std::vector<std::string>& used)
        : strings_(strings), used_(used) {}
    uint32_t IndexOf(uint32_t string) {
      if (string == 0) return 0;
      const auto [entry, is_new] =
          indices_.try_emplace(string, static_cast<uint32_t>(used_.size()));
      if (is_new) {
        used_.emplace_back(strings_[string]);
        memory_ += used_.back().size() + kUsedStringBytes;
      }
      return entry->second;
    }
    size_t size() const { return used_.size(); }
    // What they take.
    uint64_t memory() const { return memory_; }

   private:
    const WireStrings& strings_;
    std::vector<std::string>& used_;
    absl::flat_hash_map<uint32_t, uint32_t> indices_;
    uint64_t memory_ = 0;
  };

  absl::Status DecodeFunction(absl::string_view table, WireTable& columns, size_t row,
                              FunctionSymbol& function);
  absl::Status Use(absl::string_view table, uint64_t bytes);

  const WireStrings& strings_;
  uint64_t memory_;  // that is left
  const base::Decoding decoding_;
  UsedStrings files_;
  UsedStrings toolchains_;
};

absl::Status RowDecoder::Use(absl::string_view table, uint64_t bytes) {
  if (bytes + files_.memory() + toolchains_.memory() > memory_) {
    return BadBundle(table,
                     "takes more than 4 times the bundle's content and 16 MiB, or, with the "
                     "content, than 768 MiB, once it is decoded");
  }
  memory_ -= bytes;
  return absl::OkStatus();
}

using Functions = v1::FunctionColumns;

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
  if (!columns[Functions::kFlagsFieldNumber].Next(flags) || (flags & ~uint64_t{kAllFlags}) != 0) {
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
  // Short names take no memory of their own.
  const uint64_t heap = text.size() < sizeof(std::string) / 2 ? 0 : text.size() + kHeapBytes;
  if (absl::Status status = Use(table, heap); !status.ok()) return status;
  function.name = std::string(text);
  function.file = files_.IndexOf(static_cast<uint32_t>(file));
  function.line = static_cast<uint32_t>(line);
  function.code = static_cast<uint32_t>(code);
  function.is_local = (flags & kLocal) != 0;
  function.is_weak = (flags & kWeak) != 0;
  function.is_function = (flags & kFunction) != 0;
  function.is_indirect = (flags & kIndirect) != 0;
  function.never_inlined = (flags & kNeverInlined) != 0;
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

void EncodeFunctions(const std::vector<FunctionSymbol>& symbols, const std::vector<uint32_t>& files,
                     const std::vector<uint32_t>& toolchains, base::StringInterner& strings,
                     v1::FunctionColumns& columns) {
  uint64_t previous = 0;
  const bool has_code = std::any_of(symbols.begin(), symbols.end(),
                                    [](const FunctionSymbol& symbol) { return symbol.code != 0; });
  const bool any_known = std::any_of(symbols.begin(), symbols.end(),
                                     [](const FunctionSymbol& s) { return s.toolchain != 0; });
  for (const FunctionSymbol& function : symbols) {
    if (has_code) columns.add_code(function.code);
    columns.add_address_delta(function.address - previous);
    previous = function.address;
    columns.add_size(function.size);
    columns.add_name(strings.IndexOf(function.name));
    columns.add_file(files[function.file]);
    columns.add_line(function.line);
    columns.add_flags((function.is_local ? kLocal : 0) | (function.is_weak ? kWeak : 0) |
                      (function.is_function ? kFunction : 0) |
                      (function.is_indirect ? kIndirect : 0) |
                      (function.never_inlined ? kNeverInlined : 0));
    if (any_known) columns.add_toolchain(toolchains[function.toolchain]);
  }
}

void EncodeLines(const std::vector<LineRow>& rows, const std::vector<uint32_t>& files,
                 v1::LineColumns& columns) {
  uint64_t previous = 0;
  for (const LineRow& row : rows) {
    columns.add_address_delta(row.address - previous);
    previous = row.address;
    columns.add_file(files[row.file]);
    columns.add_line(row.line);
  }
}

void EncodeInlined(const std::vector<InlinedFunction>& inlined, v1::InlinedColumns& columns) {
  uint64_t previous = 0;
  for (const InlinedFunction& function : inlined) {
    columns.add_address_delta(function.into - previous);
    previous = function.into;
    columns.add_name(function.name);
  }
}

}  // namespace

std::string EncodeSymbolBundle(const SymbolTable& symbols) {
  v1::SymbolBundle bundle;
  bundle.set_build_id(symbols.build_id);
  bundle.set_architecture(symbols.architecture);
  bundle.set_address_size(symbols.address_size);
  bundle.set_big_endian(symbols.big_endian);
  bundle.set_image_name(symbols.image_name);
  bundle.set_text_low(symbols.text_low);
  bundle.set_text_high(symbols.text_high);
  bundle.set_etext(symbols.etext);

  std::vector<std::string> texts;
  base::StringInterner strings(texts);
  std::vector<uint32_t> files;
  for (const std::string& file : symbols.files) files.push_back(strings.IndexOf(file));

  std::vector<uint32_t> toolchains;
  for (const std::string& name : symbols.toolchains) toolchains.push_back(strings.IndexOf(name));

  EncodeFunctions(symbols.functions, files, toolchains, strings, *bundle.mutable_functions());
  EncodeFunctions(symbols.weak_labels, files, toolchains, strings, *bundle.mutable_weak_labels());
  EncodeLines(symbols.lines, files, *bundle.mutable_lines());
  EncodeLines(symbols.call_lines, files, *bundle.mutable_call_lines());
  if (!symbols.inlined.empty()) EncodeInlined(symbols.inlined, *bundle.mutable_inlined());
  for (std::string& text : texts) bundle.add_strings(std::move(text));
  return EncodeMessage(bundle);
}

absl::StatusOr<SymbolTable> DecodeSymbolBundle(absl::string_view bytes,
                                               const BundleDecoding& decoding) {
  const uint64_t stated = std::min(StatedSize(bytes), kLargestContent);
  absl::StatusOr<base::DecodingPart> memory = decoding.decoding.Take(stated + MostMemory(stated));
  if (!memory.ok()) return memory.status();
  const absl::StatusOr<std::string> content = Decompress(bytes, "symbol bundle");
  if (!content.ok()) return content.status();
  WireBundle bundle(*content);
  if (absl::Status status = ReadWire(*content, bundle); !status.ok()) return status;
  SymbolTable symbols = std::move(bundle.head);
  RowDecoder rows(bundle.strings, symbols, MostMemory(content->size()), decoding.decoding);
  absl::Status status = rows.DecodeFunctions("functions", bundle.functions, symbols.functions);
  if (status.ok()) {
    status = rows.DecodeFunctions("weak_labels", bundle.weak_labels, symbols.weak_labels);
  }
  if (status.ok()) status = rows.DecodeLines("lines", bundle.lines, decoding.lines, symbols.lines);
  if (status.ok()) {
    status = rows.DecodeLines("call_lines", bundle.call_lines, decoding.lines, symbols.call_lines);
  }
  if (status.ok()) {
    status = rows.DecodeInlined("inlined", bundle.inlined, decoding.lines, symbols.inlined);
  }
  if (!status.ok()) return status;
  memory->Leave(MemoryOf(symbols));
  return symbols;
}

uint64_t MemoryOf(const SymbolTable& symbols) {
  uint64_t memory = (symbols.lines.capacity() + symbols.call_lines.capacity()) * sizeof(LineRow) +
                    symbols.inlined.capacity() * sizeof(InlinedFunction);
  for (const auto* functions : {&symbols.functions, &symbols.weak_labels}) {
    memory += functions->capacity() * sizeof(FunctionSymbol);
    for (const FunctionSymbol& function : *functions) memory += function.name.capacity();
  }
  return memory;
}

}  // namespace gprofhub::profile
