#include "server/http/target_pages.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "analyzer/ordering/linker_files.h"
#include "base/http/percent_coding.h"
#include "base/memory_budget.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "page/call_graph.h"
#include "page/views/shell.h"
#include "page/views/target.h"
#include "page/views/views.h"
#include "profile/demangle.h"
#include "proto/query.pb.h"
#include "reporter/findings/text.h"
#include "server/http/function_page.h"
#include "server/http/target_data.h"
#include "server/queries/served_listing.h"

namespace gprofhub::server {

PageAnswer ShowTarget(const PageCall& call, const Subject& subject, const std::string& title,
                      const std::string& script, const page::Html& content) {
  page::Frame frame = {absl::StrCat(title, " of ", subject.place.target), "runs"};
  frame.way.emplace_back(absl::StrCat("Run ", subject.place.run),
                         page::RunUrl(call.context.project, subject.place.run));
  frame.script = script;
  return Show(call, frame, content);
}

namespace {

// The functions of a target in link order.

absl::StatusOr<PageAnswer> OrderingPage(const PageCall& call, const Subject& subject);

// Ages in runs of the main line, as far as it has that number of runs.
constexpr size_t kAges[] = {1, 5, 20, 50};

absl::StatusOr<std::string> ReadOrder(const PageCall& call, const std::string& run,
                                      const std::string& target) {
  v1::GetOrderingRequest request;
  request.set_project(call.context.project);
  request.set_run(run);
  request.set_target(target);
  return OrderingText(call.store().reading, call.store().blobs, request);
}

// Runs of the main line before this one, of the same configuration.
absl::StatusOr<std::vector<store::RunRecord>> EarlierRuns(const PageCall& call,
                                                          const store::RunRecord& run) {
  store::RunFilter filter;
  filter.project = call.context.project;
  filter.configuration = run.configuration;
  filter.mainline_only = true;
  filter.counted_only = true;
  filter.analysed_only = true;
  filter.until = run.ordered;
  filter.limit = static_cast<uint32_t>(kAges[std::size(kAges) - 1]) + 1;
  absl::StatusOr<std::vector<store::RunRecord>> runs = call.store().reading.ListRuns(filter);
  if (runs.ok()) {
    std::erase_if(*runs, [&](const store::RunRecord& one) { return one.id == run.id; });
  }
  return runs;
}

absl::Status AddDrift(const PageCall& call, const Subject& subject,
                      const profile::ComputedProfile& profile, page::OrderingPage& page) {
  ASSIGN_OR_RETURN(const std::vector<store::RunRecord> runs, EarlierRuns(call, subject.found.run));
  std::vector<const store::RunRecord*> tried = {&subject.found.run};
  std::vector<std::vector<std::string>> orders = {analyzer::ParseSymbolFile(page.text)};
  for (const size_t age : kAges) {
    if (age > runs.size()) break;
    const store::RunRecord& run = runs[age - 1];
    const absl::StatusOr<std::string> text =
        ReadOrder(call, absl::StrCat(run.id), subject.place.target);
    if (!text.ok()) continue;  // it had no such target, or is not analysed
    tried.push_back(&run);
    orders.push_back(analyzer::ParseSymbolFile(*text));
  }
  if (tried.size() == 1) return absl::NotFoundError("No run before this one has an order.");
  ASSIGN_OR_RETURN(const std::vector<uint64_t> pages,
                   CountPagesInOrders(call.store(), subject.found, profile, orders));
  for (size_t i = 0; i < tried.size(); ++i) {
    page.drift.push_back({absl::StrCat(tried[i]->id), tried[i]->commit,
                          absl::ToUnixMillis(tried[i]->ordered), pages[i]});
  }
  return absl::OkStatus();
}

absl::StatusOr<PageAnswer> OrderingPage(const PageCall& call, const Subject& subject) {
  ASSIGN_OR_RETURN(std::string text, ReadOrder(call, subject.place.run, subject.place.target));
  const absl::StatusOr<KeptProfile> profile = ReadComputed(call.store(), subject.found);
  if (!profile.ok()) return profile.status();
  page::OrderingPage page;
  page.text = std::move(text);
  page.function = call.request.Query("function");
  // Without the images, for example of runs whose raw data was deleted, only the order is shown.
  absl::StatusOr<std::vector<OrderedPages>> images =
      PagesInOrder(call.store(), subject.found, **profile, analyzer::ParseSymbolFile(page.text));
  if (base::IsOfDecoding(images.status())) return images.status();
  if (!images.ok()) images = std::vector<OrderedPages>();
  for (OrderedPages& image : *images) {
    page::OrderingPage::Image& shown = page.images.emplace_back();
    shown.name = std::move(image.image);
    shown.as_linked = std::move(image.as_linked);
    shown.in_order = std::move(image.in_order);
    for (const MovedFunction& one : image.moved) {
      shown.moved.push_back({one.name, profile::Demangle(one.name),
                             static_cast<double>(one.calls) / (*profile)->repetitions,
                             one.place_now, one.place_then});
    }
  }
  if (!call.request.Query("drift").empty()) {
    const absl::Status status = AddDrift(call, subject, **profile, page);
    if (!status.ok()) page.drift_error = base::PublicMessageOf(status);
  }
  return ShowTarget(call, subject, "Ordering", "",
                    page::OrderingView(call.context, subject.place, page));
}

constexpr uint32_t kDrawnNodes = 20;
constexpr uint32_t kMostDrawnNodes = 200;

absl::StatusOr<PageAnswer> CallGraphPage(const PageCall& call, const Subject& subject) {
  ASSIGN_OR_RETURN(const KeptProfile profile, ReadComputed(call.store(), subject.found));
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
  ASSIGN_OR_RETURN(const uint32_t asked, call.request.Number("nodes", kMostDrawnNodes));
  const uint32_t nodes = asked == 0 ? kDrawnNodes : asked;
  ASSIGN_OR_RETURN(const KeptProfile profile, ReadComputed(call.store(), subject.found));
  PageAnswer answer = ShowTarget(call, subject, "Drawn call graph", "graph",
                                 page::DrawnGraphView(call.context, subject.place,
                                                      page::HottestGraph(*profile, nodes), nodes));
  answer.needs_wasm = true;
  return answer;
}

// The run's targets and the project's newest runs, with the two runs that are shown.
absl::Status AddChoices(const PageCall& call, const Subject& subject,
                        const std::optional<TargetOfRun>& base, page::FlamePage& flame) {
  ASSIGN_OR_RETURN(const std::vector<store::TargetRecord> targets,
                   call.store().reading.ListTargets(subject.found.run.id));
  for (const store::TargetRecord& target : targets) {
    if (!target.computed.empty()) flame.targets.push_back(target.label);
  }
  store::RunFilter filter;
  filter.project = call.context.project;
  filter.counted_only = true;
  ASSIGN_OR_RETURN(std::vector<store::RunRecord> runs, call.store().reading.ListRuns(filter));
  const auto add_missing = [&runs](const store::RunRecord& run) {
    const auto is_it = [&run](const store::RunRecord& one) { return one.id == run.id; };
    if (std::none_of(runs.begin(), runs.end(), is_it)) runs.push_back(run);
  };
  add_missing(subject.found.run);
  if (base.has_value()) add_missing(base->run);
  for (const store::RunRecord& run : runs) {
    const std::string of =
        run.pull_request.empty() ? run.branch : absl::StrCat("#", run.pull_request);
    flame.runs.emplace_back(
        absl::StrCat(run.id),
        absl::StrCat(run.id, " · ", page::ShortCommit(run.commit), of.empty() ? "" : " · ", of));
  }
  return absl::OkStatus();
}

absl::StatusOr<PageAnswer> FlamePage(const PageCall& call, const Subject& subject) {
  // The form's choice of a run, whose place is in the path.
  if (const std::string& run = call.request.Query("run");
      !run.empty() && run != subject.place.run) {
    return GoTo(call, page::TargetUrl(call.context.project, run, "flame", subject.place.target)
                          .With("base", call.request.Query("base")));
  }
  page::FlamePage flame;
  std::optional<TargetOfRun> base;
  if (const std::string& asked = call.request.Query("base"); !asked.empty()) {
    ASSIGN_OR_RETURN(TargetOfRun found, FindTargetOfRun(call.store(), call.context.project, asked,
                                                        subject.place.target));
    base = std::move(found);
    flame.base = absl::StrCat(base->run.id);
  }
  ASSIGN_OR_RETURN(const auto graph, ReadFlameGraph(call.store(), subject.found,
                                                    base.has_value() ? &*base : nullptr));
  flame.is_measured = graph->is_measured;
  flame.unit = 1e6 * graph->repetitions;
  flame.costs = graph->costs;
  RETURN_IF_ERROR(AddChoices(call, subject, base, flame));
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

absl::StatusOr<PageAnswer> DownloadPage(const PageCall& call, const Subject& subject) {
  if (const std::string& format = call.request.Query("format"); !format.empty()) {
    ASSIGN_OR_RETURN(ImageFile file, MakeImageFile(call.store(), subject.found, format,
                                                   call.request.Query("image")));
    PageAnswer answer;
    answer.type = file.type;
    answer.body = std::move(file.contents);
    answer.headers.emplace_back("Content-Disposition",
                                absl::StrCat("attachment; filename=\"", file.name, "\""));
    return answer;
  }
  ASSIGN_OR_RETURN(const std::vector<ListedFile> files, ListFiles(call.store(), subject.found));
  std::vector<page::Download> downloads;
  for (const ListedFile& file : files) {
    std::string words(file.format.description);
    if (file.left_out > 0) {
      absl::StrAppend(&words, "; without ", reporter::HumanShare(file.left_out),
                      " of the samples, which are in other objects");
    }
    downloads.push_back({std::string(file.format.name), std::move(words), file.name, file.image});
  }
  return ShowTarget(call, subject, "Files", "",
                    page::DownloadView(call.context, subject.place, downloads));
}

struct NamedPage {
  absl::string_view name;
  absl::StatusOr<PageAnswer> (*make)(const PageCall& call, const Subject& subject);
};
constexpr NamedPage kPages[] = {
    {"graph", CallGraphPage}, {"drawn", DrawnGraphPage},  {"flame", FlamePage},
    {"listing", ListingPage}, {"ordering", OrderingPage}, {"download", DownloadPage},
};

}  // namespace

absl::StatusOr<PageAnswer> TargetPage(PageCall& call) {
  for (const NamedPage& page : kPages) {
    if (page.name != call.request.path[4]) continue;
    ASSIGN_OR_RETURN(TargetOfRun target,
                     FindTargetOfRun(call.store(), call.context.project, call.request.path[3],
                                     call.request.Query("target")));
    page::TargetPlace place = {absl::StrCat(target.run.id), target.run.commit, target.target.label};
    return page.make(call, {std::move(target), std::move(place)});
  }
  return NoSuchPage();
}

}  // namespace gprofhub::server
