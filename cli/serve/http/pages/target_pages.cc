#include "cli/serve/http/pages/target_pages.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/percent_coding.h"
#include "base/public_message.h"
#include "cli/serve/http/assets/assets.h"
#include "cli/serve/http/data/target_data.h"
#include "cli/serve/http/pages/ordering_page.h"
#include "cli/serve/texts/served_listing.h"
#include "page/graph/call_graph.h"
#include "page/views/addresses.h"
#include "page/views/target/call_graph.h"
#include "page/views/target/drawn_graph.h"
#include "page/views/target/flame.h"
#include "page/views/target/listing.h"
#include "page/views/target/target.h"
#include "proto/query.pb.h"

namespace gprofhub::cli {
namespace {

constexpr uint32_t kDrawnNodes = 50;
constexpr uint32_t kMostDrawnNodes = 200;

absl::StatusOr<PageAnswer> CallGraphPage(const PageCall& call, const Subject& subject) {
  const absl::StatusOr<KeptProfile> profile = ReadComputed(call.store(), subject.found);
  if (!profile.ok()) return profile.status();
  page::GraphQuery query;
  query.part = call.request.Query("q");
  if (const std::string& name = call.request.Query("function"); !name.empty()) {
    query.function = page::FindFunction(**profile, name);
    if (!query.function.has_value()) query.part = name;
  }
  return ShowTarget(call, subject, "Call graph", "",
                    page::CallGraphView(call.context, subject.place, **profile, query));
}

absl::StatusOr<PageAnswer> DrawnGraphPage(const PageCall& call, const Subject& subject) {
  const absl::StatusOr<uint32_t> asked = call.request.Number("nodes", kMostDrawnNodes);
  if (!asked.ok()) return asked.status();
  const uint32_t nodes = *asked == 0 ? kDrawnNodes : *asked;
  const absl::StatusOr<KeptProfile> profile = ReadComputed(call.store(), subject.found);
  if (!profile.ok()) return profile.status();
  PageAnswer answer = ShowTarget(call, subject, "Drawn call graph", "graph",
                                 page::DrawnGraphView(call.context, subject.place,
                                                      page::HottestGraph(**profile, nodes), nodes));
  answer.needs = PageAnswer::Needs::kWasm;
  return answer;
}

absl::StatusOr<PageAnswer> FlamePage(const PageCall& call, const Subject& subject) {
  page::FlamePage flame;
  std::optional<TargetOfRun> base;
  if (const std::string& asked = call.request.Query("base"); !asked.empty()) {
    absl::StatusOr<TargetOfRun> found =
        FindTargetOfRun(call.store(), call.context.project, asked, subject.place.target);
    if (!found.ok()) return found.status();
    base = *std::move(found);
    flame.base = absl::StrCat(base->run.id);
  }
  const auto graph =
      ReadFlameGraph(call.store(), subject.found, base.has_value() ? &*base : nullptr);
  if (!graph.ok()) return graph.status();
  flame.is_measured = (*graph)->is_measured;
  flame.unit = 1e6 * (*graph)->repetitions;
  flame.costs = (*graph)->costs;
  return ShowTarget(call, subject, "Flame graph", "flame",
                    page::FlameView(call.context, subject.place, flame));
}

// The listings by their names in addresses, which are those of gprof's options.
struct NamedListing {
  absl::string_view name, words;
  v1::GetListingRequest::Kind kind;
  bool by_line = false, all_lines = false;
};
constexpr NamedListing kListings[] = {
    {"flat", "Flat profile (-p)", v1::GetListingRequest::FLAT},
    {"graph", "Call graph (-q)", v1::GetListingRequest::CALL_GRAPH},
    {"lines", "Line by line (-p -l)", v1::GetListingRequest::FLAT, true},
    {"lines-graph", "Calls by line (-q -l)", v1::GetListingRequest::CALL_GRAPH, true},
    {"source", "Annotated source (-A)", v1::GetListingRequest::ANNOTATED_SOURCE},
    {"source-all", "All lines (-A -l -x)", v1::GetListingRequest::ANNOTATED_SOURCE, true, true},
    {"counts", "Execution counts (-C)", v1::GetListingRequest::EXECUTION_COUNTS},
    {"lines-counts", "Counts of blocks (-C -l)", v1::GetListingRequest::EXECUTION_COUNTS, true},
};

absl::StatusOr<PageAnswer> ListingPage(const PageCall& call, const Subject& subject) {
  const std::string& asked = call.request.Query("kind");
  std::vector<page::ListingChoice> choices;
  const NamedListing* chosen = nullptr;
  for (const NamedListing& one : kListings) {
    choices.push_back({std::string(one.name), std::string(one.words)});
    if (one.name == (asked.empty() ? "flat" : asked)) chosen = &one;
  }
  if (chosen == nullptr) {
    return absl::InvalidArgumentError("kind: there is no such listing");
  }
  v1::GetListingRequest request;
  request.set_project(call.context.project);
  request.set_run(subject.place.run);
  request.set_target(subject.place.target);
  request.set_kind(chosen->kind);
  request.set_by_line(chosen->by_line);
  request.set_all_lines(chosen->all_lines);
  request.set_brief(true);
  const bool is_closed = chosen->kind == v1::GetListingRequest::ANNOTATED_SOURCE &&
                         !call.visits.PermitSource(call.visitor, call.context.project).ok();
  const absl::StatusOr<std::string> text =
      is_closed ? absl::NotFoundError(kSourceIsClosed)
                : ListingText(call.store().reading, call.store().blobs, call.sources.read_source,
                              request);
  // A page without the source has links to the other listings, and names the missing file.
  const bool is_missing = (absl::IsNotFound(text.status()) || absl::IsUnavailable(text.status())) &&
                          chosen->kind == v1::GetListingRequest::ANNOTATED_SOURCE;
  if (!text.ok() && !is_missing) return text.status();
  return ShowTarget(
      call, subject, "Listing", "",
      page::ListingView(call.context, subject.place, std::string(chosen->name), choices,
                        is_missing ? base::PublicMessageOf(text.status()) : *text));
}

// Purpose of a file format.
absl::string_view UseOf(absl::string_view format) {
  static constexpr std::pair<absl::string_view, absl::string_view> kUses[] = {
      {"gmon", "gprof and gprofhub gprof: all executions in one file"},
      {"pprof", "pprof"},
      {"callgrind", "KCachegrind and callgrind_annotate"},
      {"folded", "flame graph programs"},
      {"json", "your own programs (docs/gprof-json.md)"},
      {"speedscope", "speedscope"}};
  for (const auto& [name, use] : kUses) {
    if (name == format) return use;
  }
  return "";
}

absl::StatusOr<PageAnswer> DownloadPage(const PageCall& call, const Subject& subject) {
  if (const std::string& format = call.request.Query("format"); !format.empty()) {
    absl::StatusOr<ImageFile> file =
        MakeImageFile(call.store(), subject.found, format, call.request.Query("image"));
    if (!file.ok()) return file.status();
    PageAnswer answer;
    answer.type = file->type;
    answer.body = std::move(file->contents);
    answer.headers.emplace_back("Content-Disposition",
                                absl::StrCat("attachment; filename=\"", file->name, "\""));
    return answer;
  }
  const absl::StatusOr<std::vector<ListedFile>> files = ListFiles(call.store(), subject.found);
  if (!files.ok()) return files.status();
  std::vector<page::Download> downloads;
  for (const ListedFile& file : *files) {
    downloads.push_back(
        {std::string(file.format), std::string(UseOf(file.format)), file.name, file.image});
  }
  return ShowTarget(call, subject, "Files", "",
                    page::DownloadView(call.context, subject.place, downloads));
}

// speedscope's own page, which reads the profile that its address names.
absl::StatusOr<PageAnswer> SpeedscopePage(const PageCall& call, const Subject& subject) {
  const page::Url profile =
      page::TargetUrl(call.context.project, subject.place.run, "download", subject.place.target)
          .With("format", "speedscope");
  PageAnswer answer = GoTo(page::Url::Path({"assets", AssetsVersion(), "speedscope.html"}));
  answer.headers.back().second +=
      absl::StrCat("#profileURL=", base::PercentEncoded(profile.text()));
  return answer;
}

struct NamedPage {
  absl::string_view name;
  absl::StatusOr<PageAnswer> (*make)(const PageCall& call, const Subject& subject);
};
constexpr NamedPage kPages[] = {
    {"graph", CallGraphPage},       {"drawn", DrawnGraphPage},  {"flame", FlamePage},
    {"listing", ListingPage},       {"ordering", OrderingPage}, {"download", DownloadPage},
    {"speedscope", SpeedscopePage},
};

}  // namespace

absl::StatusOr<PageAnswer> TargetPage(PageCall& call) {
  for (const NamedPage& page : kPages) {
    if (page.name != call.request.path[4]) continue;
    absl::StatusOr<TargetOfRun> target = FindTargetOfRun(
        call.store(), call.context.project, call.request.path[3], call.request.Query("target"));
    if (!target.ok()) return target.status();
    page::TargetPlace place = {absl::StrCat(target->run.id), target->run.commit,
                               target->target.label};
    return page.make(call, {*std::move(target), std::move(place)});
  }
  return NoSuchPage();
}

}  // namespace gprofhub::cli
