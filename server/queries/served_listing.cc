#include "server/queries/served_listing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "analyzer/exports/call_paths.h"
#include "analyzer/exports/exports.h"
#include "analyzer/listing/annotated_source.h"
#include "analyzer/listing/prepare.h"
#include "analyzer/listing/rows.h"
#include "analyzer/listing/tables.h"
#include "analyzer/ordering/linker_files.h"
#include "analyzer/ordering/ordering_graph.h"
#include "analyzer/ordering/ordering_text.h"
#include "analyzer/worker/target_images.h"
#include "base/glob.h"
#include "base/lru_cache.h"
#include "base/memory_budget.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "reporter/queries/runs.h"

namespace gprofhub::server {

namespace {

// Listings of untrusted data in the server, in bounded memory.

// analyzer::PrepareListing of the image, which outlives it. Its memory stays charged to `decoding`,
// whose errors are returned.
absl::StatusOr<analyzer::ListingInput> PrepareBounded(const analyzer::TargetImage& image,
                                                      const analyzer::ListingOptions& options,
                                                      const base::Decoding& decoding);

// An error of `decoding` if the tables' text would be too long for it: each name is printed once
// for each of its calls, so it is found out before anything is printed.
absl::Status CheckTextFits(const analyzer::ListingInput& input, const base::Decoding& decoding);

// A row with its node, its names and its place in the orders; a call with its times.
constexpr uint64_t kRowBytes = 512;
constexpr uint64_t kArcBytes = 96;
// A frame of a stack, with room to grow and its place in the table of hidden frames.
constexpr uint64_t kFrameBytes = 3 * sizeof(analyzer::StackNode);
// A line of a table, without names.
constexpr uint64_t kLineBytes = 100;

absl::StatusOr<analyzer::ListingInput> PrepareBounded(const analyzer::TargetImage& image,
                                                      const analyzer::ListingOptions& options,
                                                      const base::Decoding& decoding) {
  const uint64_t rows =
      image.symbols.functions.size() + (options.rows.by_line ? image.symbols.lines.size() : 0);
  const uint64_t size =
      rows * kRowBytes + image.sum.arcs.size() * kArcBytes + image.sum.stacks.size() * kFrameBytes;
  ASSIGN_OR_RETURN(base::Reservation memory, decoding.Take(size));
  memory.Leave(size);
  return analyzer::PrepareListing(image.symbols, image.sum, options);
}

absl::Status CheckTextFits(const analyzer::ListingInput& input, const base::Decoding& decoding) {
  uint64_t size = 0;
  const auto line_of = [&](uint32_t node) {
    return kLineBytes + (node < input.names.by_row.size() ? input.names[node].size() : 0);
  };
  // Its own lines in both tables, and in the index.
  for (uint32_t row = 0; row < input.names.by_row.size(); ++row) size += 3 * line_of(row);
  for (const analyzer::GraphArc& arc : input.graph.arcs) {
    size += line_of(arc.caller) + line_of(arc.callee);
  }
  return decoding.Take(size).status();
}

}  // namespace

ReadSource KeepSources(
    std::function<absl::StatusOr<std::string>(const std::string& project, const std::string& commit,
                                              const std::string& path)>
        read,
    uint64_t most_bytes) {
  auto kept = std::make_shared<base::LruCache<std::string>>(
      most_bytes, [](const std::string& text) { return text.capacity(); });
  return [read = std::move(read), kept](const std::string& project, const std::string& commit,
                                        const std::string& path) {
    return kept->Get(absl::StrCat(project, " ", commit, " ", path),
                     [&] { return read(project, commit, path); });
  };
}

namespace {

using Request = v1::GetListingRequest;

// A listing with more is too long to read.
constexpr size_t kMostFiles = 50;

// The source files of one listing, as far as they can be had.
class SourceFiles {
 public:
  SourceFiles(const ReadSource& read, std::string project, std::string commit,
              const base::Decoding& decoding)
      : read_(read),
        project_(std::move(project)),
        commit_(std::move(commit)),
        decoding_(decoding) {}

  // Null: it cannot be had.
  const std::string* Find(const std::string& path) {
    const auto [found, is_new] = texts_.emplace(path, nullptr);
    if (is_new) found->second = Read(path);
    return found->second.get();
  }

