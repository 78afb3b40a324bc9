#include "analyzer/exports/exports.h"

#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/exports/formats.h"

namespace gprofhub::analyzer {
namespace {

struct NamedFormat {
  absl::string_view name;
  ExportFormat format;
  void (*write)(const ExportInput&, TextSink);
};

constexpr NamedFormat kFormats[] = {
    {"json", ExportFormat::kJson, WriteJson},
    {"callgrind", ExportFormat::kCallgrind, WriteCallgrind},
    {"pprof", ExportFormat::kPprof, WritePprof},
    {"folded", ExportFormat::kFolded, WriteFolded},
    {"speedscope", ExportFormat::kSpeedscope, WriteSpeedscope},
};

}  // namespace

absl::StatusOr<ExportFormat> ParseExportFormat(absl::string_view name) {
  std::string known;
  for (const NamedFormat& format : kFormats) {
    if (format.name == name) return format.format;
    absl::StrAppend(&known, known.empty() ? "" : ", ", format.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown format '", name, "'; the formats are ", known));
}

void WriteExport(const ExportInput& input, ExportFormat format, TextSink sink) {
  for (const NamedFormat& each : kFormats) {
    if (each.format == format) each.write(input, sink);
  }
}

}  // namespace gprofhub::analyzer
