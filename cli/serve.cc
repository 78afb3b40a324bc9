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
  return "must begin with https:// or http:// and have {run} where the run's number stands";
}

// Read again at SIGHUP.
void AddTlsOptions(CLI::App& command, server::TlsFiles& tls) {
  const auto add = [&command](const char* name, std::string& path, const char* description) {
    return command.add_option(name, path, description)->type_name("FILE")->group("TLS");
  };
  CLI::Option* const certificate =
      add("--tls-cert", tls.certificate,
          "Encrypt connections with this certificate, PEM; clients name the server https://HOST");
  CLI::Option* const key = add("--tls-key", tls.key, "Its private key, PEM without a password");
  certificate->needs(key);
  key->needs(certificate);
  add("--tls-client-ca", tls.client_authorities,
      "Take only clients with a certificate of these authorities, PEM")
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
      "The largest file that is taken; of a larger one Bazel is told that it need not be sent");
  add("--max-transfers", limits.transfers_mib,
      "What the files of one project may take together, until somebody has used them or a day is "
      "over");
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
  add("--github-app-key-file", forges.github_app_key_file, "FILE", "Its private key, PEM");
  add("--github-token-file", forges.github_token_file, "FILE",
      "A token in the App's place: commit statuses then, no check runs");
  add("--github-url", forges.github_url, "URL", "GitHub's API");
  add("--gitlab-token-file", forges.gitlab_token_file, "FILE", "GitLab token with the scope api");
  add("--gitlab-url", forges.gitlab_url, "URL", "GitLab's API");
  add("--gerrit-url", forges.gerrit_url, "URL", "Gerrit");
  add("--gerrit-password-file", forges.gerrit_password_file, "FILE", "Holds USER:PASSWORD");
  add("--gerrit-label", forges.gerrit_label, "LABEL", "Gerrit label to vote on");
}

// Options of notifications on branches' changes, and of incoming comments.
void AddTellingOptions(CLI::App& command, server::ReportingOptions& reporting) {
  command
      .add_option("--notify", reporting.notify_file,
                  "Tell of changes of the main branch, to the channels that this file names")
      ->type_name("FILE")
      ->group("Changes of the main branch");
  CLI::Option* hooks =
      command
          .add_option("--forge-webhook", reporting.hook_listen,
                      "Listen for webhooks of GitHub or GitLab: comments are read at once")
          ->type_name("HOST:PORT")
          ->group("Reports on pull requests");
  command
      .add_option("--forge-webhook-secret-file", reporting.hook_secret_file,
                  "Holds the webhook's secret")
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
                  "With --archive: age of the runs whose blobs are archived; 0: none")
      ->type_name("DAYS")
      ->check(CLI::Range(0u, 36'500u))
      ->capture_default_str();
  server::AddKeepSegmentsOption(command, options.store);
  command
      .add_option(
          "--listen", options.listen.address,
          "Where to listen; port 0 picks a free one. Of a name with several addresses the first "
          "that this machine has is taken")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  AddTlsOptions(command, options.listen.tls);
}

// Workers and their limits, and the memory limit.
void AddWorkOptions(CLI::App& command, server::ServeOptions& options) {
  command.add_option("--workers", options.workers.workers, "Analyses to run side by side")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str();
  command
      .add_option("--lease", options.workers.lease_seconds,
                  "Time after which the analysis of a worker that died is done by another one")
      ->type_name("SECONDS")
      ->check(CLI::Range(1u, 3600u))
      ->capture_default_str();
  command
      .add_option("--analysis-memory", options.workers.analysis_mib,
                  "Memory that one analysis may take; one that needs more is set aside")
      ->type_name("MIB")
      ->check(CLI::Range(16u, 1u << 20))
      ->capture_default_str();
  command
      .add_option("--analysis-time", options.workers.analysis_seconds,
                  "Processor time that one analysis may take, and a fifth of its time on the clock")
      ->type_name("SECONDS")
      ->check(CLI::Range(1u, 86'400u))
      ->capture_default_str();
  command
      .add_option("--decoding-memory", options.limits.decoding_mib,
                  "Memory that decoding may take, of uploads, questions, pages and reports "
                  "together; a project has at most half of it")
      ->type_name("MIB")
      ->check(CLI::Range(64u, 1u << 20))
      ->capture_default_str();
}

// The roles of the process, and what its clients may do.
void AddRoleOptions(CLI::App& command, server::ServeOptions& options) {
  command
      .add_option("--role", options.roles,
                  "What this process does: all (default), collector, worker, query or reporter; "
                  "may be given several times")
      ->check(CLI::IsMember({"all", "collector", "worker", "query", "reporter"}))
      ->expected(1)
      ->take_all();
  command.add_flag("--allow-anonymous", options.access.allow_anonymous,
                   "Listen beyond this machine although no token exists: everybody who reaches "
                   "the port may read and write");
  command.add_flag("--replica", options.observe.replica,
                   "The PostgreSQL server follows another one (a hot standby): answer questions "
                   "from it, and say how old they are; with --role=query");
  command
      .add_option("--max-staleness", options.observe.max_staleness_seconds,
                  "With --replica: if the copy is older, health checks say that the server is not "
                  "ready")
      ->type_name("SECONDS")
      ->check(CLI::Range(15u, 7u * 86'400u))
      ->capture_default_str();
  command
      .add_option(
          "--max-connections", options.listen.connections,
          "Connections at one time, of which one address has at most a third (default: as the "
          "limit on open files allows)")
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
                  "Take the ID tokens of CI systems that this file names")
      ->type_name("FILE");
  command
      .add_option("--id-tokens-ca-file", options.access.issuers.ca_file,
                  "Certificate of the authority of those that --id-tokens names, PEM (default: the "
                  "system's)")
      ->type_name("FILE");
  command
      .add_option("--quotas", options.access.quotas_file,
                  "Bound the calls, uploads and bytes of each project as this file says")
      ->type_name("FILE");
}

// Where comments on pull requests lead.
void AddCommentOptions(CLI::App& command, server::ServeOptions& options) {
  command
      .add_option("--page-url", options.reporting.page_url,
                  "Where people read a run's whole report, if not on the pages of --http-url; "
                  "comments then lead there in place of what they would fold")
      ->type_name("https://…/{project}/{run}")
      ->check(IsPageUrl)
      ->group("Reports on pull requests");
  command
      .add_option("--picture-key-file", options.reporting.picture_key_file,
                  "Comments show how counts went, as pictures that the pages make. This file holds "
                  "the secret that their addresses are signed with, 32 bytes at least: the same "
                  "for the roles reporter and query")
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
