// The file does not record the size of its addresses. Reading with the wrong size meets an unknown
// tag, an impossible histogram or the end of the file within a record or two. So every size (and,
// for the BSD formats, byte order) that the options leave open is tried, and the one that reads the
// whole file is used. If none does, the error of the attempt that got furthest is returned.
//
// The bytes are read twice. The first pass (check.h) checks and counts everything, and stores only
// the shapes of the histograms. In the second pass (cursor.h) the file is known to be valid, and
// numbers are read without checks. So a rejected file costs no memory, and an accepted one gets
// each of its arrays in one allocation.

#include "profile/gmon/reader.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "profile/gmon/format.h"

namespace gprofhub::profile {
namespace {

// The one attempt that reached the end of the file.
absl::StatusOr<GmonLayout> Choose(std::vector<GmonLayout> layouts, absl::string_view file_name) {
  GmonLayout* chosen = nullptr;
  GmonLayout* furthest = nullptr;
  for (GmonLayout& layout : layouts) {
    if (furthest == nullptr || layout.offset > furthest->offset) furthest = &layout;
    if (!layout.status.ok()) continue;
    if (chosen != nullptr && !layout.Empty()) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s: can be read both with 8-byte and with 4-byte addresses: say which, or give the "
          "image it belongs to",
          file_name));
    }
    if (chosen == nullptr) chosen = &layout;
  }
  if (chosen == nullptr) return furthest->status;
  return std::move(*chosen);
}

std::vector<int> AddressSizes(const GmonReadOptions& options) {
  if (options.address_size.has_value()) return {*options.address_size};
  return {8, 4};
}

absl::StatusOr<GmonLayout> CheckBsdFile(absl::string_view bytes, absl::string_view file_name,
                                        const GmonReadOptions& options) {
  std::vector<bool> orders = {false, true};
  if (options.big_endian.has_value()) orders = {*options.big_endian};
  for (const bool with_version : {true, false}) {
    std::vector<GmonLayout> layouts;
    bool any = false;
    for (const bool big_endian : orders) {
      for (const int size : AddressSizes(options)) {
        layouts.push_back(CheckBsdLayout(bytes, file_name, {size, big_endian}, with_version));
        // A matching version selects this attempt, even if it fails later.
        any = any || layouts.back().status.ok() ||
              (with_version && layouts.back().offset > static_cast<size_t>(2 * size + 8));
      }
    }
    if (any || !with_version) return Choose(std::move(layouts), file_name);
  }
  return absl::InternalError("unreachable");
}

absl::StatusOr<GmonLayout> CheckGnuFile(absl::string_view bytes, absl::string_view file_name,
                                        const GmonReadOptions& options) {
  if (bytes.empty()) {
    return absl::DataLossError(absl::StrFormat(
        "%s: the file is empty: the program was killed or the disk was full when it ended; run it "
        "again",
        file_name));
  }
  const absl::string_view magic(GMON_MAGIC, GMON_MAGIC_SIZE);
  if (bytes.substr(0, magic.size()) != magic.substr(0, bytes.size())) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: header, magic at byte 0: \"%s\" is not \"gmon\": this is not a GNU "
                        "profile (gmon.out); "
                        "an old BSD profile is read only when asked for",
                        file_name, absl::CHexEscape(bytes.substr(0, magic.size()))));
  }
  if (bytes.size() < GMON_HEADER_SIZE) {
    return absl::DataLossError(absl::StrFormat(
        "%s: header at byte 0: needs %d bytes but the file has %d: the file is cut off; run the "
        "program again and let it end normally",
        file_name, GMON_HEADER_SIZE, bytes.size()));
  }
  GmonFields version(bytes.substr(GMON_MAGIC_SIZE, 4), file_name, {8, false});
  const uint64_t little = version.Number("version", 4);
  const bool big_endian = little != GMON_VERSION;
  const uint64_t big = __builtin_bswap32(static_cast<uint32_t>(little));
  if ((big_endian && big != GMON_VERSION) ||
      options.big_endian.value_or(big_endian) != big_endian) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: header, version at byte %d: %d (%d in the other byte order) is not %d: the file is "
        "damaged, of another version, or not of the image's byte order",
        file_name, GMON_MAGIC_SIZE, little, big, GMON_VERSION));
  }
  std::vector<GmonLayout> layouts;
  for (const int size : AddressSizes(options)) {
    layouts.push_back(CheckGnuLayout(bytes, file_name, {size, big_endian}));
  }
  return Choose(std::move(layouts), file_name);
}

}  // namespace

absl::StatusOr<GmonFile> OpenGmon(absl::string_view bytes, absl::string_view file_name,
                                  const GmonReadOptions& options) {
  if (options.address_size.has_value() && *options.address_size != 4 &&
      *options.address_size != 8) {
    return absl::InvalidArgumentError(
        absl::StrFormat("address size %d: must be 4 or 8", *options.address_size));
  }
  absl::StatusOr<GmonLayout> layout = options.format == GmonReadOptions::Format::kBsd
                                          ? CheckBsdFile(bytes, file_name, options)
                                          : CheckGnuFile(bytes, file_name, options);
  if (!layout.ok()) return layout.status();
  return GmonFile(bytes, *std::move(layout));
}

absl::StatusOr<RawProfile> ReadGmon(absl::string_view bytes, absl::string_view file_name,
                                    const GmonReadOptions& options) {
  const absl::StatusOr<GmonFile> file = OpenGmon(bytes, file_name, options);
  if (!file.ok()) return file.status();
  std::vector<RawArc> arcs;
  arcs.reserve(file->arcs());
  GmonCursor cursor = file->Read();
  for (auto next = cursor.NextArcs(); !next.empty(); next = cursor.NextArcs()) {
    arcs.insert(arcs.end(), next.begin(), next.end());
  }
  RawProfile profile = cursor.TakeRest();
  profile.arcs = std::move(arcs);
  return profile;
}

}  // namespace gprofhub::profile
