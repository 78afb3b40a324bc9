// Warnings about counts that vary by chance: where the variation begins.
#pragma once

#include <vector>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Adds a warning with the functions whose calls vary from run to run, each once for all targets,
// and one with those whose calls repeated until now.
void NoteVaryingCounts(const std::vector<v1::Finding>& findings, v1::Report& report);

}  // namespace gprofhub::reporter
