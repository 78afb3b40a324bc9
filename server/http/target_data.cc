#include "server/http/target_data.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "analyzer/ordering/replay.h"
#include "base/hash.h"
#include "base/memory_budget.h"
#include "base/status_macros.h"
#include "page/stack_tree.h"
#include "reporter/queries/runs.h"
#include "server/queries/served_listing.h"

namespace gprofhub::server {

namespace {

// 50,000 frames are as much as a browser draws.
constexpr double kLeastShare = 0.00002;
constexpr size_t kMostCosts = 200;

// Names all that the target left.
absl::StatusOr<std::string> NameOfData(const PageStore& store, const TargetOfRun& target) {
  ASSIGN_OR_RETURN(const store::TargetData data,
                   store.reading.ReadTargetData(target.run.id, target.target.label));
  std::string names;
  for (const store::TargetData::Profile& one : data.profiles) {
    absl::StrAppend(&names, one.execution.run_number, ".", one.execution.shard, " ",
                    one.profile.build_id, " ", one.profile.data, " ", one.bundle, "\n");
  }
  return base::Sha256Hex(names);
}

struct FoldedStacks {
  std::string text;  // "outermost;…;innermost VALUE", in millionths of a second
  bool is_measured = false;
  uint32_t repetitions = 1;
};

// Of all images together.
absl::StatusOr<FoldedStacks> FoldStacks(const PageStore& store, const TargetOfRun& target) {
  ASSIGN_OR_RETURN(const KeptProfile computed, ReadComputed(store, target));
  ASSIGN_OR_RETURN(const analyzer::TargetImages images, ReadImages(store, target));
  FoldedStacks stacks;
  BoundedText text(store.blobs.decoding());
  stacks.repetitions = computed->repetitions;
  v1::GetListingRequest request;
  request.set_format("folded");
  for (const auto& [build_id, image] : images) {
    stacks.is_measured |= !image.sum.stacks.empty();
    RETURN_IF_ERROR(AppendExport(image, request, store.blobs.decoding(), text));
  }
  ASSIGN_OR_RETURN(std::string whole, text.Take());
  stacks.text = std::move(whole);
  return stacks;
}

// A name that is one everywhere: of the target and, if there are several, the image.
std::string FileName(const TargetOfRun& target, const analyzer::TargetImage& image, bool several,
                     absl::string_view ending) {
  std::string stem = absl::StrCat("run-", target.run.id, target.target.label,
                                  several ? absl::StrCat("-", image.symbols.image_name) : "");
  for (char& c : stem) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (!is_plain) c = '-';
  }
  return absl::StrCat(stem, ".", ending);
}

// The share of the samples that are not in the image.
double ShareElsewhere(const profile::RawProfile& profile) {
  double inside = 0, elsewhere = 0;
  for (const profile::Histogram& histogram : profile.histograms) {
    for (const uint64_t bin : histogram.bins) inside += static_cast<double>(bin);
  }
  for (const uint64_t samples : profile::SamplesInOthers(profile)) {
    elsewhere += static_cast<double>(samples);
  }
  return elsewhere > 0 ? elsewhere / (inside + elsewhere) : 0;
}

}  // namespace

absl::StatusOr<TargetOfRun> FindTargetOfRun(const PageStore& store, absl::string_view project,
                                            absl::string_view run, absl::string_view target) {
  ASSIGN_OR_RETURN(store::RunRecord found, reporter::FindRun(store.reading, project, run));
  ASSIGN_OR_RETURN(store::TargetRecord of_it, reporter::FindTarget(store.reading, found, target));
  return TargetOfRun{std::move(found), std::move(of_it)};
}

absl::StatusOr<KeptProfile> ReadComputed(const PageStore& store, const TargetOfRun& target) {
  if (target.target.computed.empty()) {
    return absl::FailedPreconditionError(
        target.target.error.empty()
            ? absl::StrCat(target.target.label, " is not analysed yet; try again later")
            : absl::StrCat(target.target.label, " could not be analysed: ", target.target.error));
  }
  return reporter::FindTargetProfile(store.blobs, target.target, &store.memory->queries);
}

absl::StatusOr<analyzer::TargetImages> ReadImages(const PageStore& store,
                                                  const TargetOfRun& target) {
  RETURN_IF_ERROR(reporter::CheckCounted(target.run));
  ASSIGN_OR_RETURN(const store::TargetData data,
                   store.reading.ReadTargetData(target.run.id, target.target.label));
  absl::StatusOr<analyzer::TargetImages> images = analyzer::ReadTargetImages(
      [&store](const store::BlobName& name) { return store.blobs.Read(name); }, data,
      /*stopping=*/[] { return false; }, store.blobs.decoding());
  if (images.ok() && images->empty()) {
    return absl::NotFoundError(
        absl::StrCat("target: ", target.target.label, " has no profile in run ", target.run.id));
  }
  return images;
}

