#include "server/page_options.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "base/http/http.h"
#include "base/http/percent_coding.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "ci/upload/results/ci_systems.h"
#include "reporter/posting/post_report.h"
#include "reporter/queries/runs.h"
#include "server/notifying.h"
#include "store/objects/open_objects.h"

namespace gprofhub::server {

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
  return absl::NotFoundError(absl::StrCat(path, ": not in commit ", commit));
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
    spdlog::info("pages show no source from forges: {}", std::string(known.status().message()));
    known = reporter::ForgeByProject();
  }
  if (gits.empty() && known->empty()) return nullptr;
  return KeepSources([gits = std::move(gits), known = *std::move(known)](
                         const std::string& project, const std::string& commit,
                         const std::string& path) -> absl::StatusOr<std::string> {
    if (!reporter::LooksLikeCommit(commit) || !IsWithinRepository(path)) {
      return absl::NotFoundError(absl::StrCat(path, ": not in the repository"));
    }
    absl::StatusOr<std::string> text =
        absl::NotFoundError("no source is configured for the project");
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

namespace {

constexpr char kPagesGroup[] = "Pages";
constexpr absl::Duration kIssuerPatience = absl::Seconds(5);
constexpr absl::Duration kSourcePatience = absl::Seconds(10);  // for one file of a forge
constexpr size_t kMostIssuerBytes = 1 << 20;

std::string IsWebUrl(const std::string& url) {
  return page::Url::External(url).has_value() ? "" : "must begin with https:// or http://";
}

// "https://host:port/path/" → "host:port" and "/path".
std::pair<absl::string_view, absl::string_view> HostAndPath(absl::string_view url) {
  if (!absl::ConsumePrefix(&url, "https://")) absl::ConsumePrefix(&url, "http://");
  const size_t slash = std::min(url.find('/'), url.size());
  return {url.substr(0, slash), base::WithoutTrailingSlashes(url.substr(slash))};
}

// A check for CLI11. Cookies, proxies' settings and addresses have to agree on the path byte by
// byte: no character in it may have two spellings.
std::string IsPublicUrl(const std::string& url) {
  if (std::string error = IsWebUrl(url); !error.empty()) return error;
  if (url.find_first_of("?#@") != std::string::npos) {
    return "must have no query, fragment or user";
  }
  const auto [host, path] = HostAndPath(url);
  if (host.empty()) return "must name a host";
  const std::vector<absl::string_view> segments = absl::StrSplit(path, '/');
  for (size_t i = 1; i < segments.size(); ++i) {
    const absl::string_view segment = segments[i];
    if (segment.empty() || segment == "." || segment == ".." ||
        base::PercentEncoded(segment) != segment) {
      return "must have a path of names with letters, digits and any of -._~";
    }
  }
  if (segments.size() > 1 && absl::c_linear_search(kOwnSegments, segments[1])) {
    return absl::StrCat("must not have a path that begins with /", segments[1],
                        ", as addresses of the pages do");
  }
  return "";
}

// "host:port" → "host".
std::string HostWithoutPort(absl::string_view url) {
  const size_t colon = url.rfind(':');
  const size_t bracket = url.rfind(']');
  if (colon != absl::string_view::npos && (bracket == absl::string_view::npos || colon > bracket)) {
    url = url.substr(0, colon);
  }
  if (absl::ConsumePrefix(&url, "[")) absl::ConsumeSuffix(&url, "]");
  return std::string(url);
}

// Ends the addresses of a repository's pages at GitLab, before the kind of page.
constexpr absl::string_view kGitLabMark = "/-";

// The pages of the repository at this address.
page::SourceLinks ForgeLinks(absl::string_view at) {
  const bool is_gitlab = absl::EndsWith(at, kGitLabMark);
  page::SourceLinks links;
  links.line = absl::StrCat(at, "/blob/{commit}/{file}#L{line}");
  links.commit = absl::StrCat(at, "/commit/{commit}");
  links.range = absl::StrCat(at, "/compare/{base}...{head}");
  links.range_file = is_gitlab ? "#{sha1}" : "#diff-{sha256}R{line}";
  links.pull_request = absl::StrCat(at, is_gitlab ? "/merge_requests/{number}" : "/pull/{number}");
  return links;
}

page::SourceLinks GitHubLinks(const std::string& repository, const ForgeOptions& forges) {
  // GitHub's own API has a host of its own; GitHub Enterprise Server's is below /api/v3.
  absl::string_view web = base::WithoutTrailingSlashes(forges.github_url);
  if (web == "https://api.github.com") web = "https://github.com";
  absl::ConsumeSuffix(&web, "/api/v3");
  return ForgeLinks(absl::StrCat(web, "/", repository));
}

page::SourceLinks GitLabLinks(const std::string& repository, const ForgeOptions& forges) {
  absl::string_view web = base::WithoutTrailingSlashes(forges.gitlab_url);
  absl::ConsumeSuffix(&web, "/api/v4");
  return ForgeLinks(absl::StrCat(web, "/", repository, kGitLabMark));
}

// With a reporter, MakeForges has checked a forge's entries; entries of an unknown form get no
// links.
absl::StatusOr<page::SourceLinksByProject> LinksOf(const PageOptions& options,
                                                   const ForgeOptions& forges) {
  page::SourceLinksByProject links;
  for (const std::string& entry : forges.projects) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(entry, absl::MaxSplits('=', 1));
    const std::pair<std::string, std::string> forge =
        absl::StrSplit(parts.second, absl::MaxSplits(':', 1));
    if (forge.first == "github") links[parts.first] = GitHubLinks(forge.second, forges);
    if (forge.first == "gitlab") links[parts.first] = GitLabLinks(forge.second, forges);
  }
  for (const std::string& entry : options.sources) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(entry, absl::MaxSplits('=', 1));
    if (parts.first.empty() || !absl::StrContains(parts.second, "{file}") ||
        !(absl::StartsWith(parts.second, "https://") ||
          absl::StartsWith(parts.second, "http://"))) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--source-url ", entry,
          ": must be PROJECT=https://… with {file} and, optionally, {commit} and {line}"));
    }
    // A template in the form of GitHub and GitLab names the forge's other pages, too.
    const size_t blob = parts.second.find("/blob/{commit}/{file}");
    if (blob != std::string::npos && links.count(parts.first) == 0) {
      links[parts.first] = ForgeLinks(parts.second.substr(0, blob));
    }
    links[parts.first].line = parts.second;
    links[parts.first].has_external = true;
  }
  return links;
}

