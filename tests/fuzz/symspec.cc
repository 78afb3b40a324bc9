// Symbol specifications of a command line. A parsed one must match its own symbol.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "analyzer/listing/rows.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const gprofhub::analyzer::Symspec spec = gprofhub::analyzer::Symspec::Parse(text);
  if (spec.function && spec.line) std::abort();
  const std::string function = spec.function.value_or("main");
  const uint32_t line = spec.line.value_or(1);
  const std::string file = spec.file.value_or("main.c");
  // A file is compared without its directory, so one with a '/' matches none, and
  // an unknown line matches no line.
  const bool expected = file.find('/') == std::string::npos && line != 0;
  if (spec.Matches(function, "dir/" + file, line) != (expected || (!spec.file && line != 0))) {
    std::abort();
  }
  if (spec.function && spec.Matches(function + "x", "dir/" + file, line)) std::abort();
  return 0;
}