absl::StatusOr<std::shared_ptr<const FlameGraph>> ReadFlameGraph(const PageStore& store,
                                                                 const TargetOfRun& target,
                                                                 const TargetOfRun* base) {
  ASSIGN_OR_RETURN(std::string name, NameOfData(store, target));
  if (base != nullptr) {
    ASSIGN_OR_RETURN(const std::string of_base, NameOfData(store, *base));
    absl::StrAppend(&name, " ", of_base);
  }
  return store.memory->flames.Get(name, [&]() -> absl::StatusOr<FlameGraph> {
    ASSIGN_OR_RETURN(const FoldedStacks after, FoldStacks(store, target));
    FoldedStacks before;
    if (base != nullptr) {
      ASSIGN_OR_RETURN(FoldedStacks stacks, FoldStacks(store, *base));
      before = std::move(stacks);
    }
    const double scale = static_cast<double>(after.repetitions) / before.repetitions;
    ASSIGN_OR_RETURN(
        const page::StackNode tree,
        page::StackTree(before.text, after.text, scale, kLeastShare, store.blobs.decoding()));
    return FlameGraph{after.is_measured, after.repetitions, page::CostsOf(tree, kMostCosts),
                      page::StackTreeJson(tree)};
  });
}

absl::StatusOr<std::vector<ListedFile>> ListFiles(const PageStore& store,
                                                  const TargetOfRun& target) {
  ASSIGN_OR_RETURN(const analyzer::TargetImages images, ReadImages(store, target));
  std::vector<ListedFile> files;
  for (const analyzer::ExportFormat& format : analyzer::DownloadFormats()) {
    for (const auto& [build_id, image] : images) {
      files.push_back({format, images.size() > 1 ? build_id : "",
                       FileName(target, image, images.size() > 1, format.extension),
                       format.write == nullptr ? ShareElsewhere(image.sum) : 0});
    }
  }
  return files;
}

absl::StatusOr<ImageFile> MakeImageFile(const PageStore& store, const TargetOfRun& target,
                                        absl::string_view format, absl::string_view image) {
  ASSIGN_OR_RETURN(const analyzer::ExportFormat known,
                   analyzer::FindFormat(analyzer::DownloadFormats(), format));
  ASSIGN_OR_RETURN(const analyzer::TargetImages images, ReadImages(store, target));
  auto found = image.empty() ? images.begin() : images.find(std::string(image));
  if (found == images.end() || (image.empty() && images.size() > 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("image: the target has ", images.size(), " images; specify one of them"));
  }
  ImageFile file = {FileName(target, found->second, images.size() > 1, known.extension),
                    std::string(known.media_type), ""};
  v1::GetListingRequest request;
  request.set_format(std::string(format));
  BoundedText text(store.blobs.decoding());
  RETURN_IF_ERROR(AppendExport(found->second, request, store.blobs.decoding(), text));
  ASSIGN_OR_RETURN(std::string whole, text.Take());
  file.contents = std::move(whole);
  return file;
}

