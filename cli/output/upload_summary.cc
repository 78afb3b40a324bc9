#include "cli/output/upload_summary.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "cli/output/json_text.h"

namespace gprofhub::cli {
namespace {

std::string Number(uint64_t count, const char* noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

std::string Bytes(uint64_t bytes) {
  if (bytes < 10'000) return Number(bytes, "byte");
  if (bytes < 10'000'000) return absl::StrFormat("%.0f kB", static_cast<double>(bytes) / 1e3);
  return absl::StrFormat("%.1f MB", static_cast<double>(bytes) / 1e6);
}

}  // namespace

std::string UploadSummaryText(const ci::UploadSummary& summary, const std::string& commit,
                              bool dry_run) {
  std::vector<std::string> asides;
  if (summary.already_present > 0) {
    asides.push_back(absl::StrCat(summary.already_present, " already there"));
  }
  if (summary.cached > 0) {
    asides.push_back(absl::StrCat(summary.cached, " answered from Bazel's cache"));
    if (summary.found > 0) {
      asides.push_back(absl::StrCat(summary.found, " of them with the server's profiles"));
    }
  }
  std::string text = absl::StrCat(
      dry_run ? "Would upload " : "Uploaded ", Number(summary.executions, "execution"),
      asides.empty() ? "" : absl::StrCat(" (", absl::StrJoin(asides, ", "), ")"), " of commit ",
      commit.substr(0, 12), ": ", Number(summary.profiles, "profile"), ", ",
      Number(summary.images.size(), "image"), ", ",
      dry_run ? absl::StrCat("at most ", Bytes(summary.bytes_total))
              : absl::StrCat(Bytes(summary.bytes_sent), " sent of ", Bytes(summary.bytes_total)),
      ".\n");
  if (!summary.run_ids.empty()) {
    absl::StrAppend(&text, summary.run_ids.size() == 1 ? "Run: " : "Runs: ",
                    base::Printable(absl::StrJoin(summary.run_ids, ", ")), "\n");
  }
  if (summary.without_profiles > 0) {
    absl::StrAppend(&text, Number(summary.without_profiles, "execution"), " left no profiles.\n");
  }
  if (!summary.skipped.empty()) {
    absl::StrAppend(&text, "Left out: ", summary.skipped.size(), "; the reasons are on stderr.\n");
  }
  return text;
}

std::string UploadSummaryJson(const ci::UploadSummary& summary, const std::string& commit,
                              bool dry_run) {
  nlohmann::ordered_json json = {{"dry_run", dry_run},
                                 {"commit", commit},
                                 {"run_ids", summary.run_ids},
                                 {"executions", summary.executions},
                                 {"already_present", summary.already_present},
                                 {"cached", summary.cached},
                                 {"found", summary.found},
                                 {"without_profiles", summary.without_profiles},
                                 {"profiles", summary.profiles},
                                 {"images", summary.images},
                                 {"bytes_sent", summary.bytes_sent},
                                 {"bytes_total", summary.bytes_total},
                                 {"skipped", summary.skipped}};
  if (!summary.status.ok()) json["error"] = std::string(summary.status.message());
  return JsonText(json);
}

}  // namespace gprofhub::cli
