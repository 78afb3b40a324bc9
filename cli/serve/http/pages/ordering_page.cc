#include "cli/serve/http/pages/ordering_page.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "analyzer/linker_files/symbol_file.h"
#include "base/decoding/budget.h"
#include "base/public_message.h"
#include "cli/serve/http/data/ordered_pages.h"
#include "cli/serve/texts/served_ordering.h"
#include "page/views/target/ordering.h"
#include "profile/names/demangle.h"

namespace gprofhub::cli {
namespace {

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
  const absl::StatusOr<std::vector<store::RunRecord>> runs = EarlierRuns(call, subject.found.run);
  if (!runs.ok()) return runs.status();
  std::vector<const store::RunRecord*> tried = {&subject.found.run};
  std::vector<std::vector<std::string>> orders = {analyzer::ParseSymbolFile(page.text)};
  for (const size_t age : kAges) {
    if (age > runs->size()) break;
    const store::RunRecord& run = (*runs)[age - 1];
    const absl::StatusOr<std::string> text =
        ReadOrder(call, absl::StrCat(run.id), subject.place.target);
    if (!text.ok()) continue;  // it had no such target, or is not analysed
    tried.push_back(&run);
    orders.push_back(analyzer::ParseSymbolFile(*text));
  }
  if (tried.size() == 1) return absl::NotFoundError("No run before this one has an order.");
  const absl::StatusOr<std::vector<uint64_t>> pages =
      CountPagesInOrders(call.store(), subject.found, profile, orders);
  if (!pages.ok()) return pages.status();
  for (size_t i = 0; i < tried.size(); ++i) {
    page.drift.push_back({absl::StrCat(tried[i]->id), tried[i]->commit,
                          absl::ToUnixMillis(tried[i]->ordered), (*pages)[i]});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PageAnswer> OrderingPage(const PageCall& call, const Subject& subject) {
  absl::StatusOr<std::string> text = ReadOrder(call, subject.place.run, subject.place.target);
  if (!text.ok()) return text.status();
  const absl::StatusOr<KeptProfile> profile = ReadComputed(call.store(), subject.found);
  if (!profile.ok()) return profile.status();
  page::OrderingPage page;
  page.text = *std::move(text);
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

}  // namespace gprofhub::cli
