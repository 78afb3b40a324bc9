// The profile of one target in one run, for pages and downloads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "analyzer/exports/exports.h"
#include "analyzer/worker/target_images.h"
#include "profile/computed.h"
#include "profile/raw_profile.h"
#include "server/http/page_request.h"
#include "store/records/records.h"

namespace gprofhub::server {

// Which target. Errors are FindRun's and FindTarget's.
struct TargetOfRun {
  store::RunRecord run;
  store::TargetRecord target;
};
absl::StatusOr<TargetOfRun> FindTargetOfRun(const PageStore& store, absl::string_view project,
                                            absl::string_view run, absl::string_view target);

// FAILED_PRECONDITION where it is not analysed.
using KeptProfile = std::shared_ptr<const profile::ComputedProfile>;
absl::StatusOr<KeptProfile> ReadComputed(const PageStore& store, const TargetOfRun& target);

// The target's profiles, image by image, for derived views. NOT_FOUND: none.
absl::StatusOr<analyzer::TargetImages> ReadImages(const PageStore& store,
                                                  const TargetOfRun& target);

// Of all images together; `base`, if there is one, is the same target of another run.
absl::StatusOr<std::shared_ptr<const FlameGraph>> ReadFlameGraph(const PageStore& store,
                                                                 const TargetOfRun& target,
                                                                 const TargetOfRun* base);

// Files in analyzer::DownloadFormats. A target of several images has a file of each.
struct ImageFile {
  std::string name;
  std::string type;  // of the content
  std::string contents;
};
struct ListedFile {
  analyzer::ExportFormat format;
  std::string image;  // its build-id; empty where there is only one
  std::string name;
  double left_out = 0;  // share of the samples, in other objects, that the format cannot hold
};
// All that MakeImageFile can make of the target.
absl::StatusOr<std::vector<ListedFile>> ListFiles(const PageStore& store,
                                                  const TargetOfRun& target);
// The file of one image; empty: the only one, else INVALID_ARGUMENT.
absl::StatusOr<ImageFile> MakeImageFile(const PageStore& store, const TargetOfRun& target,
                                        absl::string_view format, absl::string_view image);

// Effect of an order on the pages of a program's text, as far as a profile shows: it contains which
// functions ran, but not when. `gprofhub order --replay` takes that, too, from a trace.

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

}  // namespace gprofhub::server
