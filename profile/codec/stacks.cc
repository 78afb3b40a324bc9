#include "profile/codec/stacks.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "profile/codec/message.h"
#include "proto/stacks.pb.h"

namespace gprofhub::profile {
namespace {

// A frame takes two bytes or more of it, and sixteen once decoded.
constexpr uint64_t kLargestStacks = uint64_t{60} << 20;

absl::Status Bad(absl::string_view name, absl::string_view field, int row,
                 absl::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": sampled stacks: ", field, ", row ", row, ": ", problem));
}

bool HasFunctionAt(const SymbolTable& image, uint64_t address) {
  auto symbol = std::lower_bound(
      image.functions.begin(), image.functions.end(), address,
      [](const FunctionSymbol& function, uint64_t at) { return function.address < at; });
  for (; symbol != image.functions.end() && symbol->address == address; ++symbol) {
    if (symbol->is_function) return true;
  }
  return false;
}

absl::Status DecodeFunctions(const v1::SampledStacks& message, absl::string_view name,
                             const SymbolTable& image, ImageStacks& stacks) {
  uint64_t address = 0;
  for (int i = 0; i < message.function_delta_size(); ++i) {
    const uint64_t delta = message.function_delta(i);
    if ((i > 0 && delta == 0) || __builtin_add_overflow(address, delta, &address)) {
      return Bad(name, "function_delta", i, "the addresses do not ascend");
    }
    if (!HasFunctionAt(image, address)) {
      return Bad(
          name, "function_delta", i,
          absl::StrCat("no function of ", image.image_name, " begins at 0x", absl::Hex(address),
                       ": send the stacks with the program's own image"));
    }
    stacks.functions.push_back(address);
  }
  return absl::OkStatus();
}

}  // namespace

std::string EncodeStacks(const ImageStacks& stacks) {
  v1::SampledStacks message;
  uint64_t last = 0;
  for (const uint64_t address : stacks.functions) {
    message.add_function_delta(address - last);
    last = address;
  }
  for (const ImageStacks::Stack& stack : stacks.stacks) {
    message.add_frames(stack.frames);
    message.add_samples(stack.samples);
  }
  for (const ImageStacks::Frame& frame : stacks.frames) {
    message.add_function(frame.function);
    message.add_offset(frame.offset);
  }
  return EncodeMessage(message);
}

absl::StatusOr<ImageStacks> DecodeStacks(absl::string_view bytes, absl::string_view name,
                                         const SymbolTable& image, const base::Decoding& decoding) {
  v1::SampledStacks message;
  const absl::StatusOr<base::DecodingPart> for_message =
      DecodeMessage(bytes, name, {}, message, decoding, kLargestStacks);
  if (!for_message.ok()) return for_message.status();
  if (message.samples_size() != message.frames_size() ||
      message.offset_size() != message.function_size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": sampled stacks: columns of one table differ in length"));
  }
  if (message.frames_size() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": sampled stacks: has no stack"));
  }
  const uint64_t size = static_cast<uint64_t>(message.function_delta_size()) * sizeof(uint64_t) +
                        static_cast<uint64_t>(message.frames_size()) * sizeof(ImageStacks::Stack) +
                        static_cast<uint64_t>(message.function_size()) * sizeof(ImageStacks::Frame);
  absl::StatusOr<base::DecodingPart> for_stacks = decoding.Take(size);
  if (!for_stacks.ok()) return for_stacks.status();
  ImageStacks stacks;
  stacks.functions.reserve(static_cast<size_t>(message.function_delta_size()));
  stacks.stacks.reserve(static_cast<size_t>(message.frames_size()));
  stacks.frames.reserve(static_cast<size_t>(message.function_size()));
  if (absl::Status status = DecodeFunctions(message, name, image, stacks); !status.ok()) {
    return status;
  }
  uint64_t frames = 0;
  uint64_t samples = 0;
  for (int i = 0; i < message.frames_size(); ++i) {
    frames += message.frames(i);
    if (message.frames(i) == 0 || frames > static_cast<uint64_t>(message.function_size())) {
      return Bad(name, "frames", i, "is 0, or more than there are rows of frames");
    }
    if (message.samples(i) == 0 || message.samples(i) > kMostSampledStackSamples - samples) {
      return Bad(name, "samples", i,
                 absl::StrCat("is 0, or makes more than ", kMostSampledStackSamples));
    }
    samples += message.samples(i);
    stacks.stacks.push_back({message.frames(i), message.samples(i)});
  }
  if (frames != static_cast<uint64_t>(message.function_size())) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": sampled stacks: the stacks have ",
                                                   frames, " of the ", message.function_size(),
                                                   " frames"));
  }
  for (int i = 0; i < message.function_size(); ++i) {
    if (message.function(i) > stacks.functions.size()) {
      return Bad(name, "function", i, "is not the row of a function");
    }
    if (absl::Status status = decoding.CheckWantedAt(static_cast<uint64_t>(i)); !status.ok())
      return status;
    stacks.frames.push_back({message.function(i), message.offset(i)});
  }
  for_stacks->Leave(size);
  return stacks;
}

}  // namespace gprofhub::profile
