#include "cli/serve/http/api/listing_route.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/serve/http/data/target_data.h"
#include "cli/serve/texts/served_listing.h"
#include "proto/query.pb.h"

namespace gprofhub::cli {
namespace {

constexpr char kText[] = "text/plain; charset=utf-8";

struct NamedKind {
  absl::string_view name;
  v1::GetListingRequest::Kind kind;
};
constexpr std::array<NamedKind, 4> kKinds = {{{"flat", v1::GetListingRequest::FLAT},
                                              {"graph", v1::GetListingRequest::CALL_GRAPH},
                                              {"source", v1::GetListingRequest::ANNOTATED_SOURCE},
                                              {"counts", v1::GetListingRequest::EXECUTION_COUNTS}}};

// A missing name means no listing, which suffices for a format.
absl::StatusOr<v1::GetListingRequest::Kind> KindOf(const ApiCall& call) {
  const std::string& name = call.Query("kind");
  if (name.empty()) {
    return call.Query("format").empty() ? v1::GetListingRequest::FLAT
                                        : v1::GetListingRequest::KIND_UNSPECIFIED;
  }
  for (const NamedKind& one : kKinds) {
    if (one.name == name) return one.kind;
  }
  return absl::InvalidArgumentError("kind: must be flat, graph, source or counts");
}

absl::StatusOr<bool> Switch(const ApiCall& call, const std::string& name) {
  const absl::StatusOr<uint32_t> number = call.request.Number(name, 1);
  if (!number.ok()) return number.status();
  return *number == 1;
}

absl::StatusOr<ApiText> AnswerListing(const ApiCall& call) {
  v1::GetListingRequest request;
  request.set_project(call.project);
  request.set_run(call.run);
  request.set_target(call.Query("target"));
  request.set_format(call.Query("format"));
  request.set_image(call.Query("image"));
  const absl::StatusOr<v1::GetListingRequest::Kind> kind = KindOf(call);
  if (!kind.ok()) return kind.status();
  request.set_kind(*kind);
  if (*kind == v1::GetListingRequest::ANNOTATED_SOURCE && !call.may_read_source) {
    return absl::NotFoundError(kSourceIsClosed);
  }
  for (const auto& [name, set] : {std::pair("lines", &v1::GetListingRequest::set_by_line),
                                  std::pair("all_lines", &v1::GetListingRequest::set_all_lines),
                                  std::pair("brief", &v1::GetListingRequest::set_brief)}) {
    const absl::StatusOr<bool> is_on = Switch(call, name);
    if (!is_on.ok()) return is_on.status();
    (request.*set)(*is_on);
  }
  std::string type = kText;
  if (!request.format().empty()) {
    const absl::StatusOr<absl::string_view> of_format = TypeOfFormat(request.format());
    if (!of_format.ok()) return of_format.status();
    type = std::string(*of_format);
  }
  absl::StatusOr<std::string> text =
      ListingText(call.store().reading, call.store().blobs, call.sources.read_source, request);
  if (!text.ok()) return text.status();
  return ApiText(*std::move(text), std::move(type));
}

}  // namespace

ApiRoute ListingRoute() {
  ApiRoute route = {
      "/projects/{project}/runs/{run}/listing",
      "What gprof prints of a target, or its profile for other programs",
      {{"target", "the target's label; needed where the run has several"},
       {"kind",
        "flat (-p; also without `kind`), graph (-q), source (-A: annotated, as far as the server "
        "can read it) or counts (-C)"},
       {"lines", "1: of lines, not of functions (-l)", true},
       {"all_lines", "1: in source, a block's count on each of its lines (-x)", true},
       {"brief", "1: without the explanations (-b)", true},
       {"format", absl::StrCat("in the place of text: ", absl::StrJoin(ImageFormats(), ", "),
                               "; json has what `kind` source or counts list beside the profile")},
       {"image", "with a format: the build-id, where the target has several images"}},
      nullptr,
      {{"type", "string"}},
      AnswerListing,
  };
  route.types = {kText, "application/json", "application/octet-stream"};
  return route;
}

}  // namespace gprofhub::cli
