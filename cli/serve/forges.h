// The forges that `gprofhub serve` reports to, from its options.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/http/http.h"
#include "reporter/forge/hooks/hook_request.h"
#include "reporter/forge/http/forge_clock.h"
#include "reporter/worker/report_worker.h"

namespace gprofhub::cli {

struct ForgeOptions {
  // "PROJECT=github:OWNER/NAME", "PROJECT=gitlab:GROUP/NAME" or
  // "PROJECT=gerrit:NAME".
  std::vector<std::string> projects;
  std::string github_url = "https://api.github.com";
  std::string github_token_file;
  std::string github_app_id;
  std::string github_app_key_file;
  std::string gitlab_url = "https://gitlab.com/api/v4";
  std::string gitlab_token_file;
  std::string gerrit_url;
  std::string gerrit_password_file;  // holds "USER:PASSWORD"
  std::string gerrit_label;
};

// One forge per project. INVALID_ARGUMENT for an entry of another form, a project
// that is there twice, or a kind without credentials; NOT_FOUND for a file that
// cannot be read. Credentials are in no message.
absl::StatusOr<reporter::ForgeByProject> MakeForges(const ForgeOptions& options,
                                                    const base::HttpClient& http,
                                                    const reporter::ForgeClock& clock);

// The projects of the comment's repository; empty if it is unknown.
std::vector<std::string> ProjectsOf(const ForgeOptions& options,
                                    const reporter::HookComment& comment);

}  // namespace gprofhub::cli
