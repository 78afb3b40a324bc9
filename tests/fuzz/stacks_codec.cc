// Sampled stacks as uploads contain them: the input as it is, and as the content of a valid frame.
// Decodable input must encode to the same, and give a profile.

#include <zstd.h>

#include <cstdlib>
#include <string>

#include "analyzer/worker/target_profile.h"
#include "profile/codec/message.h"

namespace {

// Functions at each of the first addresses, so that mutations find some.
gprofhub::profile::SymbolTable Program() {
  gprofhub::profile::SymbolTable program;
  program.image_name = "program";
  program.text_high = 256;
  for (uint64_t address = 0; address < 256; ++address) {
    gprofhub::profile::FunctionSymbol function;
    function.address = address;
    function.size = 1;
    function.name = "f" + std::to_string(address);
    function.is_function = address % 5 != 4;
    program.functions.push_back(function);
  }
  return program;
}

void Decode(absl::string_view bytes) {
  static const gprofhub::profile::SymbolTable program = Program();
  const auto stacks = gprofhub::profile::DecodeStacks(bytes, "fuzz.stacks", program);
  if (!stacks.ok()) return;
  const std::string encoded = gprofhub::profile::EncodeStacks(*stacks);
  const auto again = gprofhub::profile::DecodeStacks(encoded, "fuzz.stacks", program);
  if (!again.ok() || gprofhub::profile::EncodeStacks(*again) != encoded) std::abort();
  gprofhub::analyzer::SampledProfile sum;
  sum.Add(*stacks, program);
  const gprofhub::profile::ComputedProfile profile = sum.Take();
  for (const gprofhub::profile::ArcCost& arc : profile.arcs) {
    if (arc.caller >= profile.functions.size() || arc.callee >= profile.functions.size()) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Decode(absl::string_view(reinterpret_cast<const char*>(data), size));
  std::string frame(ZSTD_compressBound(size), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), data, size, 1));
  Decode(frame);
  return 0;
}
