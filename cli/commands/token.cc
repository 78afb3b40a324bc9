#include "cli/commands/token.h"

#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/output/json_text.h"
#include "cli/output/table.h"
#include "cli/serve/store_location.h"
#include "collector/auth.h"
#include "store/open_store.h"

namespace gprofhub::cli {
namespace {

struct TokenArguments {
  StoreOptions store;
  std::string project;
  std::string label;
  std::string format = "text";
  int64_t id = 0;
};

absl::StatusOr<store::Tokens> OpenTokens(const StoreOptions& options) {
  const absl::StatusOr<std::string> location = StoreLocation(options);
  if (!location.ok()) return location.status();
  const absl::StatusOr<store::Store> store = store::OpenStore(*location);
  if (!store.ok()) return store.status();
  return store->tokens;
}

int Create(const TokenArguments& arguments) {
  const absl::StatusOr<store::Tokens> tokens = OpenTokens(arguments.store);
  if (!tokens.ok()) return ReportStatus(tokens.status());
  const absl::StatusOr<collector::NewToken> made =
      collector::MakeToken(*tokens, arguments.project, arguments.label, absl::Now());
  if (!made.ok()) return ReportStatus(made.status());
  // The token alone on stdout, for scripts; the explanation beside it.
  std::cerr << "Token " << made->record.id << " of project " << made->record.project
            << ". It is shown this once; clients read it from GPROFHUB_TOKEN or --token-file.\n";
  return PrintOutput(made->token + "\n");
}

std::string TokensTable(const std::vector<store::TokenRecord>& tokens) {
  constexpr auto kLeft = Table::Align::kLeft;
  Table table({Table::Align::kRight, kLeft, kLeft, kLeft, kLeft});
  table.AddRow({"ID", "PROJECT", "CREATED (UTC)", "STATE", "LABEL"});
  for (const store::TokenRecord& token : tokens) {
    table.AddRow({absl::StrCat(token.id), token.project,
                  absl::FormatTime("%Y-%m-%d %H:%M:%S", token.created, absl::UTCTimeZone()),
                  token.revoked ? "revoked" : "valid", token.label});
  }
  return table.Text();
}

std::string TokensJson(const std::vector<store::TokenRecord>& tokens) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const store::TokenRecord& token : tokens) {
    list.push_back(
        {{"id", token.id},
         {"project", token.project},
         {"created", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", token.created, absl::UTCTimeZone())},
         {"revoked", token.revoked},
         {"label", token.label}});
  }
  return JsonText(Json({{"schema", 1}, {"tokens", std::move(list)}}));
}

int List(const TokenArguments& arguments) {
  const absl::StatusOr<store::Tokens> tokens = OpenTokens(arguments.store);
  if (!tokens.ok()) return ReportStatus(tokens.status());
  const absl::StatusOr<std::vector<store::TokenRecord>> list = tokens->List(arguments.project);
  if (!list.ok()) return ReportStatus(list.status());
  return PrintOutput(arguments.format == "json" ? TokensJson(*list) : TokensTable(*list));
}

int Revoke(const TokenArguments& arguments) {
  const absl::StatusOr<store::Tokens> tokens = OpenTokens(arguments.store);
  if (!tokens.ok()) return ReportStatus(tokens.status());
  return ReportStatus(tokens->Revoke(arguments.id));
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
  AddStoreOptions(*action.app, action.arguments->store);
  action.app->callback([arguments = action.arguments, &run, main] {
    run = [arguments, main] { return main(*arguments); };
  });
  return action;
}

}  // namespace

void AddTokenCommand(CLI::App& app, CommandMain& run) {
  CLI::App* token = app.add_subcommand("token", "Make, list and revoke the tokens of projects");
  token->require_subcommand(1);

  const TokenAction create =
      AddAction(*token, "create", "Make a token and print it, once", run, Create);
  AddProjectOption(*create.app, create.arguments->project, "Project that the token opens");
  create.app->add_option("--label", create.arguments->label,
                         "What it is for, to tell tokens apart");
  SetExamples(*create.app, {"gprofhub token create --project myproject --label ci",
                            "gprofhub token create --project myproject >token"});

  const TokenAction list =
      AddAction(*token, "list", "List a project's tokens, revoked ones too", run, List);
  AddProjectOption(*list.app, list.arguments->project, "Project that they open");
  list.app->add_option("--format", list.arguments->format, "How to print them")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  SetExamples(*list.app, {"gprofhub token list", "gprofhub token list --project myproject",
                          "gprofhub token list --format=json"});

  const TokenAction revoke = AddAction(*token, "revoke", "Make a token useless", run, Revoke);
  revoke.app
      ->add_option("id", revoke.arguments->id,
                   "The token's number, as `gprofhub token list` prints it")
      ->required();
  SetExamples(*revoke.app, {"gprofhub token revoke 3"});

  SetExamples(*token, {"gprofhub token create --project myproject --label ci",
                       "gprofhub token list --project myproject", "gprofhub token revoke 3"});
}

}  // namespace gprofhub::cli
