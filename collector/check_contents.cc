#include "collector/check_contents.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "collector/field_error.h"
#include "profile/belongs.h"
#include "profile/codec/image_part.h"
#include "profile/codec/message.h"
#include "profile/codec/stacks.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/gmon/options_for.h"

namespace gprofhub::collector {

namespace {

// The readers of recordings and of sampled stacks take about so many times what they read.
constexpr uint64_t kReaderFactor = 12;

}  // namespace

absl::StatusOr<profile::SymbolTable> CheckBundle(absl::string_view field, absl::string_view bytes) {
  absl::StatusOr<profile::SymbolTable> symbols =
      profile::DecodeSymbolBundle(bytes, {.lines = false});
  if (!symbols.ok()) return FieldError(field, symbols.status().message());
  if (const auto options = profile::GmonOptionsFor(symbols->architecture); !options.ok()) {
    return FieldError(field, options.status().message());
  }
  return symbols;
}

uint64_t MemoryToCheckBundle(absl::string_view bytes) { return profile::DecodingMemory(bytes); }

uint64_t MemoryToCheckProfile(absl::string_view bytes) {
  return kReaderFactor * std::max<uint64_t>(profile::StatedSize(bytes), bytes.size());
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
