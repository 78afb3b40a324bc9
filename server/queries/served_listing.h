// gprof's listings of uploaded profiles, for the query service, the pages and /api/v1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "analyzer/listing/rows.h"
#include "analyzer/worker/target_images.h"
#include "base/memory_budget.h"
#include "profile/raw_profile.h"
#include "proto/query.pb.h"
#include "reporter/queries/runs.h"
#include "store/reading.h"

namespace gprofhub::server {

// Bounded text for a client, generated from untrusted data: small profiles can have long listings.

class BoundedText {
 public:
  explicit BoundedText(const base::Decoding& decoding) : memory_(decoding) {}

  // Does nothing once the limit is reached.
  void Append(absl::string_view piece) {
    if (!status_.ok()) return;
    if (text_.size() + piece.size() > text_.capacity()) {
      // During reallocation the old buffer exists, too.
      const size_t room = std::max(2 * text_.capacity(), text_.size() + piece.size());
      if (status_ = memory_.GrowTo(room + text_.capacity()); !status_.ok()) return;
      text_.reserve(room);
    }
    text_.append(piece.data(), piece.size());
  }
  // The whole text; or the error that it did not become whole for: Decoding::Take's.
  absl::StatusOr<std::string> Take() {
    if (!status_.ok()) return status_;
    return std::move(text_);
  }

 private:
  base::GrowingMemory memory_;
  absl::Status status_;
  std::string text_;
};

// Source files of projects, for annotated source.

// A file's text at a commit of the project. NOT_FOUND, or why it cannot be had now.
using SourceText = std::shared_ptr<const std::string>;
using ReadSource = std::function<absl::StatusOr<SourceText>(
    const std::string& project, const std::string& commit, const std::string& path)>;

// LRU cache around an uncached reader: a file of a commit never changes. Bounded by `most_bytes`.
ReadSource KeepSources(
    std::function<absl::StatusOr<std::string>(const std::string& project, const std::string& commit,
                                              const std::string& path)>
        read,
    uint64_t most_bytes = uint64_t{24} << 20);

// Clones have rows of their own everywhere in the service: a clone's time is not that of the
// function before it.
analyzer::ListingOptions ServedOptions();

// A listing is for people: a name must not look like another line of it, or contain terminal
// escapes. The memory of the new names stays charged to `decoding`, whose errors are returned.
absl::Status MakeNamesPrintable(profile::SymbolTable& symbols, const base::Decoding& decoding);

// Appends one image's profile in request.format(), one of analyzer::DownloadFormats.
// INVALID_ARGUMENT for another, and for a kind that the format cannot contain.
absl::Status AppendExport(const analyzer::TargetImage& image, const v1::GetListingRequest& request,
                          const base::Decoding& decoding, BoundedText& text);

// The output of `gprofhub gprof --exact-clones` for the sum of a target's profiles in one run. A
// target of several images has one listing for each, below a line that names it; a format contains
// only the image that the request names. Source is that of the run's commit; `read_source` may be
// null. Errors as in reporter/queries/runs.h, and the analyzer's. For ANNOTATED_SOURCE also
// NOT_FOUND or UNAVAILABLE with the reason: no file can be read.
absl::StatusOr<std::string> ListingText(const store::Reading& reading,
                                        const reporter::BlobReader& blobs,
                                        const ReadSource& read_source,
                                        const v1::GetListingRequest& request);

// The query service's orderings: of one run, or of several taken together.

// The functions in link order, or the calls for a linker that sorts (ordering_text.h). Each target
// is a training run, regardless of the commits and builds of its profiles: its weight is divided
// among them by their age. Errors as in reporter/queries/runs.h.
absl::StatusOr<std::string> OrderingText(const store::Reading& reading,
                                         const reporter::BlobReader& blobs,
                                         const v1::GetOrderingRequest& request);

}  // namespace gprofhub::server
