#include "collector/check_contents.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "collector/field_error.h"
#include "profile/architecture.h"
#include "profile/gmon_reader.h"
#include "profile/image_check.h"
#include "profile/recording_blob.h"
#include "profile/stacks_codec.h"
#include "profile/symbol_bundle.h"

namespace gprofhub {

absl::StatusOr<SymbolTable> CheckBundle(absl::string_view field, absl::string_view bytes,
                                        absl::string_view build_id) {
  absl::StatusOr<SymbolTable> symbols = DecodeSymbolBundle(bytes);
  if (!symbols.ok()) return FieldError(field, symbols.status().message());
  if (symbols->build_id != build_id) {
    return FieldError(field, absl::StrCat("is the symbol bundle of build-id ", symbols->build_id,
                                          ", announced for ", build_id));
  }
  if (const auto options = GmonOptionsFor(symbols->architecture); !options.ok()) {
    return FieldError(field, options.status().message());
  }
  std::vector<LineRow>().swap(symbols->lines);
  return symbols;
}

namespace {

// The image's part of a profile.
absl::StatusOr<RawProfile> ReadPart(absl::string_view bytes, absl::string_view file_name,
                                    const SymbolTable& image) {
  if (IsPackedRecording(bytes)) {
    const absl::StatusOr<Recording> recording = UnpackRecording(bytes, file_name);
    if (!recording.ok()) return recording.status();
    const RecordedModule* module = FindModule(*recording, image.build_id);
    if (module != nullptr) return module->profile;
    return absl::InvalidArgumentError(
        absl::StrCat("nothing of build-id ", image.build_id, " in the recording"));
  }
  const absl::StatusOr<GmonReadOptions> options = GmonOptionsFor(image.architecture);
  if (!options.ok()) return options.status();
  return ReadGmon(bytes, file_name, *options);
}

}  // namespace

absl::Status CheckGmon(absl::string_view field, absl::string_view bytes,
                       absl::string_view file_name, const SymbolTable& image) {
  const absl::StatusOr<RawProfile> profile = ReadPart(bytes, file_name, image);
  if (!profile.ok()) {
    return FieldError(field, absl::StrCat("as a profile of ", image.image_name, " (",
                                          image.architecture, "): ", profile.status().message()));
  }
  const absl::Status belongs = CheckBelongs(*profile, image, file_name, image.image_name);
  if (!belongs.ok()) return FieldError(field, belongs.message());
  return absl::OkStatus();
}

absl::Status CheckStacks(absl::string_view field, absl::string_view bytes,
                         absl::string_view file_name, const SymbolTable& image) {
  const absl::StatusOr<ImageStacks> stacks = DecodeStacks(bytes, file_name, image);
  if (!stacks.ok()) return FieldError(field, stacks.status().message());
  return absl::OkStatus();
}

}  // namespace gprofhub
