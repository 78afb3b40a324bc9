// Profile files of every format. Readable input must survive being written and read again.

#include <cstdlib>

#include "profile/gmon/reader.h"
#include "profile/gmon/writer.h"
#include "profile/merge.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using gprofhub::profile::GmonReadOptions;
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto format : {GmonReadOptions::Format::kAuto, GmonReadOptions::Format::kBsd}) {
    auto profile = gprofhub::profile::ReadGmon(
        bytes, "input", {.format = format, .address_size = {}, .big_endian = {}});
    if (!profile.ok()) continue;
    gprofhub::profile::ProfileMerger merger;
    if (!merger.Add(*std::move(profile)).ok()) continue;
    const gprofhub::profile::RawProfile sum = merger.Take();
    uint64_t counts = 0;
    for (const auto& arc : sum.arcs) counts += arc.count / 0xffffffff;
    if (counts > 1000) continue;  // would be written as as many records
    auto written = gprofhub::profile::WriteGmon(sum);
    if (!written.ok()) continue;
    auto again = gprofhub::profile::ReadGmon(
        *written, "again", {.format = format, .address_size = 8, .big_endian = {}});
    if (format == GmonReadOptions::Format::kAuto && !again.ok()) std::abort();
  }
  return 0;
}
