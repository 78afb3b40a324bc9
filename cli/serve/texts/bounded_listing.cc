#include "cli/serve/texts/bounded_listing.h"

#include <cstdint>

#include "analyzer/listing/prepare.h"

namespace gprofhub::cli {
namespace {

// A row with its node, its names and its place in the orders; a call with its times.
constexpr uint64_t kRowBytes = 512;
constexpr uint64_t kArcBytes = 96;
// A line of a table, without names.
constexpr uint64_t kLineBytes = 100;

}  // namespace

absl::StatusOr<analyzer::ListingInput> PrepareBounded(const analyzer::TargetImage& image,
                                                      const analyzer::ListingOptions& options,
                                                      const base::Decoding& decoding) {
  const uint64_t rows =
      image.symbols.functions.size() + (options.rows.by_line ? image.symbols.lines.size() : 0);
  const uint64_t size = rows * kRowBytes + image.sum.arcs.size() * kArcBytes;
  absl::StatusOr<base::DecodingPart> memory = decoding.Take(size);
  if (!memory.ok()) return memory.status();
  memory->Leave(size);
  return analyzer::PrepareListing(image.symbols, image.sum, options);
}

absl::Status CheckTextFits(const analyzer::ListingInput& input, const base::Decoding& decoding) {
  uint64_t size = 0;
  const auto line_of = [&](uint32_t node) {
    return kLineBytes + (node < input.names.by_row.size() ? input.names[node].size() : 0);
  };
  // Its own lines in both tables, and in the index.
  for (uint32_t row = 0; row < input.names.by_row.size(); ++row) size += 3 * line_of(row);
  for (const analyzer::GraphArc& arc : input.graph.arcs) {
    size += line_of(arc.caller) + line_of(arc.callee);
  }
  return decoding.Take(size).status();
}

}  // namespace gprofhub::cli
