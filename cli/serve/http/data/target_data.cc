#include "cli/serve/http/data/target_data.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/sha256.h"
#include "cli/serve/texts/bounded_text.h"
#include "cli/serve/texts/served_listing.h"
#include "page/flame/stack_tree.h"
#include "reporter/queries/find_run.h"
#include "reporter/queries/read_profiles.h"

namespace gprofhub::cli {
namespace {

// 50,000 frames are as much as a browser draws.
constexpr double kLeastShare = 0.00002;
constexpr size_t kMostCosts = 200;

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

// Names all that the target left.
absl::StatusOr<std::string> NameOfData(const PageStore& store, const TargetOfRun& target) {
  const absl::StatusOr<store::TargetData> data =
      store.reading.ReadTargetData(target.run.id, target.target.label);
  if (!data.ok()) return data.status();
  std::string names;
  for (const store::TargetData::Profile& one : data->profiles) {
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
  const absl::StatusOr<KeptProfile> computed = ReadComputed(store, target);
  if (!computed.ok()) return computed.status();
  const absl::StatusOr<analyzer::TargetImages> images = ReadImages(store, target);
  if (!images.ok()) return images.status();
  FoldedStacks stacks;
  BoundedText text(store.blobs.decoding());
  stacks.repetitions = (*computed)->repetitions;
  v1::GetListingRequest request;
  request.set_format("folded");
  for (const auto& [build_id, image] : *images) {
    stacks.is_measured |= !image.sum.stacks.empty();
    absl::Status status = AppendExport(image, request, store.blobs.decoding(), text);
    if (!status.ok()) return status;
  }
  absl::StatusOr<std::string> whole = text.Take();
  if (!whole.ok()) return whole.status();
  stacks.text = *std::move(whole);
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

}  // namespace

std::vector<absl::string_view> ImageFormats() {
  std::vector<absl::string_view> names;
  for (const Format& format : kFormats) names.push_back(format.name);
  return names;
}

absl::StatusOr<absl::string_view> TypeOfFormat(absl::string_view format) {
  const absl::StatusOr<Format> known = FindFormat(format);
  if (!known.ok()) return known.status();
  return known->type;
}

absl::StatusOr<TargetOfRun> FindTargetOfRun(const PageStore& store, absl::string_view project,
                                            absl::string_view run, absl::string_view target) {
  absl::StatusOr<store::RunRecord> found = reporter::FindRun(store.reading, project, run);
  if (!found.ok()) return found.status();
  absl::StatusOr<store::TargetRecord> of_it = reporter::FindTarget(store.reading, *found, target);
  if (!of_it.ok()) return of_it.status();
  return TargetOfRun{*std::move(found), *std::move(of_it)};
}

absl::StatusOr<KeptProfile> ReadComputed(const PageStore& store, const TargetOfRun& target) {
  if (target.target.computed.empty()) {
    return absl::FailedPreconditionError(
        target.target.error.empty()
            ? absl::StrCat(target.target.label, " is not analysed yet: look again in a moment")
            : absl::StrCat(target.target.label, " could not be analysed: ", target.target.error));
  }
  return reporter::FindTargetProfile(store.blobs, target.target, &store.memory->queries);
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

absl::StatusOr<std::shared_ptr<const FlameGraph>> ReadFlameGraph(const PageStore& store,
                                                                 const TargetOfRun& target,
                                                                 const TargetOfRun* base) {
  absl::StatusOr<std::string> name = NameOfData(store, target);
  if (!name.ok()) return name.status();
  if (base != nullptr) {
    const absl::StatusOr<std::string> of_base = NameOfData(store, *base);
    if (!of_base.ok()) return of_base.status();
    absl::StrAppend(&*name, " ", *of_base);
  }
  return store.memory->flames.Get(*name, [&]() -> absl::StatusOr<FlameGraph> {
    const absl::StatusOr<FoldedStacks> after = FoldStacks(store, target);
    if (!after.ok()) return after.status();
    FoldedStacks before;
    if (base != nullptr) {
      absl::StatusOr<FoldedStacks> stacks = FoldStacks(store, *base);
      if (!stacks.ok()) return stacks.status();
      before = *std::move(stacks);
    }
    const double scale = static_cast<double>(after->repetitions) / before.repetitions;
    const absl::StatusOr<page::StackNode> tree =
        page::StackTree(before.text, after->text, scale, kLeastShare, store.blobs.decoding());
    if (!tree.ok()) return tree.status();
    return FlameGraph{after->is_measured, after->repetitions, page::CostsOf(*tree, kMostCosts),
                      page::StackTreeJson(*tree)};
  });
}

absl::StatusOr<std::vector<ListedFile>> ListFiles(const PageStore& store,
                                                  const TargetOfRun& target) {
  const absl::StatusOr<analyzer::TargetImages> images = ReadImages(store, target);
  if (!images.ok()) return images.status();
  std::vector<ListedFile> files;
  for (const Format& format : kFormats) {
    for (const auto& [build_id, image] : *images) {
      files.push_back({format.name, images->size() > 1 ? build_id : "",
                       FileName(target, image, images->size() > 1, format.ending)});
    }
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
  ImageFile file = {FileName(target, found->second, images->size() > 1, known->ending),
                    std::string(known->type), ""};
  v1::GetListingRequest request;
  request.set_format(std::string(format));
  BoundedText text(store.blobs.decoding());
  absl::Status status = AppendExport(found->second, request, store.blobs.decoding(), text);
  if (!status.ok()) return status;
  absl::StatusOr<std::string> whole = text.Take();
  if (!whole.ok()) return whole.status();
  file.contents = *std::move(whole);
  return file;
}

}  // namespace gprofhub::cli
