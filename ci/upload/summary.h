// What an upload came to, for people and for scripts.
#pragma once

#include <string>

#include "ci/upload/upload.h"

namespace gprofhub::ci {

// Text with control characters replaced: names and messages come from test
// outputs and from the server, and must not steer a terminal.
std::string ForTerminal(const std::string& text);

// A few sentences; `commit` is the run's.
std::string SummaryText(const UploadSummary& summary, const std::string& commit, bool dry_run);

// One JSON object and a newline: dry_run, commit, run_ids, executions,
// already_present, cached, without_profiles, profiles, images, bytes_sent,
// bytes_total, skipped, error (absent if the upload came to its end).
std::string SummaryJson(const UploadSummary& summary, const std::string& commit, bool dry_run);

}  // namespace gprofhub::ci
