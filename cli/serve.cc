#include "server/serve.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "cli/command/command.h"
#include "cli/commands.h"
#include "server/observing.h"
#include "server/other_services.h"
#include "server/page_options.h"

namespace gprofhub::cli {

namespace {

// A check for CLI11: an error, or an empty string.
std::string IsPageUrl(const std::string& url) {
  const bool is_http = absl::StartsWith(url, "https://") || absl::StartsWith(url, "http://");
  if (is_http && absl::StrContains(url, "{run}")) return "";
  return "must begin with https:// or http:// and contain {run} in place of the run's number";
}

// Read again at SIGHUP.
void AddTlsOptions(CLI::App& command, server::TlsFiles& tls) {
  const auto add = [&command](const char* name, std::string& path, const char* description) {
    return command.add_option(name, path, description)->type_name("FILE")->group("TLS");
  };
  CLI::Option* const certificate =
      add("--tls-cert", tls.certificate,
          "TLS certificate of the server, PEM; clients then connect to https://HOST");
  CLI::Option* const key =
      add("--tls-key", tls.key, "Private key of the certificate, PEM without a password");
  certificate->needs(key);
  key->needs(certificate);
  add("--tls-client-ca", tls.client_authorities,
      "Require client certificates issued by these authorities, PEM")
      ->needs(certificate);
}

// Options for files that Bazel uploads in addition to its build events.
void AddTransferOptions(CLI::App& command, server::LimitOptions& limits) {
  const auto add = [&command](const char* name, uint64_t& mib, const char* description) {
    command.add_option(name, mib, description)
        ->type_name("MIB")
        ->check(CLI::Range(1u, 1u << 20))
        ->capture_default_str()
        ->group("Files that Bazel hands over");
  };
  add("--max-transfer", limits.transfer_mib,
      "Maximum size of a file; larger files are reported to Bazel as present, so it does not send "
      "them");
  add("--max-transfers", limits.transfers_mib,
      "Maximum total size of a project's files; a file counts until it is used or a day old");
}

// The forges of reports on pull requests, and their credentials. Those come from files: every user
// of the machine could read a command line.
void AddForgeOptions(CLI::App& command, server::ForgeOptions& forges) {
  const auto add = [&command](const char* name, std::string& value, const char* type,
                              const char* description) {
    command.add_option(name, value, description)
        ->type_name(type)
        ->capture_default_str()
        ->group("Reports on pull requests");
  };
  command
      .add_option("--forge", forges.projects,
                  "Report a project's runs to its repository; may be given several times")
      ->type_name("PROJECT=github:OWNER/NAME | gitlab:GROUP/NAME | gerrit:NAME")
      ->expected(1)
      ->take_all()
      ->group("Reports on pull requests");
  add("--github-app-id", forges.github_app_id, "ID", "GitHub App to act as");
  add("--github-app-key-file", forges.github_app_key_file, "FILE",
      "Private key of the GitHub App, PEM");
  add("--github-token-file", forges.github_token_file, "FILE",
      "GitHub token instead of an App; reports commit statuses instead of check runs");
  add("--github-url", forges.github_url, "URL", "URL of GitHub's API");
  add("--gitlab-token-file", forges.gitlab_token_file, "FILE", "GitLab token with the scope api");
  add("--gitlab-url", forges.gitlab_url, "URL", "URL of GitLab's API");
  add("--gerrit-url", forges.gerrit_url, "URL", "URL of Gerrit");
  add("--gerrit-password-file", forges.gerrit_password_file, "FILE", "File with USER:PASSWORD");
  add("--gerrit-label", forges.gerrit_label, "LABEL", "Gerrit label to vote on");
}

// Options of notifications on branches' changes, and of incoming comments.
void AddTellingOptions(CLI::App& command, server::ReportingOptions& reporting) {
  command
      .add_option("--notify", reporting.notify_file,
                  "Send notifications of changes of the main branch to the channels in this file")
      ->type_name("FILE")
      ->group("Changes of the main branch");
  CLI::Option* hooks =
      command
          .add_option(
              "--forge-webhook", reporting.hook_listen,
              "Address to receive webhooks of GitHub or GitLab; comments are then read immediately")
          ->type_name("HOST:PORT")
          ->group("Reports on pull requests");
  command
      .add_option("--forge-webhook-secret-file", reporting.hook_secret_file,
                  "File with the webhook's secret")
      ->type_name("FILE")
      ->needs(hooks)
      ->group("Reports on pull requests");
}

// The store, and where calls are answered.
void AddStoreAndListenOptions(CLI::App& command, server::ServeOptions& options) {
  server::AddStoreOptions(command, options.store);
  server::AddArchiveOption(command, options.store);
  command
      .add_option("--archive-after", options.archive_after_days,
                  "With --archive: minimum age of runs whose blobs are archived; 0: archive none")
      ->type_name("DAYS")
      ->check(CLI::Range(0u, 36'500u))
      ->capture_default_str();
  server::AddKeepSegmentsOption(command, options.store);
  command
      .add_option("--listen", options.listen.address,
                  "Address to listen on; port 0 picks a free port. A host name resolves to the "
                  "first of its addresses that this machine has")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  AddTlsOptions(command, options.listen.tls);
}

// Workers and their limits, and the memory limit.
void AddWorkOptions(CLI::App& command, server::ServeOptions& options) {
  command.add_option("--workers", options.workers.workers, "Number of parallel analyses")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str();
  command
      .add_option("--lease", options.workers.lease_seconds,
                  "Lease of a worker on an analysis; after it expires, another worker takes over")
      ->type_name("SECONDS")
      ->check(CLI::Range(1u, 3600u))
      ->capture_default_str();
  command
      .add_option("--analysis-memory", options.workers.analysis_mib,
                  "Memory limit of one analysis; an analysis that exceeds it is set aside")
      ->type_name("MIB")
      ->check(CLI::Range(16u, 1u << 20))
      ->capture_default_str();
  command
      .add_option("--analysis-time", options.workers.analysis_seconds,
                  "CPU time limit of one analysis; its wall-clock limit is five times as long")
      ->type_name("SECONDS")
      ->check(CLI::Range(1u, 86'400u))
      ->capture_default_str();
  command
      .add_option("--decoding-memory", options.limits.decoding_mib,
                  "Memory limit for decoding uploads, queries, pages and reports together; a "
                  "project may use at most half of it")
      ->type_name("MIB")
      ->check(CLI::Range(64u, 1u << 20))
      ->capture_default_str();
}

// The roles of the process, and what its clients may do.
void AddRoleOptions(CLI::App& command, server::ServeOptions& options) {
  command
      .add_option("--role", options.roles,
                  "Role of this process: all (default), collector, worker, query or reporter; may "
                  "be given several times")
      ->check(CLI::IsMember({"all", "collector", "worker", "query", "reporter"}))
      ->expected(1)
      ->take_all();
  command.add_flag("--allow-anonymous", options.access.allow_anonymous,
                   "Listen on non-loopback addresses although no token exists; every client that "
                   "reaches the port may read and write");
  command.add_flag("--replica", options.observe.replica,
                   "The PostgreSQL server is a hot standby: answer queries from it and report "
                   "their age; needs --role=query");
  command
      .add_option("--max-staleness", options.observe.max_staleness_seconds,
                  "With --replica: maximum replication lag; above it, health checks report that "
                  "the server is not ready")
      ->type_name("SECONDS")
      ->check(CLI::Range(15u, 7u * 86'400u))
      ->capture_default_str();
  command
      .add_option("--max-connections", options.listen.connections,
                  "Maximum number of open connections; one address may have at most a third "
                  "(default: derived from the limit on open files)")
      ->type_name("N")
      ->check(CLI::Range(3u, 1'000'000u));
  command
      .add_option("--max-silence", options.listen.max_silence_seconds,
                  "A client that lets the server wait longer for a message is cut")
      ->type_name("SECONDS")
      ->check(CLI::Range(1u, 600u))
      ->capture_default_str();
}

// ID tokens and quotas.
void AddTokenOptions(CLI::App& command, server::ServeOptions& options) {
  command
      .add_option("--id-tokens", options.access.issuers.file,
                  "Accept ID tokens of the CI systems in this file")
      ->type_name("FILE");
  command
      .add_option("--id-tokens-ca-file", options.access.issuers.ca_file,
                  "CA certificate for the issuers in --id-tokens, PEM (default: the system's)")
      ->type_name("FILE");
  command
      .add_option("--quotas", options.access.quotas_file,
                  "Limits on the calls, uploads and bytes of each project")
      ->type_name("FILE");
}

// Where comments on pull requests lead.
void AddCommentOptions(CLI::App& command, server::ServeOptions& options) {
  command
      .add_option("--page-url", options.reporting.page_url,
                  "URL of a run's full report, if not on the pages of --http-url; comments then "
                  "link to it instead of including folded details")
      ->type_name("https://…/{project}/{run}")
      ->check(IsPageUrl)
      ->group("Reports on pull requests");
  command
      .add_option("--picture-key-file", options.reporting.picture_key_file,
                  "Show pictures of counts over time in comments, served by the pages. The file "
                  "holds the secret that signs their URLs, at least 32 bytes, the same for the "
                  "roles reporter and query")
      ->type_name("FILE")
      ->group("Reports on pull requests");
}

}  // namespace

void AddServeCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command =
      app.add_subcommand("serve", "Collect profiles, analyse them and answer questions about them");
  auto options = std::make_shared<server::ServeOptions>();
  options->workers.program = StartThisAgain();
  options->workers.workers = std::max(1u, std::thread::hardware_concurrency());
  AddStoreAndListenOptions(*command, *options);
  AddWorkOptions(*command, *options);
  AddRoleOptions(*command, *options);
  AddTokenOptions(*command, *options);
  AddTransferOptions(*command, options->limits);
  server::AddOtherServiceOptions(*command, options->other_services);
  AddForgeOptions(*command, options->reporting.forges);
  AddTellingOptions(*command, options->reporting);
  AddCommentOptions(*command, *options);
  server::AddPageOptions(*command, options->pages);
  server::AddObserveOptions(*command, options->observe);
  SetExamples(
      *command,
      {"gprofhub serve", "gprofhub serve --data-dir /srv/gprofhub --listen 127.0.0.1:0",
       "gprofhub serve --store postgresql://gprofhub@db/gprofhub --role worker",
       "gprofhub serve --forge db=github:acme/db --github-app-id 12345 --github-app-key-file k.pem",
       "gprofhub serve --notify notify.json",
       "gprofhub serve --log-format json --metrics-listen 127.0.0.1:7079",
       "gprofhub token create --project myproject   # then, beyond this machine:",
       "gprofhub serve --listen 0.0.0.0:7070 --tls-cert server.pem --tls-key server.key"});
  command->callback(
      [options, &run] { run = [options] { return ReportStatus(server::Serve(*options)); }; });
}

}  // namespace gprofhub::cli
