#include "analyzer/listings.h"

#include <string>
#include <vector>

#include "analyzer/flat_listing.h"
#include "analyzer/graph_listing.h"
#include "analyzer/index_listing.h"
#include "analyzer/listing_names.h"

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
