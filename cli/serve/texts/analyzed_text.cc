#include "cli/serve/texts/analyzed_text.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/listing/input.h"
#include "analyzer/listing/options.h"
#include "analyzer/listing/prepare.h"
#include "analyzer/tables/tables.h"
#include "analyzer/worker/target_images.h"
#include "base/printable.h"
#include "reporter/queries/find_run.h"

namespace gprofhub::cli {

void MakeNamesPrintable(profile::SymbolTable& symbols) {
  for (profile::FunctionSymbol& function : symbols.functions) {
    std::string name = base::Printable(function.name);
    if (name != function.name) function.name = std::move(name);
  }
  for (std::string& file : symbols.files) file = base::Printable(file);
}

absl::StatusOr<std::string> ListingText(const store::Reading& reading, const store::Blobs& blobs,
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
                                 *data, /*stopping=*/[] { return false; });
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
  std::string text;
  for (auto& [build_id, image] : *images) {
    if (images->size() > 1) {
      absl::StrAppend(&text, "Image ", base::Printable(image.symbols.image_name), " (build-id ",
                      build_id, ")\n\n");
    }
    MakeNamesPrintable(image.symbols);
    const analyzer::ListingInput input =
        analyzer::PrepareListing(image.symbols, std::move(image.sum), options);
    const auto sink = [&text](absl::string_view piece) { absl::StrAppend(&text, piece); };
    analyzer::Pages pages(sink);
    analyzer::PrintTables(input, options, pages);
  }
  return text;
}

}  // namespace gprofhub::cli
