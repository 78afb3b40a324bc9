// The wire form of a symbol table (proto/symbols.proto), zstd-compressed. The
// client encodes what it read of an image; the server decodes what anybody sent.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/decoding/decoding.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// Deterministic. Functions and lines must be in ascending order of address.
std::string EncodeSymbolBundle(const SymbolTable& symbols);

struct BundleDecoding {
  // False: line rows are checked, and left out.
  bool lines = true;
  // What the bundle takes is left with it.
  base::Decoding decoding = {};
};

// InvalidArgument or DataLoss name the field (and row) that is wrong. What is
// returned keeps every promise of symbols.h: order, indices in range.
//
// What is returned takes at most 4 times the content's size, which the bytes state, and 16 MiB; and
// at most 768 MiB with the content. A bundle that would take more is refused, so that many
// functions cannot share one long name, nor rows be of nothing. While it is decoded, the content
// stands beside it. Errors of BundleDecoding::decoding are Decoding::Take's.
absl::StatusOr<SymbolTable> DecodeSymbolBundle(absl::string_view bytes,
                                               const BundleDecoding& decoding = {});

// What the table's rows and names take, about.
uint64_t MemoryOf(const SymbolTable& symbols);

}  // namespace gprofhub::profile
