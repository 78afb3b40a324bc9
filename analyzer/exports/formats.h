// The writers behind exports.h, one per format.
#pragma once

#include "analyzer/exports/input.h"
#include "analyzer/text/text_buffer.h"

namespace gprofhub::analyzer {

// docs/gprof-json.md has the schema.
void WriteJson(const ExportInput& input, TextSink sink);

// Valgrind manual, "Callgrind Format Specification": exact call counts, and for each call the time
// of its arc in the call graph.
void WriteCallgrind(const ExportInput& input, TextSink sink);

// proto/pprof.proto, not compressed: pprof reads both.
void WritePprof(const ExportInput& input, TextSink sink);

// "outermost;...;innermost VALUE", the input of flamegraph.pl and similar tools.
void WriteFolded(const ExportInput& input, TextSink sink);

// https://www.speedscope.app/file-format-schema.json, a "sampled" profile.
void WriteSpeedscope(const ExportInput& input, TextSink sink);

}  // namespace gprofhub::analyzer
