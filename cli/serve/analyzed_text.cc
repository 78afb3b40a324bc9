#include "cli/serve/analyzed_text.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/listing_input.h"
#include "analyzer/listings.h"
#include "analyzer/worker/target_images.h"
#include "reporter/escape.h"
#include "reporter/query_handlers.h"

namespace gprofhub {
namespace {

// The listing is for people: a name must not look like another line of it, and must not
// command the terminal.
void MakeNamesPrintable(SymbolTable& symbols) {
  for (FunctionSymbol& function : symbols.functions) {
    std::string name = Printable(function.name);
    if (name != function.name) function.name = std::move(name);
  }
}

}  // namespace

absl::StatusOr<std::string> ListingText(const Reading& reading, const Blobs& blobs,
                                        const v1::GetListingRequest& request) {
  if (request.kind() != v1::GetListingRequest::FLAT &&
      request.kind() != v1::GetListingRequest::CALL_GRAPH) {
    return absl::InvalidArgumentError("kind: must be FLAT or CALL_GRAPH");
  }
  const absl::StatusOr<RunRecord> run = FindRun(reading, request.project(), request.run());
  if (!run.ok()) return run.status();
  if (absl::Status status = CheckCounted(*run); !status.ok()) return status;
  const absl::StatusOr<TargetRecord> target = FindTarget(reading, *run, request.target());
  if (!target.ok()) return target.status();
  const absl::StatusOr<TargetData> data = reading.ReadTargetData(run->id, target->label);
  if (!data.ok()) return data.status();
  absl::StatusOr<TargetImages> images =
      ReadTargetImages(blobs, *data, /*stopping=*/[] { return false; });
  if (!images.ok()) return images.status();
  if (images->empty()) {
    return absl::NotFoundError(
        absl::StrCat("target: ", target->label, " left no profile in run ", run->id));
  }

  const bool flat = request.kind() == v1::GetListingRequest::FLAT;
  ListingOptions options;
  options.tables = {.flat = flat, .graph = !flat};
  options.explain = !request.brief();
  std::string text;
  for (auto& [build_id, image] : *images) {
    if (images->size() > 1) {
      absl::StrAppend(&text, "Image ", Printable(image.symbols.image_name), " (build-id ", build_id,
                      ")\n\n");
    }
    MakeNamesPrintable(image.symbols);
    const ListingInput input = PrepareListing(image.symbols, std::move(image.sum), options);
    const auto sink = [&text](absl::string_view piece) { absl::StrAppend(&text, piece); };
    Pages pages(sink);
    PrintTables(input, options, pages);
  }
  return text;
}

}  // namespace gprofhub
