#include "profile/codec/symbol_bundle.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/string_interner.h"
#include "profile/codec/message.h"
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

absl::Status Bad(absl::string_view field, absl::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrFormat("symbol bundle: %s: %s: send a bundle that gprofhub made", field, problem));
}

absl::Status BadRow(absl::string_view field, int row, absl::string_view problem) {
  return Bad(absl::StrFormat("%s, row %d", field, row), problem);
}

// Moves the strings that are used as names of files, or of toolchains, into a list of their own.
class UsedStrings {
 public:
  UsedStrings(const v1::SymbolBundle& bundle, std::vector<std::string>& used)
      : bundle_(bundle), used_(used), indices_(bundle.strings_size(), 0) {}

  uint32_t IndexOf(uint32_t string) {
    if (string == 0) return 0;
    if (indices_[string] == 0) {
      indices_[string] = static_cast<uint32_t>(used_.size());
      used_.push_back(bundle_.strings(static_cast<int>(string)));
    }
    return indices_[string];
  }

  size_t size() const { return used_.size(); }

 private:
  const v1::SymbolBundle& bundle_;
  std::vector<std::string>& used_;
  std::vector<uint32_t> indices_;
};

absl::Status CheckHead(const v1::SymbolBundle& bundle) {
  if (bundle.build_id().size() > kLongestBuildId) {
    return Bad("build_id", absl::StrFormat("%d characters, at most %d are accepted",
                                           bundle.build_id().size(), kLongestBuildId));
  }
  for (const char c : bundle.build_id()) {
    if (!absl::ascii_isdigit(c) && (c < 'a' || c > 'f')) {
      return Bad("build_id", "is not lower-case hexadecimal");
    }
  }
  if (bundle.architecture().size() > kLongestName || bundle.image_name().size() > kLongestName) {
    return Bad("architecture or image_name", absl::StrFormat("longer than %d bytes", kLongestName));
  }
  if (bundle.text_low() > bundle.text_high()) {
    return Bad("text_low", absl::StrFormat("%#x is above text_high %#x", bundle.text_low(),
                                           bundle.text_high()));
  }
  if (bundle.strings_size() == 0 || !bundle.strings(0).empty()) {
    return Bad("strings", "entry 0 is not the empty string");
  }
  if (bundle.address_size() != 4 && bundle.address_size() != 8) {
    return Bad("address_size", absl::StrFormat("%d is not 4 or 8", bundle.address_size()));
  }
  return absl::OkStatus();
}

// Reads a table of symbols, which is the bundle's field `table`, into `symbols`.
absl::Status DecodeFunctions(const v1::SymbolBundle& bundle, absl::string_view table,
                             const v1::FunctionColumns& columns, UsedStrings& files,
                             UsedStrings& toolchains, std::vector<FunctionSymbol>& symbols) {
  const int rows = columns.address_delta_size();
  if (columns.size_size() != rows || columns.name_size() != rows || columns.file_size() != rows ||
      columns.line_size() != rows || columns.flags_size() != rows ||
      (columns.code_size() != 0 && columns.code_size() != rows) ||
      (columns.toolchain_size() != rows && columns.toolchain_size() != 0)) {
    return Bad(table, "its columns differ in length");
  }
  const auto bad_row = [&](absl::string_view column, int row, absl::string_view problem) {
    return BadRow(absl::StrCat(table, ".", column), row, problem);
  };
  const uint32_t strings = static_cast<uint32_t>(bundle.strings_size());
  symbols.reserve(rows);
  uint64_t address = 0;
  for (int row = 0; row < rows; ++row) {
    if (__builtin_add_overflow(address, columns.address_delta(row), &address)) {
      return bad_row("address_delta", row, "the address exceeds 64 bits");
    }
    if (columns.name(row) >= strings ||
        bundle.strings(static_cast<int>(columns.name(row))).empty()) {
      return bad_row("name", row, "is not the index of a name");
    }
    if (columns.file(row) >= strings) {
      return bad_row("file", row, "is not the index of a string");
    }
    if ((columns.flags(row) & ~kAllFlags) != 0) {
      return bad_row("flags", row, "has unknown bits");
    }
    const uint32_t toolchain = columns.toolchain_size() == 0 ? 0 : columns.toolchain(row);
    if (toolchain >= strings ||
        bundle.strings(static_cast<int>(toolchain)).size() > kLongestToolchain) {
      return bad_row("toolchain", row, "is not the index of a string of at most 512 bytes");
    }
    FunctionSymbol function;
    function.address = address;
    function.size = columns.size(row);
    function.name = bundle.strings(static_cast<int>(columns.name(row)));
    function.file = files.IndexOf(columns.file(row));
    function.line = columns.line(row);
    if (columns.code_size() != 0) function.code = columns.code(row);
    function.is_local = (columns.flags(row) & kLocal) != 0;
    function.is_weak = (columns.flags(row) & kWeak) != 0;
    function.is_function = (columns.flags(row) & kFunction) != 0;
    function.is_indirect = (columns.flags(row) & kIndirect) != 0;
    function.never_inlined = (columns.flags(row) & kNeverInlined) != 0;
    function.toolchain = toolchains.IndexOf(toolchain);
    symbols.push_back(std::move(function));
  }
  if (toolchains.size() > kMostToolchains) {
    return Bad(absl::StrCat(table, ".toolchain"), "names more than 4096");
  }
  return absl::OkStatus();
}

