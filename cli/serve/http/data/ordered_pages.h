// Effect of an order on the pages of a program's text, as far as a profile shows: it contains which
// functions ran, but not when. `gprofhub order --replay` takes that, too, from a trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cli/serve/http/data/target_data.h"
#include "profile/computed.h"
#include "profile/symbols.h"

namespace gprofhub::cli {

struct MovedFunction {
  std::string name;         // linkage name
  uint64_t calls = 0;       // in all executions
  uint32_t place_now = 0;   // among the image's functions, by address, from 1
  uint32_t place_then = 0;  // in the order, from 1
};

struct OrderedPages {
  std::string image;  // its file's name
  // Pages of 4 KiB; those with a function that ran are true. A function is taken to run as a whole.
  std::vector<bool> as_linked, in_order;
  std::vector<MovedFunction> moved;  // that ran; as the order has them, at most 100
};

// Approximate upper bound of the memory for replaying the functions that ran, in bytes. Sizes of
// functions are untrusted.
uint64_t ReplayMemory(const profile::SymbolTable& program, const profile::ComputedProfile& profile);

// One for each image of the target that has a function of the order. Errors are those of
// analyzer::ReadTargetImages, and Decoding::Take's.
absl::StatusOr<std::vector<OrderedPages>> PagesInOrder(const PageStore& store,
                                                       const TargetOfRun& target,
                                                       const profile::ComputedProfile& profile,
                                                       absl::Span<const std::string> order);

// Number of pages that contain a function that ran, in all images, under each of the orders.
absl::StatusOr<std::vector<uint64_t>> CountPagesInOrders(
    const PageStore& store, const TargetOfRun& target, const profile::ComputedProfile& profile,
    absl::Span<const std::vector<std::string>> orders);

}  // namespace gprofhub::cli
