#include "analyzer/tables/tables.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/tables/call_graph_table.h"
#include "analyzer/tables/explanations.h"
#include "analyzer/tables/flat_profile.h"
#include "analyzer/tables/index_by_name.h"
#include "analyzer/tables/index_numbers.h"
#include "base/two_workers.h"

namespace gprofhub::analyzer {

void PrintTables(const ListingInput& input, const ListingOptions& options, Pages& pages) {
  const Tables& tables = options.tables;
  constexpr size_t kRowsWorthAThread = 10000;
  std::vector<uint32_t> index_numbers;
  std::vector<uint32_t> flat_rows;
  base::RunBoth(
      tables.flat && tables.graph && input.rows.size() >= kRowsWorthAThread,
      [&] {
        if (options.HasIndexNumbers()) index_numbers = IndexNumbers(input);
      },
      [&] {
        if (tables.flat) flat_rows = RowsOfFlatListing(input, options);
      });
  const auto print_flat = [&] {
    if (!tables.flat) return;
    pages.Begin();
    PrintFlatListing(input, options, flat_rows, index_numbers, pages.sink());
  };
  if (!options.traditional) print_flat();
  if (tables.graph) {
    // In this style the explanation precedes the page.
    if (options.traditional && options.explain) {
      pages.sink()(absl::StrCat("\n\n\n", kTraditionalGraphExplanation));
    }
    pages.Begin();
    PrintGraphListing(input, options, index_numbers, pages.sink());
  }
  if (options.traditional) print_flat();
  if (tables.graph) {
    pages.Begin();
    PrintNameIndex(input, options, index_numbers, pages.sink());
  }
}

}  // namespace gprofhub::analyzer
