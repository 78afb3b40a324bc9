// The wire form of a symbol table (proto/symbols.proto), zstd-compressed. The client encodes the
// symbols of an image; the server decodes untrusted bytes.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_budget.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// Deterministic. Functions and lines must be in ascending order of address.
std::string EncodeSymbolBundle(const SymbolTable& symbols);

struct BundleDecoding {
  // False: line rows are checked but not kept.
  bool lines = true;
  // The bundle's memory is left with it.
  base::Decoding decoding = {};
};

// InvalidArgument or DataLoss name the wrong field (and row). The result fulfils the contracts of
// symbols.h: order, indices in range.
//
// The result takes at most 4 times the declared content size plus 16 MiB; and at most 768 MiB
// together with the content. A larger bundle is refused, which prevents bundles in which many
// functions share one long name, or rows are empty. During decoding, the content is also in memory.
// Errors of BundleDecoding::decoding are Decoding::Take's.
absl::StatusOr<SymbolTable> DecodeSymbolBundle(absl::string_view bytes,
                                               const BundleDecoding& decoding = {});

// Approximate memory of the table's rows and names.
uint64_t MemoryOf(const SymbolTable& symbols);

}  // namespace gprofhub::profile
