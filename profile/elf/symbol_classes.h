// An ELF file's symbol table as nm prints it: every symbol, with its class.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gprofhub::profile {

struct ClassedSymbol {
  std::string name;
  uint64_t address = 0;  // as linked
  uint64_t offset = 0;   // in its section, if any
  // nm's letter: of the section, lower case for a local symbol; 'U' if undefined. 0 for the names
  // of files and sections, which have no class.
  char symbol_class = 0;
  bool is_local = false;
  bool is_file = false;
  bool in_text = false;  // in the section .text
  bool is_object = false;
};

struct ClassedSymbols {
  // The section .text; 0 if absent.
  uint64_t text_address = 0;
  uint64_t text_size = 0;
  std::vector<ClassedSymbol> symbols;  // in the table's order

  // The address of the last byte of .text.
  uint64_t TextLast() const { return text_address + text_size - 1; }
};

// From .symtab, otherwise from .dynsym. Errors as ReadElfSymbols (profile/image/read_image.h).
absl::StatusOr<ClassedSymbols> ReadClassedSymbols(const std::string& path);

}  // namespace gprofhub::profile
