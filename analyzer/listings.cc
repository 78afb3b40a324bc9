#include "analyzer/listings.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/flat_listing.h"
#include "analyzer/graph_listing.h"
#include "analyzer/index_listing.h"
#include "analyzer/listing_names.h"
#include "analyzer/listing_text.h"

namespace gprofhub {

void PrintTables(const ListingInput& input, const ListingOptions& options, Tables tables,
                 Pages& pages) {
  if (!tables.flat && !tables.graph) return;
  const std::vector<std::string> names = PrintedNames(input, options);
  std::vector<uint32_t> places;
  if (tables.graph || options.traditional) places = PlacesInGraph(input);
  const auto print_flat = [&] {
    if (!tables.flat) return;
    pages.Begin();
    PrintFlatListing(input, options, names, places, pages.sink());
  };
  if (!options.traditional) print_flat();
  if (tables.graph) {
    // In this style the explanation stands before the page.
    if (options.traditional && options.explain) {
      pages.sink()(absl::StrCat("\n\n\n", kTraditionalGraphExplanation));
    }
    pages.Begin();
    PrintGraphListing(input, options, names, places, pages.sink());
  }
  if (options.traditional) print_flat();
  if (tables.graph) {
    pages.Begin();
    PrintNameIndex(input, options, names, places, pages.sink());
  }
}

}  // namespace gprofhub
