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

// A gmon file's bins grow from two bytes to eight; its other rows grow less.
constexpr uint64_t kGmonFactor = 5;

absl::StatusOr<RawProfile> PartOf(const Recording& recording, absl::string_view name,
                                  const SymbolTable& image, std::vector<CallsOut>* calls_out) {
  const RecordedModule* const module = FindModule(recording, image.build_id);
  if (module != nullptr) {
    const size_t index = static_cast<size_t>(module - recording.modules.data());
    if (calls_out != nullptr) *calls_out = CallsOutOf(recording, index);
    return ProfileOfModule(recording, index);
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": has nothing of ", image.image_name, " (build-id ",
                   image.build_id.empty() ? "none" : image.build_id,
                   "); `gprofhub info` names the modules that it is of"));
}

}  // namespace

absl::StatusOr<RawProfile> ReadImagePart(absl::string_view bytes, absl::string_view name,
                                         const SymbolTable& image, const base::Decoding& decoding,
                                         std::vector<CallsOut>* calls_out) {
  const absl::StatusOr<std::optional<Recording>> recording = ReadIfRecording(bytes, name, decoding);
  if (!recording.ok()) return recording.status();
  const bool is_gmon = !recording->has_value();
  const absl::StatusOr<GmonReadOptions> options = GmonOptionsFor(image.architecture);
  if (is_gmon && !options.ok()) return options.status();
  // The part has no more rows than its recording.
  absl::StatusOr<base::DecodingPart> memory =
      decoding.Take(is_gmon ? kGmonFactor * bytes.size() : MemoryOf(**recording));
  if (!memory.ok()) return memory.status();
  absl::StatusOr<RawProfile> part =
      is_gmon ? ReadGmon(bytes, name, *options) : PartOf(**recording, name, image, calls_out);
  if (part.ok()) memory->Leave(MemoryOf(*part));
  return part;
}

}  // namespace gprofhub::profile
