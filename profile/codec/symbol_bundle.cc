#include "profile/codec/symbol_bundle.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "base/string_interner.h"
#include "base/text_arena.h"
#include "profile/codec/message.h"
#include "profile/codec/symbol_rows.h"
#include "proto/symbols.pb.h"

namespace gprofhub::profile {

namespace {

constexpr size_t kLongestBuildId = 128;
constexpr size_t kLongestName = 4096;
constexpr size_t kMostStrings = 4'000'000;

// A bundle without its rows' values.
struct WireBundle {
  explicit WireBundle(absl::string_view content) : strings(content) {}

  SymbolTable head;  // without tables
  WireStrings strings;
  WireTable functions;
  WireTable lines;
  WireTable weak_labels;
  WireTable call_lines;
  WireTable inlined;
  WireTable shared_returns;
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

// A number, a text or a string of the bundle; returns whether it has the required type.
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

// The bundle's table for a field; nullptr: none. `name` is set to its name.
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
    case v1::SymbolBundle::kSharedReturnsFieldNumber:
      name = "shared_returns";
      return &bundle.shared_returns;
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
    const absl::StatusOr<WireTable> read = WireTable::ReadOnce(field, seen);
    if (!read.ok()) return BadBundle(name, read.status().message());
    *table = *read;
  }
  if (reader.failed()) {
    return absl::DataLossError(
        absl::StrFormat("symbol bundle: the %d bytes of content are not a message; send it in the "
                        "format of gprofhub",
                        content.size()));
  }
  return CheckHead(bundle.head, bundle.strings);
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
    columns.add_flags(
        (function.is_local ? kLocalFlag : 0) | (function.is_weak ? kWeakFlag : 0) |
        (function.is_function ? kFunctionFlag : 0) | (function.is_indirect ? kIndirectFlag : 0) |
        (function.never_inlined ? kNeverInlinedFlag : 0) | uint32_t{function.asks} << kAsksShift);
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

void EncodeReturns(const std::vector<SharedReturn>& returns, v1::ReturnColumns& columns) {
  uint64_t previous = 0;
  for (const SharedReturn& one : returns) {
    columns.add_address_delta(one.address - previous);
    previous = one.address;
    columns.add_callee(one.callee);
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

  base::TextList texts;
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
  EncodeReturns(symbols.shared_returns, *bundle.mutable_shared_returns());
  for (const absl::string_view text : texts) bundle.add_strings(text.data(), text.size());
  return EncodeMessage(bundle);
}

absl::StatusOr<SymbolTable> DecodeSymbolBundle(absl::string_view bytes,
                                               const BundleDecoding& decoding) {
  const uint64_t stated = std::min(StatedSize(bytes), kLargestContent);
  ASSIGN_OR_RETURN(base::Reservation memory,
                   decoding.decoding.Take(stated + MostMemoryOfSymbols(stated)));
  ASSIGN_OR_RETURN(const std::string content, Decompress(bytes, "symbol bundle"));
  WireBundle bundle(content);
  RETURN_IF_ERROR(ReadWire(content, bundle));
  SymbolTable symbols = std::move(bundle.head);
  RowDecoder rows(bundle.strings, symbols, MostMemoryOfSymbols(content.size()), decoding.decoding);
  RETURN_IF_ERROR(rows.DecodeFunctions("functions", bundle.functions, symbols.functions));
  RETURN_IF_ERROR(rows.DecodeFunctions("weak_labels", bundle.weak_labels, symbols.weak_labels));
  RETURN_IF_ERROR(rows.DecodeLines("lines", bundle.lines, decoding.lines, symbols.lines));
  RETURN_IF_ERROR(
      rows.DecodeLines("call_lines", bundle.call_lines, decoding.lines, symbols.call_lines));
  RETURN_IF_ERROR(rows.DecodeInlined("inlined", bundle.inlined, decoding.lines, symbols.inlined));
  RETURN_IF_ERROR(
      rows.DecodeReturns("shared_returns", bundle.shared_returns, symbols.shared_returns));
  memory.Leave(MemoryOf(symbols));
  return symbols;
}

uint64_t MemoryOf(const SymbolTable& symbols) {
  uint64_t memory = (symbols.lines.capacity() + symbols.call_lines.capacity()) * sizeof(LineRow) +
                    symbols.inlined.capacity() * sizeof(InlinedFunction) +
                    symbols.shared_returns.capacity() * sizeof(SharedReturn);
  for (const auto* functions : {&symbols.functions, &symbols.weak_labels}) {
    memory += functions->capacity() * sizeof(FunctionSymbol);
    for (const FunctionSymbol& function : *functions) memory += function.name.capacity();
  }
  return memory;
}

}  // namespace gprofhub::profile
