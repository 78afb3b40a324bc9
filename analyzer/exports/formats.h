// The writers behind exports.h, one a format.
#pragma once

#include "analyzer/exports/input.h"
#include "analyzer/text/text_buffer.h"

namespace gprofhub::analyzer {

// docs/gprof-json.md has the schema.
void WriteJson(const ExportInput& input, TextSink sink);

// Valgrind manual, "Callgrind Format Specification": exact calls, and along each
// call the time as the call graph has it.
void WriteCallgrind(const ExportInput& input, TextSink sink);

// proto/pprof.proto, not compressed: pprof reads both.
void WritePprof(const ExportInput& input, TextSink sink);

// "outermost;...;innermost VALUE", what flamegraph.pl and its kin read.
void WriteFolded(const ExportInput& input, TextSink sink);

// https://www.speedscope.app/file-format-schema.json, a "sampled" profile.
void WriteSpeedscope(const ExportInput& input, TextSink sink);

}  // namespace gprofhub::analyzer
