#include "cli/serve/texts/served_listing.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/annotations/annotated_source.h"
#include "analyzer/annotations/block_counts.h"
#include "analyzer/annotations/execution_counts.h"
#include "analyzer/exports/exports.h"
#include "analyzer/exports/input.h"
#include "analyzer/listing/input.h"
#include "analyzer/tables/tables.h"
#include "base/printable.h"
#include "cli/serve/texts/bounded_listing.h"
#include "profile/gmon/writer.h"
#include "reporter/queries/find_run.h"

namespace gprofhub::cli {
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
        "This server has no source: it needs the project's --forge with credentials, or "
        "--source-checkout PROJECT=FOLDER");
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
  absl::Status status = MakeNamesPrintable(image.symbols, decoding);
  if (!status.ok()) return status;
  const analyzer::ListingOptions options = OptionsOf(request);
  const absl::StatusOr<analyzer::ListingInput> input = PrepareBounded(image, options, decoding);
  if (!input.ok()) return input.status();
  if (status = CheckTextFits(*input, decoding); !status.ok()) return status;
  const auto sink = [&text](absl::string_view piece) { text.Append(piece); };
  analyzer::Pages pages(sink);
  analyzer::PrintTables(*input, options, pages);
  const analyzer::BlockCounts blocks = analyzer::AssignBlocks(*input, image.sum.blocks);
  if (request.kind() == Request::EXECUTION_COUNTS) {
    text.Append(analyzer::PrintExecutionCounts(*input, options, blocks));
  }
  if (request.kind() == Request::ANNOTATED_SOURCE) {
    AppendSources(*input, blocks, request.all_lines(), files, pages);
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
  absl::Status status = AppendExport(image->second, request, decoding, text);
  if (!status.ok()) return status;
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

absl::Status AppendExport(const analyzer::TargetImage& image, const Request& request,
                          const base::Decoding& decoding, BoundedText& text) {
  const bool is_further =
      request.kind() == Request::ANNOTATED_SOURCE || request.kind() == Request::EXECUTION_COUNTS;
  if (is_further && request.format() != "json") {
    return absl::InvalidArgumentError(
        "format: only json has a place for annotated source and execution counts");
  }
  if (request.format() == "gmon") {
    const absl::StatusOr<std::string> bytes = profile::WriteGmon(image.sum);
    if (bytes.ok()) text.Append(*bytes);
    return bytes.status();
  }
  const absl::StatusOr<analyzer::ExportFormat> format =
      analyzer::ParseExportFormat(request.format());
  if (!format.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("format: ", format.status().message(), "; or gmon"));
  }
  analyzer::ListingOptions options = OptionsOf(request);
  options.tables = {};  // the profile is exported, regardless of tables
  const absl::StatusOr<analyzer::ListingInput> input = PrepareBounded(image, options, decoding);
  if (!input.ok()) return input.status();
  analyzer::WriteExport(
      {*input, image.sum, image.symbols.image_name, FurtherOf(*input, options, image, request)},
      *format, [&text](absl::string_view piece) { text.Append(piece); });
  return absl::OkStatus();
}

absl::StatusOr<std::string> ListingText(const store::Reading& reading,
                                        const reporter::BlobReader& blobs,
                                        const ReadSource& read_source, const Request& request) {
  if (absl::Status status = CheckRequest(request, read_source); !status.ok()) return status;
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
  if (!request.format().empty()) return ExportOf(*images, request, blobs.decoding());

  SourceFiles files(read_source, request.project(), run->commit, blobs.decoding());
  BoundedText text(blobs.decoding());
  for (auto& [build_id, image] : *images) {
    if (images->size() > 1) {
      text.Append(absl::StrCat("Image ", base::Printable(image.symbols.image_name), " (build-id ",
                               build_id, ")\n\n"));
    }
    absl::Status status = AppendListing(image, request, files, blobs.decoding(), text);
    if (!status.ok()) return status;
  }
  if (absl::Status status = files.Check(); !status.ok()) return status;
  return text.Take();
}

}  // namespace gprofhub::cli
