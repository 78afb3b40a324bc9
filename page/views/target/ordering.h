// Functions in link order, and what that does to the pages of the program's text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "page/html/html.h"
#include "page/views/shell.h"
#include "page/views/target/target.h"

namespace gprofhub::page {

struct OrderingPage {
  std::string text;  // the order, as the linker takes it
  struct Moved {
    std::string name, display;
    double calls = 0;
    uint32_t place_now = 0, place_then = 0;
  };
  struct Image {
    std::string name;
    std::vector<bool> as_linked, in_order;  // pages; those with code that ran
    std::vector<Moved> moved;
  };
  std::vector<Image> images;
  std::string function;  // a linkage name to look for; empty: none
  // How the orders of earlier runs do on this one; empty: not asked for.
  struct Drift {
    std::string run, commit;
    int64_t unix_ms = 0;
    uint64_t pages = 0;
  };
  std::vector<Drift> drift;  // newest first; the first is this run's own order
  std::string drift_error;   // why it is not known; empty: it is, or was not asked for
};
Html OrderingView(const Context& context, const TargetPlace& place, const OrderingPage& page);

}  // namespace gprofhub::page
