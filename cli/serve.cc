#include "server/serve.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "cli/command/command.h"
#include "cli/commands.h"
#include "server/observing.h"
#include "server/other_services.h"
#include "server/page_options.h"
#include "server/signals.h"
#include "store/open_store.h"

namespace gprofhub::cli {

namespace {

// On a busy machine an analysis takes longer than its processor time.
constexpr int kClockPerCpu = 5;

struct ServeArguments {
  server::StoreOptions store;
  uint32_t archive_after_days = 7;
  std::string listen = "127.0.0.1:7070";
  server::TlsFiles tls;
  uint32_t workers = std::max(1u, std::thread::hardware_concurrency());
  uint32_t lease_seconds = 60;
  uint32_t analysis_mib = 1024;
  uint32_t analysis_seconds = 120;
  uint32_t decoding_mib = 768;
  std::vector<std::string> roles;
  bool allow_anonymous = false;
  bool replica = false;
  uint32_t connections = 0;
  uint32_t max_silence_seconds = 10;
  server::IssuerOptions issuers;
  std::string quotas_file;
  uint64_t transfer_mib = store::TransferLimits().blob_bytes >> 20;
  uint64_t transfers_mib = store::TransferLimits().project_bytes >> 20;
  server::OtherServiceOptions other_services;
  server::ReportingOptions reporting;
  std::string picture_key_file;
  server::PageOptions pages;
  server::ObserveOptions observe;
};

absl::Status RunServe(const ServeArguments& arguments) {
  server::ServeOptions options;
  ASSIGN_OR_RETURN(options.store, server::StoreLocation(arguments.store));
  ASSIGN_OR_RETURN(const server::ListenAddress listen,
                   server::ParseListenAddress(arguments.listen));
  ASSIGN_OR_RETURN(std::shared_ptr<store::ObjectStore> archive,
                   server::OpenArchive(arguments.store));
  options.archive = std::move(archive);
  options.archive_after = absl::Hours(24 * int64_t{arguments.archive_after_days});
  options.keep_segments = absl::Hours(24 * int64_t{arguments.store.keep_segments_days});
  options.listen = listen;
  options.tls = arguments.tls;
  options.workers = arguments.workers;
  options.lease = absl::Seconds(arguments.lease_seconds);
  const std::vector<std::string> self = StartThisAgain();
  options.analyses.program = self.front();
  options.analyses.arguments.assign(self.begin() + 1, self.end());
  options.analyses.arguments.push_back(server::kAnalysisProcess);
  options.analyses.memory = uint64_t{arguments.analysis_mib} << 20;
  options.analyses.cpu = absl::Seconds(arguments.analysis_seconds);
  options.analyses.longest = kClockPerCpu * options.analyses.cpu;
  options.decoding_bytes = uint64_t{arguments.decoding_mib} << 20;
  options.allow_anonymous = arguments.allow_anonymous;
  options.connections = arguments.connections;
  options.max_silence = absl::Seconds(arguments.max_silence_seconds);
  options.issuers = arguments.issuers;
  options.quotas_file = arguments.quotas_file;
  options.transfers.blob_bytes = arguments.transfer_mib << 20;
  options.transfers.project_bytes = arguments.transfers_mib << 20;
  options.other_services = arguments.other_services;
  const auto has_role = [&arguments](const char* role) {
    const auto& roles = arguments.roles;
    return roles.empty() || std::count(roles.begin(), roles.end(), "all") > 0 ||
           std::count(roles.begin(), roles.end(), role) > 0;
  };
  options.collector = has_role("collector");
  options.worker = has_role("worker");
  options.query = has_role("query");
  options.reporter = has_role("reporter");
  if (arguments.replica && (options.collector || options.worker || options.reporter)) {
    return absl::InvalidArgumentError(
        "--replica: a copy of a database can be read only; give --role=query with it");
  }
  options.reporting = arguments.reporting;
  options.pages = arguments.pages;
  if (options.reporting.page_url.empty()) {
    options.reporting.page_url = server::ComparisonPageUrl(options.pages);
  }
  ASSIGN_OR_RETURN(
      const server::PictureOptions pictures,
      server::ReadPictureOptions(arguments.picture_key_file, options.reporting.page_url));
  options.pages.picture_key = options.reporting.picture_key = pictures.key;
  options.reporting.picture_host = pictures.host;
  options.observe = arguments.observe;
  if (store::IsShared(options.store)) {
    options.observe.copies =
        arguments.replica ? server::CopyRole::kReadsOne : server::CopyRole::kIsTold;
  } else if (arguments.replica) {
    return absl::InvalidArgumentError("--replica: only a PostgreSQL database has copies");
  }
  return server::Serve(options);
}

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
void AddTransferOptions(CLI::App& command, ServeArguments& arguments) {
  const auto add = [&command](const char* name, uint64_t& mib, const char* description) {
    command.add_option(name, mib, description)
        ->type_name("MIB")
        ->check(CLI::Range(1u, 1u << 20))
        ->capture_default_str()
        ->group("Files that Bazel hands over");
  };
  add("--max-transfer", arguments.transfer_mib,
      "The largest file that is taken; of a larger one Bazel is told that it need not be sent");
  add("--max-transfers", arguments.transfers_mib,
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

// Limits of analyses, and of memory for decoding.
void AddAnalysisOptions(CLI::App& command, ServeArguments& arguments) {
  command.add_option("--workers", arguments.workers, "Analyses to run side by side")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str();
  command
      .add_option("--lease", arguments.lease_seconds,
                  "Time after which the analysis of a worker that died is done by another one")
      ->type_name("SECONDS")
      ->check(CLI::Range(1u, 3600u))
      ->capture_default_str();
  command
      .add_option("--analysis-memory", arguments.analysis_mib,
                  "Memory that one analysis may take; one that needs more is set aside")
      ->type_name("MIB")
      ->check(CLI::Range(16u, 1u << 20))
      ->capture_default_str();
  command
      .add_option("--analysis-time", arguments.analysis_seconds,
                  "Processor time that one analysis may take, and a fifth of its time on the clock")
      ->type_name("SECONDS")
      ->check(CLI::Range(1u, 86'400u))
      ->capture_default_str();
  command
      .add_option("--decoding-memory", arguments.decoding_mib,
                  "Memory that decoding may take, of uploads, questions, pages and reports "
                  "together; a project has at most half of it")
      ->type_name("MIB")
      ->check(CLI::Range(64u, 1u << 20))
      ->capture_default_str();
}

// What this process does.
void AddRoleOptions(CLI::App& command, ServeArguments& arguments) {
  command
      .add_option("--role", arguments.roles,
                  "What this process does: all (default), collector, worker, query or reporter; "
                  "may be given several times")
      ->check(CLI::IsMember({"all", "collector", "worker", "query", "reporter"}))
      ->expected(1)
      ->take_all();
  command.add_flag("--allow-anonymous", arguments.allow_anonymous,
                   "Listen beyond this machine although no token exists: everybody who reaches "
                   "the port may read and write");
  command.add_flag("--replica", arguments.replica,
                   "The PostgreSQL server follows another one (a hot standby): answer questions "
                   "from it, and say how old they are; with --role=query");
  command
      .add_option("--max-staleness", arguments.observe.max_staleness_seconds,
                  "With --replica: if the copy is older, health checks say that the server is not "
                  "ready")
      ->type_name("SECONDS")
      ->check(CLI::Range(15u, 7u * 86'400u))
      ->capture_default_str();
}

// Limits of clients, and the tokens that they may show.
void AddClientOptions(CLI::App& command, ServeArguments& arguments) {
  command
      .add_option(
          "--max-connections", arguments.connections,
          "Connections at one time, of which one address has at most a third (default: as the "
          "limit on open files allows)")
      ->type_name("N")
      ->check(CLI::Range(3u, 1'000'000u));
  command
      .add_option("--max-silence", arguments.max_silence_seconds,
                  "A client that lets the server wait longer for a message is cut")
      ->type_name("SECONDS")
      ->check(CLI::Range(1u, 600u))
      ->capture_default_str();
  command
      .add_option("--id-tokens", arguments.issuers.file,
                  "Take the ID tokens of CI systems that this file names")
      ->type_name("FILE");
  command
      .add_option("--id-tokens-ca-file", arguments.issuers.ca_file,
                  "Certificate of the authority of those that --id-tokens names, PEM (default: the "
                  "system's)")
      ->type_name("FILE");
  command
      .add_option("--quotas", arguments.quotas_file,
                  "Bound the calls, uploads and bytes of each project as this file says")
      ->type_name("FILE");
}

// Where comments on pull requests lead.
void AddReportLinkOptions(CLI::App& command, ServeArguments& arguments) {
  command
      .add_option("--page-url", arguments.reporting.page_url,
                  "Where people read a run's whole report, if not on the pages of --http-url; "
                  "comments then lead there in place of what they would fold")
      ->type_name("https://…/{project}/{run}")
      ->check(IsPageUrl)
      ->group("Reports on pull requests");
  command
      .add_option("--picture-key-file", arguments.picture_key_file,
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
  auto arguments = std::make_shared<ServeArguments>();
  server::AddStoreOptions(*command, arguments->store);
  server::AddArchiveOption(*command, arguments->store);
  command
      ->add_option("--archive-after", arguments->archive_after_days,
                   "With --archive: age of the runs whose blobs are archived; 0: none")
      ->type_name("DAYS")
      ->check(CLI::Range(0u, 36'500u))
      ->capture_default_str();
  server::AddKeepSegmentsOption(*command, arguments->store);
  command
      ->add_option(
          "--listen", arguments->listen,
          "Where to listen; port 0 picks a free one. Of a name with several addresses the first "
          "that this machine has is taken")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  AddTlsOptions(*command, arguments->tls);
  AddAnalysisOptions(*command, *arguments);
  AddRoleOptions(*command, *arguments);
  AddClientOptions(*command, *arguments);
  AddTransferOptions(*command, *arguments);
  server::AddOtherServiceOptions(*command, arguments->other_services);
  AddForgeOptions(*command, arguments->reporting.forges);
  AddTellingOptions(*command, arguments->reporting);
  AddReportLinkOptions(*command, *arguments);
  server::AddPageOptions(*command, arguments->pages);
  server::AddObserveOptions(*command, arguments->observe);
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
      [arguments, &run] { run = [arguments] { return ReportStatus(RunServe(*arguments)); }; });
}

}  // namespace gprofhub::cli
