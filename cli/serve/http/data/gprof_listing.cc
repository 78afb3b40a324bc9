#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/annotations/annotated_source.h"
#include "analyzer/annotations/block_counts.h"
#include "analyzer/annotations/execution_counts.h"
#include "analyzer/listing/input.h"
#include "analyzer/listing/options.h"
#include "analyzer/tables/tables.h"
#include "base/decoding/decoding.h"
#include "base/printable.h"
#include "cli/serve/http/data/target_data.h"
#include "cli/serve/texts/analyzed_text.h"
#include "cli/serve/texts/bounded_listing.h"
#include "cli/serve/texts/bounded_text.h"

namespace gprofhub::cli {
namespace {

// A page with more is none that anybody reads.
constexpr size_t kMostFiles = 50;

// The source files of one listing, as far as they can be had.
class SourceFiles {
 public:
  SourceFiles(const PageSources& sources, std::string project, std::string commit)
      : sources_(sources), project_(std::move(project)), commit_(std::move(commit)) {}

  // Null: it cannot be had; then `problem` says why of the last such.
  const std::string* Find(const std::string& path) {
    const auto [found, is_new] = texts_.emplace(path, nullptr);
    if (is_new && asked_ < kMostFiles) {
      ++asked_;
      const auto text = sources_.store.memory->files.Get(
          absl::StrCat(project_, " ", commit_, " ", path),
          [&] { return sources_.read_source(project_, commit_, path); });
      if (text.ok()) {
        found->second = *text;
      } else {
        problem_ = std::string(text.status().message());
      }
    }
    return found->second.get();
  }

  const std::string& problem() const { return problem_; }

 private:
  const PageSources& sources_;
  const std::string project_, commit_;
  std::map<std::string, std::shared_ptr<const std::string>> texts_;
  size_t asked_ = 0;
  std::string problem_;
};

void AppendSource(const analyzer::ListingInput& input, const analyzer::BlockCounts& blocks,
                  const GprofListing& listing, SourceFiles& files, BoundedText& text) {
  analyzer::AnnotationOptions options;
  options.all_lines = listing.all_lines;
  analyzer::AnnotateSources(
      input, blocks, options,
      [&files](const std::string& path) -> std::optional<uint32_t> {
        const std::string* const source = files.Find(path);
        if (source == nullptr) return std::nullopt;
        return static_cast<uint32_t>(std::count(source->begin(), source->end(), '\n') + 1);
      },
      [&](analyzer::SourceAnnotation annotation) {
        text.Append(absl::StrCat(
            "*** File ", base::Printable(annotation.path), ":\n",
            analyzer::PrintAnnotatedSource(annotation, *files.Find(annotation.path)), "\n"));
      });
}

}  // namespace

absl::StatusOr<std::string> ListingOf(const PageSources& sources, const std::string& project,
                                      const TargetOfRun& target, const GprofListing& listing) {
  using Kind = GprofListing::Kind;
  if (listing.kind == Kind::kSource && sources.read_source == nullptr) {
    return absl::NotFoundError(
        "This server has no source: it needs the project's --forge with credentials, or "
        "--source-checkout PROJECT=FOLDER");
  }
  absl::StatusOr<analyzer::TargetImages> images = ReadImages(sources.store, target);
  if (!images.ok()) return images.status();
  analyzer::ListingOptions options = ExactOptions();
  options.tables = {.flat = listing.kind == Kind::kFlat, .graph = listing.kind == Kind::kGraph};
  options.explain = false;
  options.rows.by_line = listing.by_line;
  SourceFiles files(sources, project, target.run.commit);
  const base::Decoding& decoding = sources.store.blobs.decoding();
  BoundedText text(decoding);
  for (auto& [build_id, image] : *images) {
    if (images->size() > 1) {
      text.Append(absl::StrCat("Image ", base::Printable(image.symbols.image_name), "\n\n"));
    }
    absl::Status status = MakeNamesPrintable(image.symbols, decoding);
    if (!status.ok()) return status;
    const absl::StatusOr<analyzer::ListingInput> input = PrepareBounded(image, options, decoding);
    if (!input.ok()) return input.status();
    if (status = CheckTextFits(*input, decoding); !status.ok()) return status;
    analyzer::Pages pages([&text](absl::string_view piece) { text.Append(piece); });
    analyzer::PrintTables(*input, options, pages);
    const analyzer::BlockCounts blocks = analyzer::AssignBlocks(*input, image.sum.blocks);
    if (listing.kind == Kind::kCounts) {
      text.Append(analyzer::PrintExecutionCounts(*input, options, blocks));
    }
    if (listing.kind == Kind::kSource) AppendSource(*input, blocks, listing, files, text);
  }
  absl::StatusOr<std::string> whole = text.Take();
  if (!whole.ok()) return whole.status();
  if (whole->empty() && !files.problem().empty()) {
    return absl::NotFoundError(
        absl::StrCat("No source of commit ", target.run.commit, " can be read: ", files.problem()));
  }
  return whole;
}

}  // namespace gprofhub::cli