// Null if not configured.
absl::StatusOr<std::shared_ptr<LoginIssuer>> MakeLoginIssuer(const PageOptions& options) {
  if (options.login_issuer.empty()) return nullptr;
  if (absl::Status status = base::CheckHttpUrl(options.login_issuer); !status.ok()) {
    return base::WithContext(status, "--http-login-issuer");
  }
  LoginIssuerOptions login;
  login.issuer = std::string(base::WithoutTrailingSlashes(options.login_issuer));
  login.client = options.login_client;
  login.users = options.login_users;
  login.back = absl::StrCat(base::WithoutTrailingSlashes(options.url), "/login/done");
  if (!options.login_secret_file.empty()) {
    ASSIGN_OR_RETURN(std::string secret, ReadHeaderSecret(options.login_secret_file));
    login.secret = std::move(secret);
  }
  base::CurlOptions curl;
  curl.connect_timeout = curl.timeout = kIssuerPatience;
  curl.max_response_bytes = kMostIssuerBytes;
  curl.ca_file = options.login_ca_file;
  return std::make_shared<LoginIssuer>(std::move(login), base::MakeCurlClient(curl));
}

}  // namespace

absl::StatusOr<std::optional<ListenAddress>> BeyondLoopback(const PageOptions& options) {
  if (options.listen.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(const ListenAddress listen, ParseListenAddress(options.listen));
  ASSIGN_OR_RETURN(const bool is_loopback, IsLoopback(listen));
  if (is_loopback) return std::nullopt;
  return listen;
}

void AddPageOptions(CLI::App& command, PageOptions& options) {
  const auto add = [&command](const char* name, auto& value, const char* type,
                              const char* description) {
    return command.add_option(name, value, description)->type_name(type)->group(kPagesGroup);
  };
  CLI::Option* const http =
      add("--http", options.listen, "HOST:PORT",
          "Address of the web pages, such as 127.0.0.1:8080 (default: no pages)");
  CLI::Option* const url =
      add("--http-url", options.url, "URL",
          "Public URL of the pages, with the path below which a proxy serves them")
          ->check(IsPublicUrl)
          ->needs(http);
  add("--http-public", options.public_projects, "PROJECT",
      "Serve this project's pages without login; may be given several times")
      ->expected(1)
      ->take_all();
  CLI::Option* const header = add("--http-user-header", options.user_header, "NAME",
                                  "Header with the user's name, set by the proxy of --http-proxy; "
                                  "these users may read all projects and acknowledge");
  CLI::Option* const proxy = add("--http-proxy", options.proxies, "ADDRESS",
                                 "Address of a trusted proxy; --http-user-header is accepted only "
                                 "from there; may be given several times")
                                 ->expected(1)
                                 ->take_all();
  header->needs(proxy);
  proxy->needs(header);
  CLI::Option* const issuer = add("--http-login-issuer", options.login_issuer, "URL",
                                  "OpenID Connect issuer for logging in; needs --http-url")
                                  ->check(IsWebUrl)
                                  ->needs(url);
  CLI::Option* const client = add("--http-login-client", options.login_client, "ID",
                                  "Client ID of this server at the issuer");
  CLI::Option* const users =
      add("--http-login-user", options.login_users, "PATTERN",
          "Verified e-mail addresses that may log in, such as '*@example.com'; these users may "
          "read all projects and acknowledge; may be given several times")
          ->expected(1)
          ->take_all();
  issuer->needs(client)->needs(users);
  client->needs(issuer);
  users->needs(issuer);
  add("--http-login-secret-file", options.login_secret_file, "FILE",
      "File with this server's client secret at the issuer")
      ->needs(issuer);
  add("--http-login-ca", options.login_ca_file, "FILE",
      "CA certificate for the issuer, PEM (default: the system's)")
      ->needs(issuer);
  add("--source-url", options.sources, "PROJECT=URL",
      "URL template of source files, with {commit}, {file} and {line} (default: derived from "
      "--forge)")
      ->expected(1)
      ->take_all();
  add("--source-checkout", options.checkouts, "PROJECT=FOLDER",
      "Git repository with the project's commits, for annotated source (default: the project's "
      "--forge)")
      ->expected(1)
      ->take_all();
}

std::string ComparisonPageUrl(const PageOptions& options) {
  if (options.url.empty()) return "";
  return absl::StrCat(base::WithoutTrailingSlashes(options.url), kComparisonPath);
}

absl::StatusOr<std::string> ClientPageUrl(const PageOptions& options, const std::string& page_url) {
  if (!page_url.empty() || options.listen.empty()) return page_url;
  ASSIGN_OR_RETURN(const std::optional<ListenAddress> beyond, BeyondLoopback(options));
  ASSIGN_OR_RETURN(const ListenAddress listen, ParseListenAddress(options.listen));
  // Port 0 is replaced by a free one later.
  if (beyond.has_value() || listen.port == 0) return "";
  return absl::StrCat("http://", listen.ToString(), kComparisonPath);
}

absl::StatusOr<PictureOptions> ReadPictureOptions(const std::string& key_file,
                                                  const std::string& page_url) {
  PictureOptions options;
  if (key_file.empty()) return options;
  ASSIGN_OR_RETURN(std::string key, ReadSecret(key_file));
  if (key.size() < reporter::kLeastPictureKeyBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(key_file, ": must hold at least ", reporter::kLeastPictureKeyBytes, " bytes"));
  }
  options.key = std::move(key);
  absl::string_view host = page_url;
  if (!absl::ConsumeSuffix(&host, kComparisonPath) || host.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--picture-key-file needs --http-url, or a --page-url that ends with ",
                     kComparisonPath, ", which serve the pictures"));
  }
  options.host = std::string(host);
  return options;
}

