// The wire form of sampled stacks (proto/stacks.proto), zstd-compressed.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/decoding/decoding.h"
#include "profile/stacks/resolve.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

std::string EncodeStacks(const ImageStacks& stacks);

// What EncodeStacks wrote of `image`, from anybody. `name` is only for messages.
// Errors as DecodeMessage (profile/codec/message.h), with at most 60 MiB; InvalidArgument, naming
// the field and its row, if it is no such value, or a function is none of the image's. What it
// takes is left with `decoding`.
absl::StatusOr<ImageStacks> DecodeStacks(absl::string_view bytes, absl::string_view name,
                                         const SymbolTable& image,
                                         const base::Decoding& decoding = {});

}  // namespace gprofhub::profile
