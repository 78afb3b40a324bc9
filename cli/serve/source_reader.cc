#include "cli/serve/source_reader.h"

#include <spdlog/spdlog.h>

#include <map>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "ci/upload/run/git.h"
#include "reporter/queries/find_run.h"

namespace gprofhub::cli {
namespace {

constexpr size_t kMostBytes = 4 << 20;
constexpr absl::Duration kGitPatience = absl::Seconds(10);  // for one file

// Paths in debug information may lie outside the repository.
bool IsWithinRepository(absl::string_view path) {
  if (path.empty() || absl::StartsWith(path, "/") || absl::StartsWith(path, "external/") ||
      absl::StartsWith(path, "bazel-out/") || absl::StrContains(path, '\0')) {
    return false;
  }
  for (const absl::string_view segment : absl::StrSplit(path, '/')) {
    if (segment == ".." || segment == "." || segment.empty()) return false;
  }
  return true;
}

// NOT_FOUND: the commit is there, the file is not in it.
absl::StatusOr<std::string> ReadAt(const ci::GitCommand& git, const std::string& commit,
                                   const std::string& path) {
  absl::StatusOr<std::string> text = git({"cat-file", "blob", absl::StrCat(commit, ":", path)});
  if (text.ok() || !git({"cat-file", "-e", absl::StrCat(commit, "^{commit}")}).ok()) return text;
  return absl::NotFoundError(absl::StrCat(path, ": is not in commit ", commit));
}

}  // namespace

absl::StatusOr<ReadSource> MakeSourceReader(const std::vector<std::string>& checkouts,
                                            const ForgeOptions& forges,
                                            const base::HttpClient& http) {
  std::map<std::string, ci::GitCommand> gits;
  for (const std::string& entry : checkouts) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(entry, absl::MaxSplits('=', 1));
    if (parts.first.empty() || parts.second.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--source-checkout ", entry, ": must be PROJECT=FOLDER"));
    }
    gits[parts.first] = ci::GitIn(parts.second, kGitPatience, ci::GitOutput::kAsItIs);
  }
  absl::StatusOr<reporter::ForgeByProject> known =
      MakeForges(forges, http, {absl::Now, absl::SleepFor});
  if (!known.ok()) {
    // A server that only shows pages may have no credentials.
    spdlog::info("pages show no source of forges: {}", std::string(known.status().message()));
    known = reporter::ForgeByProject();
  }
  if (gits.empty() && known->empty()) return nullptr;
  return KeepSources([gits = std::move(gits), known = *std::move(known)](
                         const std::string& project, const std::string& commit,
                         const std::string& path) -> absl::StatusOr<std::string> {
    if (!reporter::LooksLikeCommit(commit) || !IsWithinRepository(path)) {
      return absl::NotFoundError(absl::StrCat(path, ": is not in the repository"));
    }
    absl::StatusOr<std::string> text = absl::NotFoundError("the project has no source here");
    if (const auto git = gits.find(project); git != gits.end()) {
      text = ReadAt(git->second, commit, path);
    } else if (const auto forge = known.find(project); forge != known.end()) {
      text = forge->second->ReadFile(commit, path);
    }
    if (text.ok() && text->size() > kMostBytes) {
      return absl::ResourceExhaustedError(absl::StrCat(path, ": is too long"));
    }
    return text;
  });
}

}  // namespace gprofhub::cli
