// `gprofhub admin retention`.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "cli/admin/time_options.h"
#include "cli/client/output.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::cli {

namespace {

using reporter::CountOfNoun;

using Json = nlohmann::ordered_json;
using store::RetentionPolicy;

struct RetentionArguments {
  server::StoreOptions store;
  RetentionPolicy policy;
  std::string project;
  std::string format = "text";
  bool dry_run = false;
};

int Set(const RetentionArguments& arguments) {
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  RetentionPolicy policy = arguments.policy;
  policy.project = arguments.project;
  const absl::Status status = store->upkeep.retention.Set(policy, LocalActor(), absl::Now());
  return absl::IsInvalidArgument(status) ? ReportUsage(status) : ReportStatus(status);
}

int Remove(const RetentionArguments& arguments) {
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  return ReportStatus(store->upkeep.retention.Remove(arguments.project, LocalActor(), absl::Now()));
}

std::string Days(int64_t days) { return days == 0 ? "forever" : absl::StrCat(days); }

std::string PoliciesTable(const std::vector<RetentionPolicy>& policies) {
  constexpr auto kLeft = Table::Align::kLeft;
  constexpr auto kName = Table::Align::kName;
  constexpr auto kRight = Table::Align::kRight;
  Table table({kName, kRight, kRight, kRight, kLeft});
  table.AddRow({"PROJECT", "RAW DAYS", "FULL DAYS", "DAILY DAYS", "KEPT BRANCHES"});
  for (const RetentionPolicy& policy : policies) {
    table.AddRow({policy.project, Days(policy.raw_days), Days(policy.full_days),
                  Days(policy.daily_days), absl::StrJoin(policy.keep_branches, " ")});
  }
  return table.Text();
}

std::string PoliciesJson(const std::vector<RetentionPolicy>& policies) {
  Json list = Json::array();
  for (const RetentionPolicy& policy : policies) {
    list.push_back({{"project", policy.project},
                    {"raw_days", policy.raw_days},
                    {"full_days", policy.full_days},
                    {"daily_days", policy.daily_days},
                    {"keep_branches", policy.keep_branches}});
  }
  return JsonText(Json({{"schema", 1}, {"policies", std::move(list)}}));
}

int List(const RetentionArguments& arguments) {
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  const absl::StatusOr<std::vector<RetentionPolicy>> policies = store->upkeep.retention.List();
  if (!policies.ok()) return ReportStatus(policies.status());
  return arguments.format == "json" ? PrintOutput(PoliciesJson(*policies))
                                    : PrintText(PoliciesTable(*policies));
}

int Run(const RetentionArguments& arguments) {
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  store::RetentionOptions options;
  options.dry_run = arguments.dry_run;
  options.now = [] { return absl::Now(); };
  const absl::StatusOr<store::Freed> freed =
      store->upkeep.retention.Apply(arguments.project, options, LocalActor());
  if (!freed.ok()) return ReportStatus(freed.status());
  if (arguments.format == "json") {
    return PrintOutput(JsonText(Json({{"schema", 1},
                                      {"dry_run", arguments.dry_run},
                                      {"runs", freed->runs},
                                      {"targets", freed->targets},
                                      {"profiles", freed->profiles},
                                      {"kept", freed->kept}})));
  }
  return PrintOutput(
      absl::StrCat(arguments.dry_run ? "would delete " : "deleted ",
                   CountOfNoun(freed->runs, "run"), " (", CountOfNoun(freed->targets, "target"),
                   ") and ", CountOfNoun(freed->profiles, "profile"), "; ", freed->kept,
                   " expired runs are kept: releases, baselines, acknowledged, pinned or busy\n"));
}

Action<RetentionArguments> AddStep(CLI::App& retention, const std::string& name,
                                   const std::string& description, CommandMain& run,
                                   int (*main)(const RetentionArguments&)) {
  return AddAction(retention, name, description, run, main);
}

void AddProjectArgument(const Action<RetentionArguments>& action) {
  action.app
      ->add_option("project", action.arguments->project,
                   "Name of the project; '*' for projects without a policy of their own")
      ->required();
}

}  // namespace

void AddRetentionActions(CLI::App& admin, CommandMain& run) {
  CLI::App* retention = admin.add_subcommand(
      "retention", "Manage and apply retention policies: how long runs and profiles are kept");
  retention->require_subcommand(1);

  const auto set = AddStep(*retention, "set", "Set a project's policy", run, Set);
  AddProjectArgument(set);
  RetentionPolicy& policy = set.arguments->policy;
  policy.keep_branches = {"v[0-9]*", "release*", "refs/tags/*"};
  const auto add_days = [&set](const char* name, int64_t& days, const char* description) {
    set.app->add_option(name, days, description)->type_name("DAYS")->capture_default_str();
  };
  add_days("--raw-days", policy.raw_days,
           "Days to keep profiles as they were uploaded; their results and data points are kept. "
           "0: forever");
  add_days(
      "--full-days", policy.full_days,
      "Days to keep every run; runs of pull requests and forks are deleted after that. 0: forever");
  add_days("--daily-days", policy.daily_days,
           "Days to keep one run per day after that, then one per week. 0: forever");
  set.app
      ->add_option("--keep-branch", policy.keep_branches,
                   "Pattern of branches or tags whose runs are kept (repeatable)")
      ->type_name("PATTERN")
      ->expected(1)
      ->take_all()
      ->capture_default_str();
  SetExamples(
      *set.app,
      {"gprofhub admin retention set myproject --raw-days 30 --full-days 90 --daily-days 730",
       "gprofhub admin retention set '*' --raw-days 90 --keep-branch 'release/*'"});

  const auto list = AddStep(*retention, "list", "List the policies", run, List);
  AddFormatOption(*list.app, list.arguments->format);
  SetExamples(*list.app, {"gprofhub admin retention list"});

  const auto remove = AddStep(*retention, "remove", "Remove a project's policy", run, Remove);
  AddProjectArgument(remove);
  SetExamples(*remove.app, {"gprofhub admin retention remove myproject"});

  const auto apply = AddStep(*retention, "run", "Apply the policies now", run, Run);
  apply.app->add_option("--project", apply.arguments->project, "Only this project (default: all)")
      ->type_name("NAME");
  apply.app->add_flag("--dry-run", apply.arguments->dry_run, "Only print what would be deleted");
  AddFormatOption(*apply.app, apply.arguments->format);
  SetExamples(*apply.app,
              {"gprofhub admin retention run --dry-run", "gprofhub admin retention run"});

  SetExamples(*retention, {"gprofhub admin retention set myproject --raw-days 30 --full-days 90",
                           "gprofhub admin retention run --dry-run"});
}

}  // namespace gprofhub::cli
