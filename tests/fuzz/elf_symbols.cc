// ELF files with DWARF. Readable input must make a bundle that decodes.

#include <cstdlib>
#include <string>

#include "profile/codec/symbol_bundle.h"
#include "profile/elf/read_image.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto symbols = gprofhub::profile::ReadElfSymbolsFromBytes(
      std::string(reinterpret_cast<const char*>(data), size), "input");
  if (!symbols.ok()) return 0;
  if (!gprofhub::profile::DecodeSymbolBundle(gprofhub::profile::EncodeSymbolBundle(*symbols)).ok())
    std::abort();
  return 0;
}
