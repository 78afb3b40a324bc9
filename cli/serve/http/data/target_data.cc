#include "cli/serve/http/data/target_data.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "analyzer/exports/exports.h"
#include "analyzer/exports/input.h"
#include "analyzer/listing/input.h"
#include "analyzer/listing/options.h"
#include "analyzer/tables/tables.h"
#include "base/decoding/decoding.h"
#include "cli/serve/texts/bounded_listing.h"
#include "cli/serve/texts/bounded_text.h"
#include "profile/gmon/writer.h"
#include "reporter/queries/find_run.h"
#include "reporter/queries/read_profiles.h"

namespace gprofhub::cli {
namespace {

struct Format {
  absl::string_view name, ending, type;
};
constexpr std::array<Format, 6> kFormats = {{
    {"gmon", "gmon.out", "application/octet-stream"},
    {"pprof", "pb", "application/octet-stream"},
    {"callgrind", "callgrind.out", "text/plain; charset=utf-8"},
    {"folded", "folded.txt", "text/plain; charset=utf-8"},
    {"json", "json", "application/json"},
    {"speedscope", "speedscope.json", "application/json"},
}};

absl::StatusOr<Format> FindFormat(absl::string_view name) {
  for (const Format& format : kFormats) {
    if (format.name == name) return format;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("format: must be one of ", absl::StrJoin(ImageFormats(), ", ")));
}

// As everywhere in the service: a clone's time is not that of the function before it.
analyzer::ListingOptions ExactOptions() {
  analyzer::ListingOptions options;
  options.rows.policy = analyzer::SymbolPolicy::kExact;
  return options;
}

absl::Status AppendExport(const analyzer::TargetImage& image, analyzer::ExportFormat format,
                          const base::Decoding& decoding, BoundedText& text) {
  const absl::StatusOr<analyzer::ListingInput> listing =
      PrepareBounded(image, ExactOptions(), decoding);
  if (!listing.ok()) return listing.status();
  const analyzer::ExportInput input{*listing, image.sum, image.symbols.image_name};
  analyzer::WriteExport(input, format, [&text](absl::string_view piece) { text.Append(piece); });
  return absl::OkStatus();
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

}  // namespace

std::vector<absl::string_view> ImageFormats() {
  std::vector<absl::string_view> names;
  for (const Format& format : kFormats) names.push_back(format.name);
  return names;
}

absl::StatusOr<TargetOfRun> FindTargetOfRun(const PageStore& store, absl::string_view project,
                                            absl::string_view run, absl::string_view target) {
  absl::StatusOr<store::RunRecord> found = reporter::FindRun(store.reading, project, run);
  if (!found.ok()) return found.status();
  absl::StatusOr<store::TargetRecord> of_it = reporter::FindTarget(store.reading, *found, target);
  if (!of_it.ok()) return of_it.status();
  return TargetOfRun{*std::move(found), *std::move(of_it)};
}

absl::StatusOr<profile::ComputedProfile> ReadComputed(const PageStore& store,
                                                      const TargetOfRun& target) {
  if (target.target.computed.empty()) {
    return absl::FailedPreconditionError(
        target.target.error.empty()
            ? absl::StrCat(target.target.label, " is not analysed yet: look again in a moment")
            : absl::StrCat(target.target.label, " could not be analysed: ", target.target.error));
  }
  return reporter::ReadTargetProfile(store.blobs, target.target);
}

absl::StatusOr<analyzer::TargetImages> ReadImages(const PageStore& store,
                                                  const TargetOfRun& target) {
  if (absl::Status status = reporter::CheckCounted(target.run); !status.ok()) return status;
  const absl::StatusOr<store::TargetData> data =
      store.reading.ReadTargetData(target.run.id, target.target.label);
  if (!data.ok()) return data.status();
  absl::StatusOr<analyzer::TargetImages> images = analyzer::ReadTargetImages(
      [&store](const store::BlobName& name) { return store.blobs.Read(name); }, *data,
      /*stopping=*/[] { return false; }, store.blobs.decoding());
  if (images.ok() && images->empty()) {
    return absl::NotFoundError(
        absl::StrCat("target: ", target.target.label, " left no profile in run ", target.run.id));
  }
  return images;
}

absl::StatusOr<FoldedStacks> ReadStacks(const PageStore& store, const TargetOfRun& target) {
  const absl::StatusOr<profile::ComputedProfile> computed = ReadComputed(store, target);
  if (!computed.ok()) return computed.status();
  const absl::StatusOr<analyzer::TargetImages> images = ReadImages(store, target);
  if (!images.ok()) return images.status();
  FoldedStacks stacks;
  BoundedText text(store.blobs.decoding());
  stacks.repetitions = computed->repetitions;
  for (const auto& [build_id, image] : *images) {
    stacks.is_measured |= !image.sum.stacks.empty();
    absl::Status status =
        AppendExport(image, analyzer::ExportFormat::kFolded, store.blobs.decoding(), text);
    if (!status.ok()) return status;
  }
  absl::StatusOr<std::string> whole = text.Take();
  if (!whole.ok()) return whole.status();
  stacks.text = *std::move(whole);
  return stacks;
}

absl::StatusOr<std::vector<ImageFile>> ListImages(const PageStore& store, const TargetOfRun& target,
                                                  absl::string_view format) {
  const absl::StatusOr<Format> known = FindFormat(format);
  if (!known.ok()) return known.status();
  const absl::StatusOr<analyzer::TargetImages> images = ReadImages(store, target);
  if (!images.ok()) return images.status();
  std::vector<ImageFile> files;
  for (const auto& [build_id, image] : *images) {
    files.push_back({build_id, FileName(target, image, images->size() > 1, known->ending),
                     std::string(known->type), ""});
  }
  return files;
}

absl::StatusOr<ImageFile> MakeImageFile(const PageStore& store, const TargetOfRun& target,
                                        absl::string_view format, absl::string_view image) {
  const absl::StatusOr<Format> known = FindFormat(format);
  if (!known.ok()) return known.status();
  const absl::StatusOr<analyzer::TargetImages> images = ReadImages(store, target);
  if (!images.ok()) return images.status();
  auto found = image.empty() ? images->begin() : images->find(std::string(image));
  if (found == images->end() || (image.empty() && images->size() > 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("image: the target has ", images->size(), " images; name one of them"));
  }
  ImageFile file = {found->first,
                    FileName(target, found->second, images->size() > 1, known->ending),
                    std::string(known->type), ""};
  if (format == "gmon") {
    absl::StatusOr<std::string> bytes = profile::WriteGmon(found->second.sum);
    if (!bytes.ok()) return bytes.status();
    file.contents = *std::move(bytes);
    return file;
  }
  const absl::StatusOr<analyzer::ExportFormat> of = analyzer::ParseExportFormat(format);
  if (!of.ok()) return of.status();
  BoundedText text(store.blobs.decoding());
  absl::Status status = AppendExport(found->second, *of, store.blobs.decoding(), text);
  if (!status.ok()) return status;
  absl::StatusOr<std::string> whole = text.Take();
  if (!whole.ok()) return whole.status();
  file.contents = *std::move(whole);
  return file;
}

absl::StatusOr<std::string> LinesText(const PageStore& store, const TargetOfRun& target) {
  const absl::StatusOr<analyzer::TargetImages> images = ReadImages(store, target);
  if (!images.ok()) return images.status();
  analyzer::ListingOptions options = ExactOptions();
  options.tables = {.flat = true, .graph = false};
  options.explain = false;
  options.rows.by_line = true;
  BoundedText text(store.blobs.decoding());
  for (const auto& [build_id, image] : *images) {
    if (images->size() > 1) text.Append(absl::StrCat("Image ", image.symbols.image_name, "\n\n"));
    const absl::StatusOr<analyzer::ListingInput> input =
        PrepareBounded(image, options, store.blobs.decoding());
    if (!input.ok()) return input.status();
    absl::Status status = CheckTextFits(*input, store.blobs.decoding());
    if (!status.ok()) return status;
    analyzer::Pages pages([&text](absl::string_view piece) { text.Append(piece); });
    analyzer::PrintTables(*input, options, pages);
  }
  return text.Take();
}

}  // namespace gprofhub::cli