namespace {

constexpr size_t kMostMoved = 100;

// Calls of the functions that ran, by linkage name.
using Ran = absl::flat_hash_map<absl::string_view, uint64_t>;

Ran FunctionsThatRan(const profile::ComputedProfile& profile) {
  Ran ran;
  for (const profile::FunctionCost& function : profile.functions) {
    const uint64_t calls = function.calls + function.self_calls;
    if (calls > 0 || function.self_samples > 0) ran[profile.strings[function.name]] += calls;
  }
  return ran;
}

uint64_t ReplayMemoryOf(const profile::SymbolTable& program, const Ran& ran) {
  // The trace's address, with the slack of a growing vector, and the replayer's block of it.
  constexpr uint64_t kOfEntry = 2 * sizeof(uint64_t) + sizeof(uint32_t);
  // Its function and its line; its share of a page, which two caches keep a list of.
  constexpr uint64_t kOfBlock = 2 * sizeof(uint32_t) + 1;
  constexpr uint64_t kOfFunction = 256;  // in addition to its name, which is there twice
  // More than any program has, and sums of it do not overflow.
  constexpr uint64_t kMostOfFunction = uint64_t{1} << 36;
  uint64_t bytes = 0;
  for (const profile::FunctionSymbol& function : program.functions) {
    const uint64_t blocks = std::min(function.size, kMostOfFunction) / analyzer::kTraceBlock + 1;
    bytes += kOfFunction + 2 * function.name.size() + blocks * kOfBlock;
    if (ran.contains(function.name)) bytes += blocks * kOfEntry;
  }
  return bytes;
}

// A run of the program in which each function that ran does so once, as a whole.
analyzer::InstructionTrace TraceOf(const profile::SymbolTable& program, const Ran& ran) {
  analyzer::InstructionTrace trace;
  trace.build_id = program.build_id;
  for (const profile::FunctionSymbol& function : program.functions) {
    if (!ran.contains(function.name)) continue;
    for (uint64_t at = 0; at < function.size; at += analyzer::kTraceBlock) {
      trace.entries.push_back(function.address + at);
    }
  }
  return trace;
}

std::vector<bool> PagesThatRan(const analyzer::Replayed& replayed) {
  std::vector<bool> pages;
  for (const analyzer::PageTouch touch : replayed.pages) {
    pages.push_back(touch != analyzer::PageTouch::kNever);
  }
  return pages;
}

std::vector<MovedFunction> MovedFunctions(const profile::SymbolTable& program, const Ran& ran,
                                          absl::Span<const std::string> order) {
  absl::flat_hash_map<absl::string_view, uint32_t> now;
  uint32_t place = 0;
  for (const profile::FunctionSymbol& function : program.functions) {
    if (function.is_function) now.emplace(function.name, ++place);
  }
  std::vector<MovedFunction> moved;
  for (const std::string& name : order) {
    const auto at = now.find(name);
    const auto calls = ran.find(name);
    if (at == now.end() || calls == ran.end()) continue;
    moved.push_back({name, calls->second, at->second, static_cast<uint32_t>(moved.size()) + 1});
    if (moved.size() == kMostMoved) break;
  }
  return moved;
}

}  // namespace

uint64_t ReplayMemory(const profile::SymbolTable& program,
                      const profile::ComputedProfile& profile) {
  return ReplayMemoryOf(program, FunctionsThatRan(profile));
}

absl::StatusOr<std::vector<OrderedPages>> PagesInOrder(const PageStore& store,
                                                       const TargetOfRun& target,
                                                       const profile::ComputedProfile& profile,
                                                       absl::Span<const std::string> order) {
  ASSIGN_OR_RETURN(const analyzer::TargetImages images, ReadImages(store, target));
  const Ran ran = FunctionsThatRan(profile);
  std::vector<OrderedPages> all;
  for (const auto& [build_id, image] : images) {
    RETURN_IF_ERROR(store.blobs.decoding().Take(ReplayMemoryOf(image.symbols, ran)).status());
    const absl::StatusOr<analyzer::Replayer> replayer =
        analyzer::Replayer::Create(image.symbols, TraceOf(image.symbols, ran));
    if (!replayer.ok()) continue;  // nothing of it ran
    OrderedPages pages;
    pages.image = image.symbols.image_name;
    pages.moved = MovedFunctions(image.symbols, ran, order);
    if (pages.moved.empty()) continue;
    pages.as_linked = PagesThatRan(replayer->Replay({}));
    pages.in_order = PagesThatRan(replayer->Replay(order));
    all.push_back(std::move(pages));
  }
  return all;
}

absl::StatusOr<std::vector<uint64_t>> CountPagesInOrders(
    const PageStore& store, const TargetOfRun& target, const profile::ComputedProfile& profile,
    absl::Span<const std::vector<std::string>> orders) {
  ASSIGN_OR_RETURN(const analyzer::TargetImages images, ReadImages(store, target));
  const Ran ran = FunctionsThatRan(profile);
  std::vector<uint64_t> counts(orders.size(), 0);
  for (const auto& [build_id, image] : images) {
    RETURN_IF_ERROR(store.blobs.decoding().Take(ReplayMemoryOf(image.symbols, ran)).status());
    const absl::StatusOr<analyzer::Replayer> replayer =
        analyzer::Replayer::Create(image.symbols, TraceOf(image.symbols, ran));
    if (!replayer.ok()) continue;
    for (size_t i = 0; i < orders.size(); ++i) {
      RETURN_IF_ERROR(store.blobs.decoding().CheckWanted());
      counts[i] += replayer->Replay(orders[i]).metrics.pages;
    }
  }
  return counts;
}

}  // namespace gprofhub::server
