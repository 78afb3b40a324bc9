#include "collector/check_contents.h"

#include "absl/strings/str_cat.h"
#include "base/decoding/budget.h"
#include "collector/calls/overloaded.h"
#include "collector/field_error.h"
#include "profile/belongs.h"
#include "profile/codec/image_part.h"
#include "profile/codec/stacks.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/gmon/options_for.h"

namespace gprofhub::collector {

absl::StatusOr<profile::SymbolTable> CheckBundle(absl::string_view field, absl::string_view bytes,
                                                 const base::Decoding& decoding) {
  absl::StatusOr<profile::SymbolTable> symbols =
      profile::DecodeSymbolBundle(bytes, {.lines = false, .decoding = decoding});
  if (base::IsOfDecoding(symbols.status())) return OverloadedIfShort(symbols.status());
  if (!symbols.ok()) return FieldError(field, symbols.status().message());
  if (const auto options = profile::GmonOptionsFor(symbols->architecture); !options.ok()) {
    return FieldError(field, options.status().message());
  }
  return symbols;
}

absl::Status CheckCountedProfile(absl::string_view field, absl::string_view bytes,
                                 absl::string_view file_name, const profile::SymbolTable& image,
                                 const base::Decoding& decoding) {
  const absl::StatusOr<profile::RawProfile> profile =
      profile::ReadImagePart(bytes, file_name, image, decoding);
  if (base::IsOfDecoding(profile.status())) return OverloadedIfShort(profile.status());
  if (!profile.ok()) {
    return FieldError(field, absl::StrCat("as a profile of ", image.image_name, " (",
                                          image.architecture, "): ", profile.status().message()));
  }
  const absl::Status belongs = profile::CheckBelongs(*profile, image, file_name, image.image_name);
  if (!belongs.ok()) return FieldError(field, belongs.message());
  return absl::OkStatus();
}

absl::Status CheckSampledProfile(absl::string_view field, absl::string_view bytes,
                                 absl::string_view file_name, const profile::SymbolTable& image,
                                 const base::Decoding& decoding) {
  const absl::StatusOr<profile::ImageStacks> stacks =
      profile::DecodeStacks(bytes, file_name, image, decoding);
  if (base::IsOfDecoding(stacks.status())) return OverloadedIfShort(stacks.status());
  if (!stacks.ok()) return FieldError(field, stacks.status().message());
  return absl::OkStatus();
}

}  // namespace gprofhub::collector
