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

// Decodes stacks of `image`, as EncodeStacks writes them, from untrusted bytes. `name` is only for
// messages. Errors as DecodeMessage (profile/codec/message.h), with at most 60 MiB;
// InvalidArgument, naming the field and its row, if the value is invalid, or a function is not in
// the image. Its memory is left with `decoding`.
absl::StatusOr<ImageStacks> DecodeStacks(absl::string_view bytes, absl::string_view name,
                                         const SymbolTable& image,
                                         const base::Decoding& decoding = {});

}  // namespace gprofhub::profile
