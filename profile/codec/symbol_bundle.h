// The wire form of a symbol table (proto/symbols.proto), zstd-compressed. The
// client encodes what it read of an image; the server decodes what anybody sent.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// Deterministic. Functions and lines must be in ascending order of address.
std::string EncodeSymbolBundle(const SymbolTable& symbols);

// InvalidArgument or DataLoss name the field (and row) that is wrong. What is
// returned keeps every promise of symbols.h: order, indices in range.
absl::StatusOr<SymbolTable> DecodeSymbolBundle(absl::string_view bytes);

}  // namespace gprofhub::profile
