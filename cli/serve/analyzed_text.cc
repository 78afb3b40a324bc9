#include "cli/serve/analyzed_text.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/listing_input.h"
#include "analyzer/listings.h"
#include "analyzer/worker/target_images.h"
#include "cli/ordering_text.h"
#include "reporter/query_handlers.h"

namespace gprofhub {

absl::StatusOr<std::string> ListingText(Store& store, const v1::GetListingRequest& request) {
  if (request.kind() != v1::GetListingRequest::FLAT &&
      request.kind() != v1::GetListingRequest::CALL_GRAPH) {
    return absl::InvalidArgumentError("kind: must be FLAT or CALL_GRAPH");
  }
  const absl::StatusOr<RunRecord> run = FindRun(store, request.project(), request.run());
  if (!run.ok()) return run.status();
  const absl::StatusOr<TargetRecord> target = FindTarget(store, *run, request.target());
  if (!target.ok()) return target.status();
  const absl::StatusOr<TargetData> data = store.ReadTargetData(run->id, target->label);
  if (!data.ok()) return data.status();
  absl::StatusOr<TargetImages> images =
      ReadTargetImages(store, *data, /*stopping=*/[] { return false; });
  if (!images.ok()) return images.status();
  if (images->empty()) {
    return absl::NotFoundError(
        absl::StrCat("target: ", target->label, " left no profile in run ", run->id));
  }

  ListingOptions options;
  options.explain = !request.brief();
  std::string text;
  for (auto& [build_id, image] : *images) {
    if (images->size() > 1) {
      absl::StrAppend(&text, "Image ", image.symbols.image_name, " (build-id ", build_id, ")\n\n");
    }
    const ListingInput input = PrepareListing(image.symbols, std::move(image.sum), options);
    const bool flat = request.kind() == v1::GetListingRequest::FLAT;
    const auto sink = [&text](absl::string_view piece) { absl::StrAppend(&text, piece); };
    Pages pages(sink);
    PrintTables(input, options, {.flat = flat, .graph = !flat}, pages);
  }
  return text;
}

absl::StatusOr<std::string> OrderingText(Store& store, const v1::GetOrderingRequest& request) {
  const absl::StatusOr<RunRecord> run = FindRun(store, request.project(), request.run());
  if (!run.ok()) return run.status();
  const absl::StatusOr<std::vector<TargetRecord>> targets = store.ListTargets(run->id);
  if (!targets.ok()) return targets.status();
  if (!request.target().empty()) {
    const absl::StatusOr<TargetRecord> target = FindTarget(store, *run, request.target());
    if (!target.ok()) return target.status();
  }
  absl::StatusOr<std::map<std::string, ComputedProfile>> profiles =
      ReadProfiles(store, *targets, request.target());
  if (!profiles.ok()) return profiles.status();
  if (profiles->empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", run->id, " is not analysed yet; `gprofhub runs --wait` waits for it"));
  }
  std::vector<ComputedProfile> list;
  for (auto& [label, profile] : *profiles) list.push_back(std::move(profile));
  return OrderingTextOf(list, request.algorithm().empty() ? "default" : request.algorithm());
}

}  // namespace gprofhub
