// Symbols and lines of one image. Read from ELF and DWARF on the client's side
// (profile/image/read_image.h), or from a symbol bundle (symbol_bundle.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gprofhub::profile {

// A symbol in an executable section, as in the symbol table: mangled and unfiltered. The analyzer
// selects.
struct FunctionSymbol {
  uint64_t address = 0;
  uint64_t size = 0;         // 0 if unknown
  std::string name;          // linkage name
  uint32_t file = 0;         // index into SymbolTable::files; 0: unknown
  uint32_t line = 0;         // of the function's entry; 0: unknown
  uint32_t table_index = 0;  // its place in the symbol table
  bool is_local = false;     // STB_LOCAL
  bool is_weak = false;      // STB_WEAK
  bool is_function = false;  // STT_FUNC or STT_GNU_IFUNC, not a bare label
  bool is_indirect = false;  // STT_GNU_IFUNC: the address is its resolver's
  // Digest of its code, independent of its address (profile/code/code_digests.h); 0: unknown.
  uint32_t code = 0;
  // According to the debug information, no call of it was inlined; false: one was, or unknown.
  bool never_inlined = false;
  uint32_t toolchain = 0;  // its compiler: index into SymbolTable::toolchains; 0: unknown
};

// The code from `address` up to the next row belongs to file:line.
struct LineRow {
  uint64_t address = 0;
  uint32_t file = 0;  // index into SymbolTable::files
  uint32_t line = 0;  // 0 ends a sequence
};

// The code from `address` up to the next row belongs to one function.
struct CodeScope {
  uint64_t address = 0;
  // The debug information's name of the innermost function there, inlined or not: an index into
  // SymbolTable::scope_names. 0: none, use the symbols.
  uint32_t name = 0;
};

// Calls of one function were inlined into another.
struct InlinedFunction {
  uint64_t into = 0;  // address of the function that they were inlined into
  // NameHash of the inlined function. It has a row for its linkage name, and one for its qualified
  // name if that differs.
  uint32_t name = 0;

  friend bool operator<(const InlinedFunction& a, const InlinedFunction& b) {
    return a.into != b.into ? a.into < b.into : a.name < b.name;
  }
  friend bool operator==(const InlinedFunction& a, const InlinedFunction& b) {
    return a.into == b.into && a.name == b.name;
  }
};

struct SymbolTable {
  std::string build_id;      // lower-case hexadecimal; empty if the image has none
  std::string architecture;  // "x86_64", "aarch64", "i386", …
  int address_size = 8;      // bytes of an address: 4 or 8
  bool big_endian = false;
  std::string image_name;  // file name without directory
  uint64_t text_low = 0;   // executable sections' range, as linked
  uint64_t text_high = 0;
  // Value of the symbol etext, up to which glibc samples; 0 if there is none. Beyond text_high if
  // the linker puts read-only data after the code. It is among the functions only if it is in an
  // executable section.
  uint64_t etext = 0;
  std::vector<std::string> files = {""};
  // Compiler, version and options (profile/names/toolchain_name.h); only on request.
  std::vector<std::string> toolchains = {""};
  // Ascending by address; symbols at one address in the symbol table's order.
  std::vector<FunctionSymbol> functions;
  // The functions were selected by the user (gprof -S): all are listed, including local ones and
  // any names, and no others.
  bool has_chosen_functions = false;
  // Weak untyped symbols outside the executable sections (data_start), and the weak ones of .opd
  // (opd_symbols.h), in the same order. GNU gprof numbers them among the functions.
  std::vector<FunctionSymbol> weak_labels;
  std::vector<LineRow> lines;  // ascending by address
  // Code that was inlined into a function, with the line of that function that it belongs to,
  // ascending by address; line 0: code that was not inlined.
  std::vector<LineRow> call_lines;
  // Functions, including inlined ones, ascending by address; only on request.
  std::vector<CodeScope> scopes;
  std::vector<std::string> scope_names;  // linkage names; the first is ""
  // Ascending, each once, without functions of the C++ standard library; only on request.
  std::vector<InlinedFunction> inlined;
};

}  // namespace gprofhub::profile