// `name` of the table in the bundle, for messages; `strings` is how many it has.
absl::Status DecodeLines(const v1::LineColumns& columns, const std::string& name, uint32_t strings,
                         UsedStrings& files, std::vector<LineRow>& lines) {
  const int rows = columns.address_delta_size();
  if (columns.file_size() != rows || columns.line_size() != rows) {
    return Bad(name, "its columns differ in length");
  }
  lines.reserve(rows);
  uint64_t address = 0;
  for (int row = 0; row < rows; ++row) {
    if (__builtin_add_overflow(address, columns.address_delta(row), &address)) {
      return BadRow(name + ".address_delta", row, "the address exceeds 64 bits");
    }
    if (columns.file(row) >= strings) {
      return BadRow(name + ".file", row, "is not the index of a string");
    }
    lines.push_back({address, files.IndexOf(columns.file(row)), columns.line(row)});
  }
  return absl::OkStatus();
}

absl::Status DecodeInlined(const v1::InlinedColumns& columns,
                           std::vector<InlinedFunction>& inlined) {
  const int rows = columns.address_delta_size();
  if (columns.name_size() != rows) return Bad("inlined", "its columns differ in length");
  inlined.reserve(rows);
  uint64_t address = 0;
  for (int row = 0; row < rows; ++row) {
    if (__builtin_add_overflow(address, columns.address_delta(row), &address)) {
      return BadRow("inlined.address_delta", row, "the address exceeds 64 bits");
    }
    const InlinedFunction next = {address, columns.name(row)};
    if (!inlined.empty() && !(inlined.back() < next)) {
      return BadRow("inlined.name", row, "is not above the row before");
    }
    inlined.push_back(next);
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

absl::StatusOr<SymbolTable> DecodeSymbolBundle(absl::string_view bytes) {
  v1::SymbolBundle bundle;
  absl::Status status = DecodeMessage(
      bytes, "symbol bundle",
      {v1::SymbolBundle::kFunctionsFieldNumber, v1::SymbolBundle::kLinesFieldNumber,
       v1::SymbolBundle::kWeakLabelsFieldNumber, v1::SymbolBundle::kCallLinesFieldNumber,
       v1::SymbolBundle::kInlinedFieldNumber},
      bundle);
  if (!status.ok()) return status;
  if (status = CheckHead(bundle); !status.ok()) return status;
  SymbolTable symbols;
  symbols.build_id = bundle.build_id();
  symbols.architecture = bundle.architecture();
  symbols.address_size = static_cast<int>(bundle.address_size());
  symbols.big_endian = bundle.big_endian();
  symbols.image_name = bundle.image_name();
  symbols.text_low = bundle.text_low();
  symbols.text_high = bundle.text_high();
  symbols.etext = bundle.etext();
  UsedStrings files(bundle, symbols.files);
  UsedStrings toolchains(bundle, symbols.toolchains);
  status = DecodeFunctions(bundle, "functions", bundle.functions(), files, toolchains,
                           symbols.functions);
  if (!status.ok()) return status;
  status = DecodeFunctions(bundle, "weak_labels", bundle.weak_labels(), files, toolchains,
                           symbols.weak_labels);
  if (!status.ok()) return status;
  const uint32_t strings = static_cast<uint32_t>(bundle.strings_size());
  status = DecodeLines(bundle.lines(), "lines", strings, files, symbols.lines);
  if (!status.ok()) return status;
  status = DecodeLines(bundle.call_lines(), "call_lines", strings, files, symbols.call_lines);
  if (!status.ok()) return status;
  status = DecodeInlined(bundle.inlined(), symbols.inlined);
  if (!status.ok()) return status;
  return symbols;
}

}  // namespace gprofhub::profile