absl::StatusOr<CommentLinks> CommentLinksOf(const ReportingOptions& reporting,
                                            const PageOptions& pages) {
  CommentLinks links;
  links.page_url = reporting.page_url.empty() ? ComparisonPageUrl(pages) : reporting.page_url;
  ASSIGN_OR_RETURN(PictureOptions pictures,
                   ReadPictureOptions(reporting.picture_key_file, links.page_url));
  links.picture_host = std::move(pictures.host);
  links.picture_key = std::move(pictures.key);
  return links;
}

absl::StatusOr<ReadSource> SourceReaderOf(const PageOptions& options, const ForgeOptions& forges) {
  base::CurlOptions curl;
  curl.connect_timeout = curl.timeout = kSourcePatience;
  return MakeSourceReader(options.checkouts, forges, base::MakeCurlClient(curl));
}

VisitOptions VisitOptionsOf(const PageOptions& options) {
  VisitOptions visits;
  visits.public_projects = {options.public_projects.begin(), options.public_projects.end()};
  visits.proxies = {options.proxies.begin(), options.proxies.end()};
  const auto [host, path] = HostAndPath(options.url);
  visits.own_host = HostWithoutPort(host);
  visits.own_origin = options.url.substr(0, options.url.find('/', options.url.find("://") + 3));
  visits.path_prefix = std::string(path);
  visits.secure_cookies = absl::StartsWith(options.url, "https://");
  return visits;
}

