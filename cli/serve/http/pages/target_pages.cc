#include "cli/serve/http/pages/target_pages.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/percent_coding.h"
#include "cli/serve/http/assets/assets.h"
#include "cli/serve/http/data/target_data.h"
#include "cli/serve/http/pages/ordering_page.h"
#include "cli/serve/texts/analyzed_text.h"
#include "page/flame/stack_tree.h"
#include "page/graph/call_graph.h"
#include "page/views/addresses.h"
#include "page/views/call_graph.h"
#include "page/views/drawn_graph.h"
#include "page/views/flame.h"
#include "page/views/listing.h"
#include "page/views/target.h"

namespace gprofhub::cli {
namespace {

constexpr size_t kStackRows = 200;
constexpr uint32_t kDrawnNodes = 50;
constexpr uint32_t kMostDrawnNodes = 200;
// Frames that are less than this share of all are not in the table's tree.
constexpr double kLeastShare = 0.0005;

absl::StatusOr<PageAnswer> CallGraphPage(const PageCall& call, const Subject& subject) {
  const absl::StatusOr<profile::ComputedProfile> profile =
      ReadComputed(call.store(), subject.found);
  if (!profile.ok()) return profile.status();
  page::GraphQuery query;
  query.part = call.request.Query("q");
  if (const std::string& name = call.request.Query("function"); !name.empty()) {
    query.function = page::FindFunction(*profile, name);
    if (!query.function.has_value()) query.part = name;
  }
  return ShowTarget(call, subject, "Call graph", "",
                    page::CallGraphView(call.context, subject.place, *profile, query));
}

absl::StatusOr<PageAnswer> DrawnGraphPage(const PageCall& call, const Subject& subject) {
  const absl::StatusOr<uint32_t> asked = call.request.Number("nodes", kMostDrawnNodes);
  if (!asked.ok()) return asked.status();
  const uint32_t nodes = *asked == 0 ? kDrawnNodes : *asked;
  const absl::StatusOr<profile::ComputedProfile> profile =
      ReadComputed(call.store(), subject.found);
  if (!profile.ok()) return profile.status();
  PageAnswer answer = ShowTarget(call, subject, "Drawn call graph", "graph",
                                 page::DrawnGraphView(call.context, subject.place,
                                                      page::HottestGraph(*profile, nodes), nodes));
  answer.needs = PageAnswer::Needs::kWasm;
  return answer;
}

absl::StatusOr<PageAnswer> FlamePage(const PageCall& call, const Subject& subject) {
  page::FlamePage flame;
  const absl::StatusOr<FoldedStacks> after = ReadStacks(call.store(), subject.found);
  if (!after.ok()) return after.status();
  FoldedStacks before;
  if (const std::string& base = call.request.Query("base"); !base.empty()) {
    const absl::StatusOr<TargetOfRun> base_target =
        FindTargetOfRun(call.store(), call.context.project, base, subject.place.target);
    if (!base_target.ok()) return base_target.status();
    absl::StatusOr<FoldedStacks> stacks = ReadStacks(call.store(), *base_target);
    if (!stacks.ok()) return stacks.status();
    before = *std::move(stacks);
    flame.base = absl::StrCat(base_target->run.id);
  }
  const absl::StatusOr<page::StackNode> tree =
      page::StackTree(before.text, after->text,
                      static_cast<double>(after->repetitions) / before.repetitions, kLeastShare);
  if (!tree.ok()) return tree.status();
  flame.is_measured = after->is_measured;
  flame.unit = 1e6 * after->repetitions;
  flame.costs = page::CostsOf(*tree, kStackRows);
  return ShowTarget(call, subject, "Flame graph", "flame",
                    page::FlameView(call.context, subject.place, flame));
}

absl::StatusOr<PageAnswer> ListingPage(const PageCall& call, const Subject& subject) {
  const std::string& asked = call.request.Query("kind");
  const std::string kind = asked.empty() ? "flat" : asked;
  v1::GetListingRequest request;
  request.set_project(call.context.project);
  request.set_run(subject.place.run);
  request.set_target(subject.place.target);
  request.set_kind(kind == "graph" ? v1::GetListingRequest::CALL_GRAPH
                                   : v1::GetListingRequest::FLAT);
  if (kind != "flat" && kind != "graph" && kind != "lines") {
    return absl::InvalidArgumentError("kind: must be flat, graph or lines");
  }
  const absl::StatusOr<std::string> text =
      kind == "lines" ? LinesText(call.store(), subject.found)
                      : ListingText(call.store().reading, call.store().blobs, request);
  if (!text.ok()) return text.status();
  return ShowTarget(
      call, subject, "Listing", "",
      page::ListingView(
          call.context, subject.place, kind,
          {{"flat", "Flat profile"}, {"graph", "Call graph"}, {"lines", "Line by line (-l)"}},
          *text));
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
  static constexpr std::pair<absl::string_view, absl::string_view> kWords[] = {
      {"gmon", "gprof and gprofhub gprof: all executions in one file"},
      {"pprof", "pprof"},
      {"callgrind", "KCachegrind and callgrind_annotate"},
      {"folded", "flame graph programs"},
      {"json", "your own programs (docs/gprof-json.md)"},
      {"speedscope", "speedscope"}};
  std::vector<page::Download> downloads;
  for (const auto& [format, words] : kWords) {
    const absl::StatusOr<std::vector<ImageFile>> files =
        ListImages(call.store(), subject.found, format);
    if (!files.ok()) return files.status();
    for (const ImageFile& file : *files) {
      downloads.push_back({std::string(format), std::string(words), file.name,
                           files->size() > 1 ? file.image : ""});
    }
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
