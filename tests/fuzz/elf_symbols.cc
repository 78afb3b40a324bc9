// ELF files with DWARF. What can be read must make a bundle that decodes.

#include "profile/elf_symbols.h"

#include <cstdlib>
#include <string>

#include "profile/symbol_bundle.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto symbols = gprofhub::ReadElfSymbolsFromBytes(
      std::string(reinterpret_cast<const char*>(data), size), "input");
  if (!symbols.ok()) return 0;
  if (!gprofhub::DecodeSymbolBundle(gprofhub::EncodeSymbolBundle(*symbols)).ok()) std::abort();
  return 0;
}
