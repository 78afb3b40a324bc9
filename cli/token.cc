#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/file.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "cli/admin/time_options.h"
#include "cli/client/output.h"
#include "cli/commands.h"
#include "collector/access/authorizer.h"
#include "collector/validate.h"
#include "server/page_options.h"
#include "store/open_store.h"

namespace gprofhub::cli {

namespace {

constexpr uint64_t kMostPemBytes = 1 << 20;

struct TokenArguments {
  server::StoreOptions store;
  std::string project;
  std::string label;
  std::vector<std::string> scopes;
  std::string expires;
  std::string overlap = "7d";
  std::string certificate;
  std::string fingerprint;
  std::string format = "text";
  int64_t id = 0;
};

absl::StatusOr<store::Tokens> OpenTokens(const server::StoreOptions& options,
                                         store::OpenMode mode) {
  ASSIGN_OR_RETURN(const std::string location, server::StoreLocation(options));
  ASSIGN_OR_RETURN(const store::Store store, store::OpenStore(location, mode));
  return store.tokens;
}

std::string DayOf(absl::Time time) {
  if (time == absl::InfiniteFuture() || time == absl::UnixEpoch()) return "never";
  return absl::FormatTime("%Y-%m-%d %H:%M", time, absl::UTCTimeZone());
}

// The token alone on stdout, for scripts; the explanation on stderr.
int Show(const collector::NewToken& made) {
  if (made.token.empty()) {
    return PrintOutput(absl::StrCat("The certificate authenticates as token ", made.record.id,
                                    " of project ", made.record.project,
                                    ". Scopes: ", made.record.scopes,
                                    "; expires: ", DayOf(made.record.expires), ".\n"));
  }
  std::cerr << "Token " << made.record.id << " of project " << made.record.project
            << ". It cannot be printed again; clients read it from GPROFHUB_TOKEN or --token-file. "
            << "Scopes: " << made.record.scopes << "; expires: " << DayOf(made.record.expires)
            << ".\n";
  return PrintOutput(made.token + "\n");
}

// The fingerprint of the certificate that replaces the token; empty: none was given.
absl::StatusOr<std::string> CertificateOf(const TokenArguments& arguments) {
  if (!arguments.fingerprint.empty()) {
    absl::StatusOr<std::string> given = collector::ParseFingerprint(arguments.fingerprint);
    if (!given.ok()) return base::WithContext(given.status(), "--fingerprint");
    return given;
  }
  if (arguments.certificate.empty()) return "";
  ASSIGN_OR_RETURN(const std::string pem, base::ReadFile(arguments.certificate, kMostPemBytes));
  absl::StatusOr<std::string> read = collector::FingerprintOf(pem);
  if (!read.ok()) return base::WithContext(read.status(), arguments.certificate);
  return read;
}

// Options of a new token from the command line.
absl::StatusOr<collector::TokenOptions> OptionsOf(const TokenArguments& arguments, absl::Time now) {
  collector::TokenOptions options;
  options.project = arguments.project;
  options.label = arguments.label;
  RETURN_IF_ERROR(collector::ValidateProject("--project", options.project));
  RETURN_IF_ERROR(collector::ValidateText("--label", options.label, 0, 200));
  ASSIGN_OR_RETURN(const collector::Scopes scopes,
                   collector::Scopes::Parse(absl::StrJoin(arguments.scopes, ",")));
  options.scopes = scopes;
  if (!arguments.expires.empty()) {
    ASSIGN_OR_RETURN(const absl::Time end, ParseEnd("--expires", arguments.expires, now));
    options.expires = end;
  }
  ASSIGN_OR_RETURN(const std::string certificate, CertificateOf(arguments));
  options.certificate = certificate;
  return options;
}

int Create(const TokenArguments& arguments) {
  const absl::Time now = absl::Now();
  const absl::StatusOr<collector::TokenOptions> options = OptionsOf(arguments, now);
  if (!options.ok()) return ReportUsage(options.status());
  const absl::StatusOr<store::Tokens> tokens =
      OpenTokens(arguments.store, store::OpenMode::kCreate);
  if (!tokens.ok()) return ReportStatus(tokens.status());
  const absl::StatusOr<collector::NewToken> made =
      collector::MakeToken(*tokens, *options, LocalActor(), now);
  if (!made.ok()) return ReportStatus(made.status());
  return Show(*made);
}

int Rotate(const TokenArguments& arguments) {
  const absl::StatusOr<absl::Duration> overlap = ParseSpan("--overlap", arguments.overlap);
  if (!overlap.ok()) return ReportUsage(overlap.status());
  const absl::StatusOr<store::Tokens> tokens =
      OpenTokens(arguments.store, store::OpenMode::kExisting);
  if (!tokens.ok()) return ReportStatus(tokens.status());
  const absl::StatusOr<collector::NewToken> made =
      collector::RotateToken(*tokens, arguments.id, *overlap, LocalActor(), absl::Now());
  if (!made.ok()) return ReportStatus(made.status());
  std::cerr << "Token " << arguments.id << " stays valid for " << arguments.overlap
            << ", or until it expires.\n";
  return Show(*made);
}

int SetScopes(const TokenArguments& arguments) {
  const absl::StatusOr<collector::Scopes> scopes =
      collector::Scopes::Parse(absl::StrJoin(arguments.scopes, ","));
  if (!scopes.ok()) return ReportUsage(scopes.status());
  const absl::StatusOr<store::Tokens> tokens =
      OpenTokens(arguments.store, store::OpenMode::kExisting);
  if (!tokens.ok()) return ReportStatus(tokens.status());
  return ReportStatus(tokens->SetScopes(arguments.id, scopes->Names(), LocalActor(), absl::Now()));
}

std::string StateOf(const store::TokenRecord& token, absl::Time now) {
  if (token.revoked) return "revoked";
  if (token.expires <= now) return "expired";
  if (token.replaced_by != 0) return absl::StrCat("rotated to ", token.replaced_by);
  return "valid";
}

std::string TokensTable(const std::vector<store::TokenRecord>& tokens, absl::Time now) {
  constexpr auto kLeft = Table::Align::kLeft;
  constexpr auto kName = Table::Align::kName;
  Table table({Table::Align::kRight, kName, kLeft, kLeft, kLeft, kLeft, kLeft, kName});
  table.AddRow(
      {"ID", "PROJECT", "CREATED (UTC)", "EXPIRES", "LAST USED", "STATE", "SCOPES", "LABEL"});
  for (const store::TokenRecord& token : tokens) {
    table.AddRow({absl::StrCat(token.id), token.project,
                  absl::FormatTime("%Y-%m-%d %H:%M:%S", token.created, absl::UTCTimeZone()),
                  DayOf(token.expires), DayOf(token.last_used), StateOf(token, now), token.scopes,
                  token.label});
  }
  return table.Text();
}

using Json = nlohmann::ordered_json;

Json TimeOrNull(absl::Time time) {
  if (time == absl::InfiniteFuture() || time == absl::UnixEpoch()) return nullptr;
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

std::string TokensJson(const std::vector<store::TokenRecord>& tokens) {
  Json list = Json::array();
  for (const store::TokenRecord& token : tokens) {
    list.push_back(
        {{"id", token.id},
         {"project", token.project},
         {"created", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", token.created, absl::UTCTimeZone())},
         {"revoked", token.revoked},
         {"label", token.label},
         {"scopes", token.scopes},
         {"expires", TimeOrNull(token.expires)},
         {"last_used", TimeOrNull(token.last_used)},
         {"replaced_by", token.replaced_by}});
  }
  return JsonText(Json({{"schema", 1}, {"tokens", std::move(list)}}));
}

int List(const TokenArguments& arguments) {
  const absl::StatusOr<store::Tokens> tokens =
      OpenTokens(arguments.store, store::OpenMode::kExisting);
  if (!tokens.ok()) return ReportStatus(tokens.status());
  const absl::StatusOr<std::vector<store::TokenRecord>> list = tokens->List(arguments.project);
  if (!list.ok()) return ReportStatus(list.status());
  return arguments.format == "json" ? PrintOutput(TokensJson(*list))
                                    : PrintText(TokensTable(*list, absl::Now()));
}

int Revoke(const TokenArguments& arguments) {
  const absl::StatusOr<store::Tokens> tokens =
      OpenTokens(arguments.store, store::OpenMode::kExisting);
  if (!tokens.ok()) return ReportStatus(tokens.status());
  return ReportStatus(tokens->Revoke(arguments.id, LocalActor(), absl::Now()));
}

using TokenMain = int (*)(const TokenArguments&);

struct TokenAction {
  CLI::App* app;
  // Its own: CLI11 reads the environment for every action, chosen or not.
  std::shared_ptr<TokenArguments> arguments = std::make_shared<TokenArguments>();
};

TokenAction AddAction(CLI::App& token, const std::string& name, const std::string& description,
                      CommandMain& run, TokenMain main) {
  const TokenAction action = {token.add_subcommand(name, description)};
  server::AddStoreOptions(*action.app, action.arguments->store);
  action.app->callback([arguments = action.arguments, &run, main] {
    run = [arguments, main] { return main(*arguments); };
  });
  return action;
}

void AddIdArgument(const TokenAction& action) {
  action.app
      ->add_option("id", action.arguments->id,
                   "Id of the token, as printed by `gprofhub token list`")
      ->required();
}

void AddScopeOption(const TokenAction& action) {
  action.app
      ->add_option("--scope", action.arguments->scopes,
                   "Comma-separated scopes of the token: upload (pull requests and forks), "
                   "upload-main (also the main branch, the baseline of comparisons), read, "
                   "acknowledge, admin (take back acknowledgements of others)")
      ->type_name("SCOPE,…")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
}

void AddCreateAction(CLI::App& token, CommandMain& run) {
  const TokenAction create = AddAction(
      token, "create", "Create a token and print it; it cannot be printed again", run, Create);
  AddProjectOption(*create.app, create.arguments->project, "Project the token gives access to");
  create.app->add_option("--label", create.arguments->label, "Label of the token");
  create.arguments->scopes = {"upload", "read"};
  AddScopeOption(create);
  create.app->get_option("--scope")->default_str("upload,read");
  create.app
      ->add_option("--expires", create.arguments->expires,
                   "Expiry: a duration such as 90d, or a day such as 2027-01-31 (default: never)")
      ->type_name("WHEN");
  CLI::Option* const certificate =
      create.app
          ->add_option("--certificate", create.arguments->certificate,
                       "Create no token text: a client with this certificate (PEM) and no token "
                       "has the token's scopes")
          ->type_name("FILE");
  create.app
      ->add_option("--fingerprint", create.arguments->fingerprint,
                   "As --certificate, but given by the certificate's SHA-256 fingerprint")
      ->type_name("HEX")
      ->excludes(certificate);
  SetExamples(
      *create.app,
      {"gprofhub token create --project myproject --label ci --expires 90d",
       "gprofhub token create --project myproject --label farm --certificate client.pem",
       "gprofhub token create --project myproject --label main --scope upload-main,read >token",
       "gprofhub token create --project myproject --label alice --scope read,acknowledge"});
}

}  // namespace

void AddTokenCommand(CLI::App& app, CommandMain& run) {
  CLI::App* token =
      app.add_subcommand("token", "Create, list, rotate and revoke tokens of projects");
  token->require_subcommand(1);

  AddCreateAction(*token, run);

  const TokenAction rotate = AddAction(
      *token, "rotate", "Replace a token by a new one; the old token stays valid for the overlap",
      run, Rotate);
  AddIdArgument(rotate);
  rotate.app
      ->add_option("--overlap", rotate.arguments->overlap,
                   "Overlap during which the old token stays valid")
      ->type_name("SPAN")
      ->capture_default_str();
  SetExamples(*rotate.app,
              {"gprofhub token rotate 3", "gprofhub token rotate 3 --overlap 12h >token"});

  const TokenAction scope =
      AddAction(*token, "scope", "Change the scopes of a token", run, SetScopes);
  AddIdArgument(scope);
  AddScopeOption(scope);
  scope.app->get_option("--scope")->required();
  SetExamples(*scope.app, {"gprofhub token scope 3 --scope upload,read"});

  const TokenAction list =
      AddAction(*token, "list", "List the tokens, including revoked ones", run, List);
  list.app
      ->add_option("--project", list.arguments->project,
                   "Only tokens of this project (default: all)")
      ->type_name("NAME");
  list.app->add_option("--format", list.arguments->format, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  SetExamples(*list.app, {"gprofhub token list", "gprofhub token list --project myproject",
                          "gprofhub token list --format=json"});

  const TokenAction revoke = AddAction(*token, "revoke", "Revoke a token", run, Revoke);
  AddIdArgument(revoke);
  SetExamples(*revoke.app, {"gprofhub token revoke 3"});

  SetExamples(*token, {"gprofhub token create --project myproject --label ci",
                       "gprofhub token list --project myproject",
                       "gprofhub token rotate 3 --overlap 7d", "gprofhub token revoke 3"});
}

}  // namespace gprofhub::cli
