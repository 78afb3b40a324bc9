#include "cli/serve/forges.h"

#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_context.h"
#include "cli/notify/read_secret.h"
#include "reporter/forge/gerrit.h"
#include "reporter/forge/github.h"
#include "reporter/forge/github_auth.h"
#include "reporter/forge/gitlab.h"

namespace gprofhub::cli {
namespace {

std::string WithoutSlash(absl::string_view url) {
  while (absl::ConsumeSuffix(&url, "/")) {
  }
  return std::string(url);
}

absl::Status NeedsCredentials(absl::string_view entry, absl::string_view flags) {
  return absl::InvalidArgumentError(absl::StrCat("--forge ", entry, " needs ", flags));
}

// "owner/name", or deeper for GitLab.
bool IsRepository(absl::string_view name, size_t least_parts, size_t most_parts) {
  const std::vector<absl::string_view> parts = absl::StrSplit(name, '/');
  for (absl::string_view part : parts) {
    if (part.empty() || part == "." || part == "..") return false;
    for (const char c : part) {
      if (!absl::ascii_isalnum(c) && !absl::StrContains("._-", c)) return false;
    }
  }
  return parts.size() >= least_parts && parts.size() <= most_parts;
}

class Maker {
 public:
  Maker(const ForgeOptions& options, const base::HttpClient& http,
        const reporter::ForgeClock& clock)
      : options_(options), http_(http), clock_(clock) {}

  absl::StatusOr<std::shared_ptr<reporter::Forge>> Make(const std::string& entry,
                                                        const std::string& kind,
                                                        const std::string& name) {
    if (kind == "github" && IsRepository(name, 2, 2)) return MakeGitHubForge(entry, name);
    if (kind == "gitlab" && IsRepository(name, 2, 20)) return MakeGitLabForge(entry, name);
    if (kind == "gerrit" && IsRepository(name, 1, 20)) return MakeGerritForge(entry, name);
    return absl::InvalidArgumentError(
        absl::StrCat("--forge ", entry,
                     " is not of the form PROJECT=github:OWNER/NAME, PROJECT=gitlab:GROUP/NAME or "
                     "PROJECT=gerrit:NAME"));
  }

 private:
  absl::StatusOr<std::shared_ptr<reporter::Forge>> MakeGitHubForge(const std::string& entry,
                                                                   const std::string& name) {
    reporter::GitHubOptions github;
    github.base_url = WithoutSlash(options_.github_url);
    github.repository = name;
    if (!options_.github_app_id.empty() && !options_.github_app_key_file.empty()) {
      absl::StatusOr<std::string> key = ReadSecret(options_.github_app_key_file);
      if (!key.ok()) return key.status();
      // A wrong key is better found now than at the first report.
      const absl::Status good =
          reporter::MakeAppJwt(options_.github_app_id, *key, absl::UnixEpoch()).status();
      if (!good.ok()) return base::WithContext(good, options_.github_app_key_file);
      github.credentials = reporter::GitHubApp{options_.github_app_id, *std::move(key)};
    } else if (!options_.github_token_file.empty()) {
      absl::StatusOr<std::string> token = ReadSecret(options_.github_token_file);
      if (!token.ok()) return token.status();
      github.credentials = *std::move(token);
    } else {
      return NeedsCredentials(entry,
                              "--github-app-id and --github-app-key-file, or --github-token-file");
    }
    return std::shared_ptr<reporter::Forge>(reporter::MakeGitHub(std::move(github), http_, clock_));
  }

  absl::StatusOr<std::shared_ptr<reporter::Forge>> MakeGitLabForge(const std::string& entry,
                                                                   const std::string& name) {
    if (options_.gitlab_token_file.empty()) return NeedsCredentials(entry, "--gitlab-token-file");
    absl::StatusOr<std::string> token = ReadSecret(options_.gitlab_token_file);
    if (!token.ok()) return token.status();
    return std::shared_ptr<reporter::Forge>(reporter::MakeGitLab(
        {WithoutSlash(options_.gitlab_url), name, *std::move(token)}, http_, clock_));
  }

  absl::StatusOr<std::shared_ptr<reporter::Forge>> MakeGerritForge(const std::string& entry,
                                                                   const std::string& name) {
    if (options_.gerrit_url.empty() || options_.gerrit_password_file.empty()) {
      return NeedsCredentials(entry, "--gerrit-url and --gerrit-password-file");
    }
    absl::StatusOr<std::string> secret = ReadSecret(options_.gerrit_password_file);
    if (!secret.ok()) return secret.status();
    const std::pair<std::string, std::string> user_and_password =
        absl::StrSplit(*secret, absl::MaxSplits(':', 1));
    if (user_and_password.first.empty() || user_and_password.second.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(options_.gerrit_password_file, " does not hold USER:PASSWORD"));
    }
    return std::shared_ptr<reporter::Forge>(
        reporter::MakeGerrit({WithoutSlash(options_.gerrit_url), name, user_and_password.first,
                              user_and_password.second, options_.gerrit_label},
                             http_, clock_));
  }

  const ForgeOptions& options_;
  const base::HttpClient& http_;
  const reporter::ForgeClock& clock_;
};

}  // namespace

std::vector<std::string> ProjectsOf(const ForgeOptions& options,
                                    const reporter::HookComment& comment) {
  const bool github = comment.forge == reporter::HookForge::kGitHub;
  const std::string place = absl::StrCat(github ? "github:" : "gitlab:", comment.repository);
  std::vector<std::string> projects;
  for (const std::string& entry : options.projects) {
    const std::pair<std::string, std::string> sides =
        absl::StrSplit(entry, absl::MaxSplits('=', 1));
    // Names at forges are case-insensitive.
    if (absl::EqualsIgnoreCase(sides.second, place)) projects.push_back(sides.first);
  }
  return projects;
}

absl::StatusOr<reporter::ForgeByProject> MakeForges(const ForgeOptions& options,
                                                    const base::HttpClient& http,
                                                    const reporter::ForgeClock& clock) {
  Maker maker(options, http, clock);
  reporter::ForgeByProject forges;
  for (const std::string& entry : options.projects) {
    const std::pair<std::string, std::string> sides =
        absl::StrSplit(entry, absl::MaxSplits('=', 1));
    const std::pair<std::string, std::string> place =
        absl::StrSplit(sides.second, absl::MaxSplits(':', 1));
    absl::StatusOr<std::shared_ptr<reporter::Forge>> forge =
        maker.Make(entry, sides.first.empty() ? "" : place.first, place.second);
    if (!forge.ok()) return forge.status();
    if (!forges.emplace(sides.first, *std::move(forge)).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("--forge ", entry, ": the project is there twice"));
    }
  }
  return forges;
}

}  // namespace gprofhub::cli
