#include "analyzer/worker/target_images.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "profile/architecture.h"
#include "profile/gmon_reader.h"
#include "profile/profile_merge.h"
#include "profile/symbol_bundle.h"

namespace gprofhub {
namespace {

// One image's symbols and the sum of its profiles so far.
struct ImageSum {
  SymbolTable symbols;
  GmonReadOptions gmon_options;
  ProfileMerger profiles;
};

absl::Status WithContext(const absl::Status& status, absl::string_view context) {
  return absl::Status(status.code(), absl::StrCat(context, ": ", status.message()));
}

absl::Status ReadImage(Store& store, const BlobName& bundle, ImageSum& image) {
  const absl::StatusOr<std::string> bytes = store.ReadBlob(bundle);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<SymbolTable> symbols = DecodeSymbolBundle(*bytes);
  if (!symbols.ok()) return symbols.status();
  const absl::StatusOr<GmonReadOptions> options = GmonOptionsFor(symbols->architecture);
  if (!options.ok()) return options.status();
  image.symbols = *std::move(symbols);
  image.gmon_options = *options;
  return absl::OkStatus();
}

absl::Status AddProfile(Store& store, const ProfileRecord& profile, ImageSum& image) {
  const absl::StatusOr<std::string> bytes = store.ReadBlob(profile.gmon);
  if (!bytes.ok()) return bytes.status();
  const absl::StatusOr<RawProfile> part = ReadGmon(*bytes, profile.process, image.gmon_options);
  if (!part.ok()) return part.status();
  return image.profiles.Add(*part);
}

}  // namespace

absl::StatusOr<TargetImages> ReadTargetImages(Store& store, const TargetData& data,
                                              const std::function<bool()>& stopping) {
  std::map<std::string, ImageSum> sums;
  for (const TargetData::Profile& profile : data.profiles) {
    if (stopping()) return absl::CancelledError("the worker is stopping");
    const std::string& build_id = profile.profile.build_id;
    const auto [image, is_new] = sums.try_emplace(build_id);
    if (is_new) {
      absl::Status status = ReadImage(store, profile.bundle, image->second);
      if (!status.ok()) return WithContext(status, absl::StrCat("image ", build_id));
    }
    absl::Status status = AddProfile(store, profile.profile, image->second);
    if (!status.ok()) {
      return WithContext(status, absl::StrCat("profile ", profile.profile.process, " (run ",
                                              profile.execution.run_number, ", shard ",
                                              profile.execution.shard, ")"));
    }
  }
  TargetImages images;
  for (auto& [build_id, sum] : sums) {
    images[build_id] = {std::move(sum.symbols), sum.profiles.Take()};
  }
  return images;
}

}  // namespace gprofhub
