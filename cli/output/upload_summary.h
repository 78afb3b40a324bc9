// Summary of an upload, as text and as JSON.
#pragma once

#include <string>

#include "ci/upload/upload.h"

namespace gprofhub::cli {

// A few sentences; `commit` is the run's. Printable.
std::string UploadSummaryText(const ci::UploadSummary& summary, const std::string& commit,
                              bool dry_run);

// One JSON object and a newline: dry_run, commit, run_ids, executions, already_present, cached,
// without_profiles, profiles, images, bytes_sent, bytes_total, skipped, error (absent if the upload
// completed).
std::string UploadSummaryJson(const ci::UploadSummary& summary, const std::string& commit,
                              bool dry_run);

}  // namespace gprofhub::cli
