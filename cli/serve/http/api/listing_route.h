// gprof's listings, and profiles for other programs.
#pragma once

#include "cli/serve/http/api/route.h"

namespace gprofhub::cli {

ApiRoute ListingRoute();

}  // namespace gprofhub::cli