absl::StatusOr<std::unique_ptr<PageServer>> StartPages(
    const PageOptions& options, const ForgeOptions& forges, const std::string& picture_key,
    PageStore store, ReadSource read_source, collector::Access access, base::MemoryBudget& decoding,
    std::optional<ListenAddress> uploads, collector::AsOf as_of) {
  if (options.listen.empty()) return nullptr;
  ASSIGN_OR_RETURN(ListenAddress listen, ParseListenAddress(options.listen));
  PageServerOptions server;
  server.listen = std::move(listen);
  server.user_header = options.user_header;
  server.decoding = &decoding;
  server.visits = VisitOptionsOf(options);
  ASSIGN_OR_RETURN(page::SourceLinksByProject links, LinksOf(options, forges));
  ASSIGN_OR_RETURN(std::shared_ptr<LoginIssuer> login, MakeLoginIssuer(options));
  absl::StatusOr<std::unique_ptr<PageServer>> started = PageServer::Start(server,
                                                                          {std::move(store),
                                                                           std::move(links),
                                                                           std::move(read_source),
                                                                           std::move(login),
                                                                           {picture_key},
                                                                           std::move(uploads),
                                                                           std::move(as_of)},
                                                                          std::move(access));
  if (started.ok()) {
    const absl::StatusOr<bool> is_loopback = IsLoopback((*started)->address());
    if (is_loopback.ok() && !*is_loopback && !server.visits.secure_cookies) {
      spdlog::warn(
          "pages on {} are not encrypted; put a reverse proxy with TLS in front of them and pass "
          "its address as --http-url https://…",
          (*started)->address().ToString());
    }
  }
  return started;
}

namespace {

absl::StatusOr<std::filesystem::path> DefaultDataDir() {
  // The XDG base directory specification requires that relative paths are ignored.
  const char* data_home = std::getenv("XDG_DATA_HOME");
  if (data_home != nullptr && data_home[0] == '/') {
    return std::filesystem::path(data_home) / "gprofhub";
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') {
    return absl::FailedPreconditionError(
        "no default data directory: HOME is not set; pass --data-dir");
  }
  return std::filesystem::path(home) / ".local/share/gprofhub";
}

}  // namespace

void AddStoreOptions(CLI::App& command, StoreOptions& options) {
  CLI::Option* data_dir = command
                              .add_option("--data-dir", options.data_dir,
                                          "Directory of the embedded store (default: "
                                          "${XDG_DATA_HOME:-~/.local/share}/gprofhub)")
                              ->envname("GPROFHUB_DATA_DIR")
                              ->type_name("DIR");
  command
      .add_option("--store", options.store,
                  "Location of the store: sqlite:DIR or postgresql://USER@HOST/DATABASE")
      ->envname("GPROFHUB_STORE")
      ->type_name("LOCATION")
      ->excludes(data_dir);
}

void AddArchiveOption(CLI::App& command, StoreOptions& options) {
  command
      .add_option(
          "--archive", options.archive,
          "Archive of old blobs: a directory (/PATH or file:PATH) or a bucket (s3://BUCKET/PREFIX)")
      ->envname("GPROFHUB_ARCHIVE")
      ->type_name("LOCATION");
}

void AddKeepSegmentsOption(CLI::App& command, StoreOptions& options) {
  command
      .add_option("--keep-segments", options.keep_segments_days,
                  "Retention of unused segments in the archive; at least that of backups")
      ->envname("GPROFHUB_KEEP_SEGMENTS")
      ->type_name("DAYS")
      ->check(CLI::Range(0u, 36'500u))
      ->capture_default_str();
}

absl::StatusOr<std::shared_ptr<store::ObjectStore>> OpenArchive(const StoreOptions& options) {
  if (options.archive.empty()) return nullptr;
  absl::StatusOr<std::unique_ptr<store::ObjectStore>> archive = store::OpenObjects(options.archive);
  if (!archive.ok()) return base::WithContext(archive.status(), "--archive");
  return std::shared_ptr<store::ObjectStore>(*std::move(archive));
}

absl::StatusOr<std::string> StoreLocation(const StoreOptions& options) {
  if (!options.store.empty()) return std::string(absl::StripAsciiWhitespace(options.store));
  std::filesystem::path dir = options.data_dir;
  if (dir.empty()) {
    ASSIGN_OR_RETURN(std::filesystem::path default_dir, DefaultDataDir());
    dir = std::move(default_dir);
  }
  return absl::StrCat("sqlite:", dir.string());
}

}  // namespace gprofhub::server
