#include "cli/gprof/image_calls.h"

#include "base/status_context.h"
#include "cli/gprof/static_calls.h"

namespace gprofhub::cli {
namespace {

absl::StatusOr<std::vector<analyzer::StaticCall>> Read(const GprofOptions& options,
                                                       const profile::SymbolTable& symbols) {
  const absl::StatusOr<std::vector<profile::CodeSection>> code =
      profile::ReadElfCode(options.image);
  if (!code.ok()) return code.status();
  analyzer::RowOptions by_function = options.listing.rows;
  by_function.by_line = false;
  const analyzer::ListingRows rows(symbols, by_function);
  std::vector<uint64_t> entries;
  for (uint32_t row = 0; row < rows.size(); ++row) {
    if (rows.IsFunction(row)) entries.push_back(rows.Address(row));
  }
  return FindStaticCalls(symbols, *code, entries);
}

}  // namespace

absl::StatusOr<std::vector<analyzer::StaticCall>> ReadStaticCalls(
    const GprofOptions& options, const profile::SymbolTable& symbols) {
  absl::StatusOr<std::vector<analyzer::StaticCall>> calls = Read(options, symbols);
  if (calls.ok()) return calls;
  return base::WithContext(calls.status(), options.program);
}

}  // namespace gprofhub::cli
