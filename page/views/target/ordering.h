// Functions in link order, and the effect on the pages of the program's text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "page/html/html.h"
#include "page/views/shell.h"
#include "page/views/target/target.h"

namespace gprofhub::page {

struct OrderingPage {
  std::string text;  // the order, in the linker's format
  struct Moved {
    std::string name, display;
    double calls = 0;
    uint32_t place_now = 0, place_then = 0;
  };
  struct Image {
    std::string name;
    std::vector<bool> as_linked, in_order;  // per page: has executed code
    std::vector<Moved> moved;
  };
  std::vector<Image> images;
  std::string function;  // a linkage name to look for; empty: none
  // How the orders of earlier runs do on this one; empty: not requested.
  struct Drift {
    std::string run, commit;
    int64_t unix_ms = 0;
    uint64_t pages = 0;
  };
  std::vector<Drift> drift;  // newest first; the first is this run's own order
  std::string drift_error;   // why it is unknown; empty: known, or not requested
};
Html OrderingView(const Context& context, const TargetPlace& place, const OrderingPage& page);

}  // namespace gprofhub::page
