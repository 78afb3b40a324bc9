#include "analyzer/listings.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/flat_listing.h"
#include "analyzer/graph_listing.h"
#include "analyzer/graph_places.h"
#include "analyzer/halves.h"
#include "analyzer/index_listing.h"
#include "analyzer/listing_text.h"

namespace gprofhub {

void PrintTables(const ListingInput& input, const ListingOptions& options, Pages& pages) {
  const Tables& tables = options.tables;
  constexpr size_t kRowsWorthAThread = 10000;
  std::vector<uint32_t> places;
  std::vector<uint32_t> flat_rows;
  AtOnce(
      tables.flat && tables.graph && input.rows.size() >= kRowsWorthAThread,
      [&] {
        if (options.HasPlaces()) places = PlacesInGraph(input);
      },
      [&] {
        if (tables.flat) flat_rows = RowsOfFlatListing(input, options);
      });
  const auto print_flat = [&] {
    if (!tables.flat) return;
    pages.Begin();
    PrintFlatListing(input, options, flat_rows, places, pages.sink());
  };
  if (!options.traditional) print_flat();
  if (tables.graph) {
    // In this style the explanation stands before the page.
    if (options.traditional && options.explain) {
      pages.sink()(absl::StrCat("\n\n\n", kTraditionalGraphExplanation));
    }
    pages.Begin();
    PrintGraphListing(input, options, places, pages.sink());
  }
  if (options.traditional) print_flat();
  if (tables.graph) {
    pages.Begin();
    PrintNameIndex(input, options, places, pages.sink());
  }
}

}  // namespace gprofhub
