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
#include "analyzer/listing/prepare.h"
#include "analyzer/tables/tables.h"
#include "base/printable.h"
#include "cli/serve/http/data/target_data.h"
#include "cli/serve/texts/analyzed_text.h"

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

std::string SourceText(const analyzer::ListingInput& input, const analyzer::BlockCounts& blocks,
                       const GprofListing& listing, SourceFiles& files) {
  analyzer::AnnotationOptions options;
  options.all_lines = listing.all_lines;
  std::string text;
  analyzer::AnnotateSources(
      input, blocks, options,
      [&files](const std::string& path) -> std::optional<uint32_t> {
        const std::string* const source = files.Find(path);
        if (source == nullptr) return std::nullopt;
        return static_cast<uint32_t>(std::count(source->begin(), source->end(), '\n') + 1);
      },
      [&](analyzer::SourceAnnotation annotation) {
        absl::StrAppend(&text, "*** File ", base::Printable(annotation.path), ":\n",
                        analyzer::PrintAnnotatedSource(annotation, *files.Find(annotation.path)),
                        "\n");
      });
  return text;
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
  std::string text;
  for (auto& [build_id, image] : *images) {
    if (images->size() > 1) {
      absl::StrAppend(&text, "Image ", base::Printable(image.symbols.image_name), "\n\n");
    }
    MakeNamesPrintable(image.symbols);
    const std::vector<profile::BasicBlock> raw_blocks = image.sum.blocks;
    const analyzer::ListingInput input =
        analyzer::PrepareListing(image.symbols, std::move(image.sum), options);
    analyzer::Pages pages([&text](absl::string_view piece) { absl::StrAppend(&text, piece); });
    analyzer::PrintTables(input, options, pages);
    const analyzer::BlockCounts blocks = analyzer::AssignBlocks(input, raw_blocks);
    if (listing.kind == Kind::kCounts) {
      absl::StrAppend(&text, analyzer::PrintExecutionCounts(input, options, blocks));
    }
    if (listing.kind == Kind::kSource) {
      absl::StrAppend(&text, SourceText(input, blocks, listing, files));
    }
  }
  if (text.empty() && !files.problem().empty()) {
    return absl::NotFoundError(
        absl::StrCat("No source of commit ", target.run.commit, " can be read: ", files.problem()));
  }
  return text;
}

}  // namespace gprofhub::cli