  // As gprof counts them.
  std::optional<uint32_t> Lines(const std::string& path) {
    const std::string* const text = Find(path);
    if (text == nullptr) return std::nullopt;
    const bool ends_within_a_line = !text->empty() && text->back() != '\n';
    return static_cast<uint32_t>(std::count(text->begin(), text->end(), '\n') + ends_within_a_line);
  }

  // OK if there is a file, or none was requested.
  absl::Status Check() const {
    if (has_any_ || problem_.ok()) return absl::OkStatus();
    return absl::Status(problem_.code(), absl::StrCat("No source of commit ", commit_,
                                                      " can be read: ", problem_.message()));
  }

 private:
  SourceText Read(const std::string& path) {
    // An unavailable server is not queried again for further files.
    if (texts_.size() > kMostFiles || absl::IsUnavailable(problem_)) return nullptr;
    if (problem_ = decoding_.CheckWanted(); !problem_.ok()) return nullptr;
    absl::StatusOr<SourceText> text = read_(project_, commit_, path);
    if (!text.ok()) {
      problem_ = absl::IsUnavailable(text.status()) ? text.status()
                                                    : absl::NotFoundError(text.status().message());
      return nullptr;
    }
    has_any_ = true;
    return *std::move(text);
  }

  const ReadSource& read_;
  const std::string project_, commit_;
  const base::Decoding decoding_;
  std::map<std::string, SourceText> texts_;
  bool has_any_ = false;
  absl::Status problem_;  // the last one
};

absl::Status CheckRequest(const Request& request, const ReadSource& read_source) {
  if (request.format().empty() &&
      (request.kind() < Request::FLAT || request.kind() > Request::EXECUTION_COUNTS)) {
    return absl::InvalidArgumentError(
        "kind: must be FLAT, CALL_GRAPH, ANNOTATED_SOURCE or EXECUTION_COUNTS");
  }
  if (request.format().empty() && request.kind() == Request::ANNOTATED_SOURCE &&
      read_source == nullptr) {
    return absl::NotFoundError(
        "no source is configured for the project; start the server with --forge and credentials, "
        "or with --source-checkout PROJECT=FOLDER");
  }
  return absl::OkStatus();
}

analyzer::ListingOptions OptionsOf(const Request& request) {
  analyzer::ListingOptions options = ServedOptions();
  options.tables = {.flat = request.kind() == Request::FLAT,
                    .graph = request.kind() == Request::CALL_GRAPH};
  options.explain = !request.brief();
  options.rows.by_line = request.by_line();
  return options;
}

void AppendSources(const analyzer::ListingInput& input, const analyzer::BlockCounts& blocks,
                   bool all_lines, SourceFiles& files, analyzer::Pages& pages) {
  analyzer::AnnotationOptions options;
  options.all_lines = all_lines;
  bool is_first = true;
  analyzer::AnnotateSources(
      input, blocks, options, [&files](const std::string& path) { return files.Lines(path); },
      [&](analyzer::SourceAnnotation annotation) {
        if (!is_first) pages.sink()("\n");
        is_first = false;
        pages.Begin();
        pages.sink()(absl::StrCat("*** File ", annotation.path, ":\n"));
        pages.sink()(analyzer::PrintAnnotatedSource(annotation, *files.Find(annotation.path)));
      });
}

// The listing of one image, whose names become printable.
absl::Status AppendListing(analyzer::TargetImage& image, const Request& request, SourceFiles& files,
                           const base::Decoding& decoding, BoundedText& text) {
  RETURN_IF_ERROR(MakeNamesPrintable(image.symbols, decoding));
  analyzer::ListingOptions options = OptionsOf(request);
  options.name_aliases = true;
  ASSIGN_OR_RETURN(const analyzer::ListingInput input, PrepareBounded(image, options, decoding));
  RETURN_IF_ERROR(CheckTextFits(input, decoding));
  const auto sink = [&text](absl::string_view piece) { text.Append(piece); };
  analyzer::Pages pages(sink);
  analyzer::PrintTables(input, options, pages);
  const analyzer::BlockCounts blocks = analyzer::AssignBlocks(input, image.sum.blocks);
  if (request.kind() == Request::EXECUTION_COUNTS) {
    text.Append(analyzer::PrintExecutionCounts(input, options, blocks));
  }
  if (request.kind() == Request::ANNOTATED_SOURCE) {
    AppendSources(input, blocks, request.all_lines(), files, pages);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ExportOf(const analyzer::TargetImages& images, const Request& request,
                                     const base::Decoding& decoding) {
  auto image = request.image().empty() ? images.begin() : images.find(request.image());
  if (image == images.end() || (request.image().empty() && images.size() > 1)) {
    const auto name = [](std::string* out, const auto& one) {
      absl::StrAppend(out, one.first, " (", base::Printable(one.second.symbols.image_name), ")");
    };
    return absl::InvalidArgumentError(
        absl::StrCat("image: must be one of ", absl::StrJoin(images, ", ", name)));
  }
  BoundedText text(decoding);
  RETURN_IF_ERROR(AppendExport(image->second, request, decoding, text));
  return text.Take();
}

// Data that only JSON has in addition to the profile.
analyzer::FurtherListings FurtherOf(const analyzer::ListingInput& input,
                                    const analyzer::ListingOptions& options,
                                    const analyzer::TargetImage& image, const Request& request) {
  analyzer::FurtherListings further;
  const analyzer::BlockCounts blocks = analyzer::AssignBlocks(input, image.sum.blocks);
  if (request.kind() == Request::ANNOTATED_SOURCE) {
    analyzer::AnnotationOptions annotation;
    annotation.all_lines = request.all_lines();
    further.sources.emplace();
    analyzer::AnnotateSources(
        input, blocks, annotation,
        [](const std::string&) { return std::numeric_limits<uint32_t>::max(); },
        [&](analyzer::SourceAnnotation one) { further.sources->push_back(std::move(one)); });
  }
  if (request.kind() == Request::EXECUTION_COUNTS) {
    further.executions = analyzer::CountExecutions(input, options, blocks);
  }
  return further;
}

}  // namespace

analyzer::ListingOptions ServedOptions() {
  analyzer::ListingOptions options;
  options.rows.policy = analyzer::SymbolPolicy::kExact;
  return options;
}

absl::Status MakeNamesPrintable(profile::SymbolTable& symbols, const base::Decoding& decoding) {
  base::GrowingMemory memory(decoding);
  uint64_t made = 0;
  for (profile::FunctionSymbol& function : symbols.functions) {
    std::string name = base::Printable(function.name);
    if (name == function.name) continue;
    made += name.size();
    RETURN_IF_ERROR(memory.GrowTo(made));
    function.name = std::move(name);
  }
  for (std::string& file : symbols.files) {
    std::string name = base::Printable(file);
    if (name == file) continue;
    made += name.size();
    RETURN_IF_ERROR(memory.GrowTo(made));
    file = std::move(name);
  }
  return absl::OkStatus();
}

absl::Status AppendExport(const analyzer::TargetImage& image, const Request& request,
                          const base::Decoding& decoding, BoundedText& text) {
  const absl::StatusOr<analyzer::ExportFormat> format =
      analyzer::FindFormat(analyzer::DownloadFormats(), request.format());
  if (!format.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("format: ", format.status().message()));
  }
  const bool is_further =
      request.kind() == Request::ANNOTATED_SOURCE || request.kind() == Request::EXECUTION_COUNTS;
  if (is_further && !format->has_further_listings) {
    return absl::InvalidArgumentError(
        "format: only json can contain annotated source and execution counts");
  }
  if (format->make_file != nullptr) {
    const absl::StatusOr<std::string> bytes = format->make_file(image.sum);
    if (bytes.ok()) text.Append(*bytes);
    return bytes.status();
  }
  analyzer::ListingOptions options = OptionsOf(request);
  options.tables = {};  // the profile is exported, regardless of tables
  ASSIGN_OR_RETURN(const analyzer::ListingInput input, PrepareBounded(image, options, decoding));
  format->write(
      {input, image.sum, image.symbols.image_name, FurtherOf(input, options, image, request)},
      [&text](absl::string_view piece) { text.Append(piece); });
  return absl::OkStatus();
}

absl::StatusOr<std::string> ListingText(const store::Reading& reading,
                                        const reporter::BlobReader& blobs,
                                        const ReadSource& read_source, const Request& request) {
  RETURN_IF_ERROR(CheckRequest(request, read_source));
  ASSIGN_OR_RETURN(const store::RunRecord run,
                   reporter::FindRun(reading, request.project(), request.run()));
  RETURN_IF_ERROR(reporter::CheckCounted(run));
  ASSIGN_OR_RETURN(const store::TargetRecord target,
                   reporter::FindTarget(reading, run, request.target()));
  ASSIGN_OR_RETURN(const store::TargetData data, reading.ReadTargetData(run.id, target.label));
  ASSIGN_OR_RETURN(
      analyzer::TargetImages images,
      analyzer::ReadTargetImages([&blobs](const store::BlobName& name) { return blobs.Read(name); },
                                 data, /*stopping=*/[] { return false; }, blobs.decoding()));
  if (images.empty()) {
    return absl::NotFoundError(
        absl::StrCat("target: ", target.label, " has no profile in run ", run.id));
  }
  if (!request.format().empty()) return ExportOf(images, request, blobs.decoding());

  SourceFiles files(read_source, request.project(), run.commit, blobs.decoding());
  BoundedText text(blobs.decoding());
  for (auto& [build_id, image] : images) {
    if (images.size() > 1) {
      text.Append(absl::StrCat("Image ", base::Printable(image.symbols.image_name), " (build-id ",
                               build_id, ")\n\n"));
    }
    RETURN_IF_ERROR(AppendListing(image, request, files, blobs.decoding(), text));
  }
  RETURN_IF_ERROR(files.Check());
  return text.Take();
}

namespace {

constexpr uint32_t kMostRuns = 100;
constexpr int kMostPatterns = 1000;
constexpr size_t kMostPatternBytes = 1000;
constexpr double kMostWeight = 1e6;
// About 20 seconds: 50 patterns for a million functions.
constexpr uint64_t kMostMatching = 200'000'000;

absl::Status CheckRequest(const v1::GetOrderingRequest& request) {
  if (request.history() > kMostRuns || request.more_runs_size() >= static_cast<int>(kMostRuns)) {
    return absl::InvalidArgumentError(
        absl::StrCat("history, more_runs: at most ", kMostRuns, " runs"));
  }
  if (!(request.half_life_days() >= 0) || std::isinf(request.half_life_days())) {
    return absl::InvalidArgumentError("half_life_days: must not be negative");
  }
  if (request.workloads_size() > kMostPatterns || request.exclude_size() > kMostPatterns) {
    return absl::InvalidArgumentError(absl::StrCat("workloads, exclude: at most ", kMostPatterns));
  }
  for (int i = 0; i < request.workloads_size(); ++i) {
    const v1::OrderingWorkload& workload = request.workloads(i);
    if (workload.target().size() > kMostPatternBytes || !(workload.weight() >= 0) ||
        workload.weight() > kMostWeight) {
      return absl::InvalidArgumentError(
          absl::StrCat("workloads[", i, "]: must have a target of at most ", kMostPatternBytes,
                       " bytes and a weight from 0 to ", kMostWeight));
    }
  }
  for (const std::string& pattern : request.exclude()) {
    if (pattern.size() > kMostPatternBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("exclude: at most ", kMostPatternBytes, " bytes each"));
    }
  }
  return absl::OkStatus();
}

// Those named, then those of the first one's history; each once.
absl::StatusOr<std::vector<store::RunRecord>> FindRuns(const store::Reading& reading,
                                                       const v1::GetOrderingRequest& request) {
  std::vector<store::RunRecord> runs;
  std::set<int64_t> known;
  const auto add = [&](const store::RunRecord& run) {
    if (known.insert(run.id).second) runs.push_back(run);
  };
  ASSIGN_OR_RETURN(store::RunRecord first,
                   reporter::FindRun(reading, request.project(), request.run()));
  add(first);
  for (const std::string& name : request.more_runs()) {
    ASSIGN_OR_RETURN(const store::RunRecord run,
                     reporter::FindRun(reading, request.project(), name));
    add(run);
  }
  if (request.history() <= 1) return runs;
  store::RunFilter filter;
  filter.project = request.project();
  filter.configuration = first.configuration;
  filter.mainline_only = true;
  filter.analysed_only = true;
  filter.until = first.ordered;
  filter.limit = request.history() + 1;  // the first one may be among them
  ASSIGN_OR_RETURN(const std::vector<store::RunRecord> mainline, reading.ListRuns(filter));
  uint32_t taken = 1;
  for (const store::RunRecord& run : mainline) {
    if (taken == request.history()) break;
    if (run.id == first.id) continue;
    add(run);
    ++taken;
  }
  return runs;
}

double WeightOf(const v1::GetOrderingRequest& request, const std::string& label) {
  for (const v1::OrderingWorkload& workload : request.workloads()) {
    if (base::GlobMatches(workload.target(), label)) return workload.weight();
  }
  return 1;
}

// A target's profile in one of the runs.
struct Evidence {
  store::TargetRecord target;
  double weight = 1;  // by age
};

}  // namespace

namespace {

using EvidenceByLabel = std::map<std::string, std::vector<Evidence>>;

// The analysed targets of the runs that the request asks for; weights fall with the age.
absl::StatusOr<EvidenceByLabel> FindEvidence(const store::Reading& reading,
                                             const base::Decoding& decoding,
                                             const std::vector<store::RunRecord>& runs,
                                             const v1::GetOrderingRequest& request) {
  absl::Time newest = absl::InfinitePast();
  for (const store::RunRecord& run : runs) newest = std::max(newest, run.ordered);
  EvidenceByLabel by_label;
  for (const store::RunRecord& run : runs) {
    RETURN_IF_ERROR(decoding.CheckWanted());
    ASSIGN_OR_RETURN(const std::vector<store::TargetRecord> targets, reading.ListTargets(run.id));
    if (!request.target().empty() && run.id == runs.front().id) {
      RETURN_IF_ERROR(reporter::FindTarget(reading, run, request.target()).status());
    }
    const double days = absl::FDivDuration(newest - run.ordered, absl::Hours(24));
    const double weight =
        request.half_life_days() > 0 ? std::exp2(-days / request.half_life_days()) : 1;
    for (const store::TargetRecord& target : targets) {
      const bool asked = request.target().empty() || target.label == request.target();
      // The weight of a very old run underflows and would not be positive.
      if (asked && !target.computed.empty() && weight > 1e-9) {
        by_label[target.label].push_back({target, weight});
      }
    }
  }
  return by_label;
}

}  // namespace

absl::StatusOr<std::string> OrderingText(const store::Reading& reading,
                                         const reporter::BlobReader& blobs,
                                         const v1::GetOrderingRequest& request) {
  RETURN_IF_ERROR(CheckRequest(request));
  ASSIGN_OR_RETURN(const std::vector<store::RunRecord> runs, FindRuns(reading, request));
  ASSIGN_OR_RETURN(const EvidenceByLabel by_label,
                   FindEvidence(reading, blobs.decoding(), runs, request));
  if (by_label.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "run ", runs.front().id, " is not analysed yet; wait for it with `gprofhub runs --wait`"));
  }

  analyzer::ExcludeOptions options;
  options.tests = !request.with_tests();
  options.patterns.assign(request.exclude().begin(), request.exclude().end());
  analyzer::MatchingLimit matching = {blobs.decoding(), kMostMatching};
  analyzer::OrderingGraphBuilder builder;
  base::GrowingMemory graph_memory(blobs.decoding());
  for (const auto& [label, evidence] : by_label) {
    RETURN_IF_ERROR(blobs.decoding().CheckWanted());
    const double target_weight = WeightOf(request, label);
    if (target_weight == 0) continue;
    double total = 0;
    for (const Evidence& one : evidence) total += one.weight;
    for (size_t i = 0; i < evidence.size(); ++i) {
      RETURN_IF_ERROR(graph_memory.GrowTo(builder.MemoryUsed()));
      const base::DecodingScope scope(blobs.decoding());
      ASSIGN_OR_RETURN(const profile::ComputedProfile profile,
                       reporter::ReadTargetProfile(blobs, evidence[i].target));
      const double weight = target_weight * evidence[i].weight / total;
      ASSIGN_OR_RETURN(const std::vector<bool> excluded,
                       analyzer::ExcludedFunctions(profile, options, matching));
      if (i == 0) {
        builder.AddRun(profile, weight, excluded);
      } else {
        builder.AddToRun(profile, weight, excluded);
      }
    }
  }
  const analyzer::OrderingGraph graph = builder.Take();
  if (graph.functions.empty()) {
    return absl::NotFoundError(absl::StrCat("run ", runs.front().id,
                                            ": no functions to order; test code, excluded "
                                            "functions and targets of weight 0 are not counted"));
  }
  return analyzer::OrderingTextOf(graph, request.call_graph() ? analyzer::OrderingForm::kCallGraph
                                                              : analyzer::OrderingForm::kSymbols);
}

}  // namespace gprofhub::server
