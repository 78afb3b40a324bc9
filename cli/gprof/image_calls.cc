#include "cli/gprof/image_calls.h"

#include "analyzer/static_calls.h"
#include "profile/status_context.h"

namespace gprofhub {
namespace {

absl::StatusOr<std::vector<StaticCall>> Read(const GprofOptions& options,
                                             const SymbolTable& symbols) {
  const absl::StatusOr<std::vector<CodeSection>> code = ReadElfCode(options.image);
  if (!code.ok()) return code.status();
  RowOptions by_function = options.listing.rows;
  by_function.by_line = false;
  const ListingRows rows(symbols, by_function);
  std::vector<uint64_t> entries;
  for (uint32_t row = 0; row < rows.size(); ++row) {
    if (rows.IsFunction(row)) entries.push_back(rows.Address(row));
  }
  return FindStaticCalls(symbols, *code, entries);
}

}  // namespace

absl::StatusOr<std::vector<StaticCall>> ReadStaticCalls(const GprofOptions& options,
                                                        const SymbolTable& symbols) {
  absl::StatusOr<std::vector<StaticCall>> calls = Read(options, symbols);
  if (calls.ok()) return calls;
  return WithContext(calls.status(), options.program);
}

}  // namespace gprofhub
