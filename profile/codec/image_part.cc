#include "profile/codec/image_part.h"

#include <cstddef>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "profile/codec/recording.h"
#include "profile/gmon/options_for.h"
#include "profile/gmon/reader.h"

namespace gprofhub::profile {
namespace {

absl::StatusOr<RawProfile> PartOf(const Recording& recording, absl::string_view name,
                                  const SymbolTable& image) {
  const RecordedModule* const module = FindModule(recording, image.build_id);
  if (module != nullptr) {
    return ProfileOfModule(recording, static_cast<size_t>(module - recording.modules.data()));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": has nothing of ", image.image_name, " (build-id ",
                   image.build_id.empty() ? "none" : image.build_id,
                   "); `gprofhub info` names the modules that it is of"));
}

}  // namespace

absl::StatusOr<RawProfile> ReadImagePart(absl::string_view bytes, absl::string_view name,
                                         const SymbolTable& image) {
  const absl::StatusOr<std::optional<Recording>> recording = ReadIfRecording(bytes, name);
  if (!recording.ok()) return recording.status();
  if (recording->has_value()) return PartOf(**recording, name, image);
  const absl::StatusOr<GmonReadOptions> options = GmonOptionsFor(image.architecture);
  if (!options.ok()) return options.status();
  return ReadGmon(bytes, name, *options);
}

}  // namespace gprofhub::profile
