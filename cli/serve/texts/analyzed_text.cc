#include "cli/serve/texts/analyzed_text.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/listing/input.h"
#include "analyzer/listing/options.h"
#include "analyzer/tables/tables.h"
#include "analyzer/worker/target_images.h"
#include "base/decoding/decoding.h"
#include "base/printable.h"
#include "cli/serve/texts/bounded_listing.h"
#include "cli/serve/texts/bounded_text.h"
#include "reporter/queries/find_run.h"

namespace gprofhub::cli {

absl::Status MakeNamesPrintable(profile::SymbolTable& symbols, const base::Decoding& decoding) {
  base::GrowingMemory memory(decoding);
  uint64_t made = 0;
  for (profile::FunctionSymbol& function : symbols.functions) {
    std::string name = base::Printable(function.name);
    if (name == function.name) continue;
    made += name.size();
    if (absl::Status status = memory.GrowTo(made); !status.ok()) return status;
    function.name = std::move(name);
  }
  for (std::string& file : symbols.files) {
    std::string name = base::Printable(file);
    if (name == file) continue;
    made += name.size();
    if (absl::Status status = memory.GrowTo(made); !status.ok()) return status;
    file = std::move(name);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ListingText(const store::Reading& reading,
                                        const reporter::BlobReader& blobs,
                                        const v1::GetListingRequest& request) {
  if (request.kind() != v1::GetListingRequest::FLAT &&
      request.kind() != v1::GetListingRequest::CALL_GRAPH) {
    return absl::InvalidArgumentError("kind: must be FLAT or CALL_GRAPH");
  }
  const absl::StatusOr<store::RunRecord> run =
      reporter::FindRun(reading, request.project(), request.run());
  if (!run.ok()) return run.status();
  if (absl::Status status = reporter::CheckCounted(*run); !status.ok()) return status;
  const absl::StatusOr<store::TargetRecord> target =
      reporter::FindTarget(reading, *run, request.target());
  if (!target.ok()) return target.status();
  const absl::StatusOr<store::TargetData> data = reading.ReadTargetData(run->id, target->label);
  if (!data.ok()) return data.status();
  absl::StatusOr<analyzer::TargetImages> images =
      analyzer::ReadTargetImages([&blobs](const store::BlobName& name) { return blobs.Read(name); },
                                 *data, /*stopping=*/[] { return false; }, blobs.decoding());
  if (!images.ok()) return images.status();
  if (images->empty()) {
    return absl::NotFoundError(
        absl::StrCat("target: ", target->label, " left no profile in run ", run->id));
  }

  const bool flat = request.kind() == v1::GetListingRequest::FLAT;
  analyzer::ListingOptions options;
  options.tables = {.flat = flat, .graph = !flat};
  options.explain = !request.brief();
  // As everywhere in the service: a clone's time is not that of the function before it.
  options.rows.policy = analyzer::SymbolPolicy::kExact;
  BoundedText text(blobs.decoding());
  for (auto& [build_id, image] : *images) {
    if (images->size() > 1) {
      text.Append(absl::StrCat("Image ", base::Printable(image.symbols.image_name), " (build-id ",
                               build_id, ")\n\n"));
    }
    absl::Status status = MakeNamesPrintable(image.symbols, blobs.decoding());
    if (!status.ok()) return status;
    const absl::StatusOr<analyzer::ListingInput> input =
        PrepareBounded(image, options, blobs.decoding());
    if (!input.ok()) return input.status();
    if (status = CheckTextFits(*input, blobs.decoding()); !status.ok()) return status;
    const auto sink = [&text](absl::string_view piece) { text.Append(piece); };
    analyzer::Pages pages(sink);
    analyzer::PrintTables(*input, options, pages);
  }
  return text.Take();
}

}  // namespace gprofhub::cli
