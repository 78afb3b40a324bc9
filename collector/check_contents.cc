#include "collector/check_contents.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "collector/field_error.h"
#include "profile/belongs.h"
#include "profile/codec/image_part.h"
#include "profile/codec/stacks.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/gmon/options_for.h"

namespace gprofhub::collector {

absl::StatusOr<profile::SymbolTable> CheckBundle(absl::string_view field, absl::string_view bytes,
                                                 absl::string_view build_id) {
  absl::StatusOr<profile::SymbolTable> symbols = profile::DecodeSymbolBundle(bytes);
  if (!symbols.ok()) return FieldError(field, symbols.status().message());
  if (symbols->build_id != build_id) {
    return FieldError(field, absl::StrCat("is the symbol bundle of build-id ", symbols->build_id,
                                          ", announced for ", build_id));
  }
  if (const auto options = profile::GmonOptionsFor(symbols->architecture); !options.ok()) {
    return FieldError(field, options.status().message());
  }
  std::vector<profile::LineRow>().swap(symbols->lines);
  return symbols;
}

absl::Status CheckCountedProfile(absl::string_view field, absl::string_view bytes,
                                 absl::string_view file_name, const profile::SymbolTable& image) {
  const absl::StatusOr<profile::RawProfile> profile =
      profile::ReadImagePart(bytes, file_name, image);
  if (!profile.ok()) {
    return FieldError(field, absl::StrCat("as a profile of ", image.image_name, " (",
                                          image.architecture, "): ", profile.status().message()));
  }
  const absl::Status belongs = profile::CheckBelongs(*profile, image, file_name, image.image_name);
  if (!belongs.ok()) return FieldError(field, belongs.message());
  return absl::OkStatus();
}

absl::Status CheckSampledProfile(absl::string_view field, absl::string_view bytes,
                                 absl::string_view file_name, const profile::SymbolTable& image) {
  const absl::StatusOr<profile::ImageStacks> stacks =
      profile::DecodeStacks(bytes, file_name, image);
  if (!stacks.ok()) return FieldError(field, stacks.status().message());
  return absl::OkStatus();
}

}  // namespace gprofhub::collector
