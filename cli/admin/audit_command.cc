#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/text.h"
#include "cli/admin/admin.h"
#include "cli/admin/time_options.h"
#include "cli/client/output.h"
#include "server/page_options.h"
#include "store/open_store.h"

namespace gprofhub::cli {

namespace {

using Json = nlohmann::ordered_json;

struct AuditArguments {
  server::StoreOptions store;
  std::string project;
  std::string since;
  uint32_t limit = 1000;
  std::string format = "text";
};

std::string AuditTable(const std::vector<store::AuditRecord>& records) {
  constexpr auto kLeft = Table::Align::kLeft;
  constexpr auto kName = Table::Align::kName;
  Table table({kLeft, kName, kName, kName, kName, kLeft});
  table.AddRow({"TIME (UTC)", "PROJECT", "WHO", "FROM", "WHAT", "ABOUT IT"});
  for (const store::AuditRecord& record : records) {
    table.AddRow({absl::FormatTime("%Y-%m-%d %H:%M:%S", record.time, absl::UTCTimeZone()),
                  base::Printable(record.project),
                  record.actor.empty() ? "anonymous" : base::Printable(record.actor),
                  base::Printable(record.origin),
                  base::Printable(record.action + " " + record.subject),
                  base::Printable(record.detail)});
  }
  return table.Text();
}

std::string AuditJson(const std::vector<store::AuditRecord>& records) {
  Json list = Json::array();
  for (const store::AuditRecord& record : records) {
    list.push_back(
        {{"id", record.id},
         {"time", absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", record.time, absl::UTCTimeZone())},
         {"project", record.project},
         {"actor", record.actor},
         {"origin", record.origin},
         {"action", record.action},
         {"subject", record.subject},
         {"detail", record.detail}});
  }
  return JsonText(Json({{"schema", 1}, {"audit", std::move(list)}}));
}

int RunAudit(const AuditArguments& arguments) {
  store::AuditFilter filter;
  filter.project = arguments.project;
  filter.limit = arguments.limit;
  if (!arguments.since.empty()) {
    const absl::StatusOr<absl::Time> since =
        ParseBeginning("--since", arguments.since, absl::Now());
    if (!since.ok()) return ReportUsage(since.status());
    filter.since = *since;
  }
  const absl::StatusOr<std::string> location = server::StoreLocation(arguments.store);
  if (!location.ok()) return ReportStatus(location.status());
  const absl::StatusOr<store::Store> store =
      store::OpenStore(*location, store::OpenMode::kExisting);
  if (!store.ok()) return ReportStatus(store.status());
  const absl::StatusOr<std::vector<store::AuditRecord>> records = store->audit.List(filter);
  if (!records.ok()) return ReportStatus(records.status());
  return arguments.format == "json" ? PrintOutput(AuditJson(*records))
                                    : PrintText(AuditTable(*records));
}

}  // namespace

void AddAuditCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "audit", "List audit events: who did what, when, and from where; reads the store directly");
  auto arguments = std::make_shared<AuditArguments>();
  server::AddStoreOptions(*command, arguments->store);
  command->add_option("--project", arguments->project, "Only events of this project (default: all)")
      ->type_name("NAME");
  command
      ->add_option(
          "--since", arguments->since,
          "Only events since a day such as 2027-01-31, or within a duration such as 12h or 7d")
      ->type_name("WHEN");
  command->add_option("--limit", arguments->limit, "Maximum number of events, newest first")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  SetExamples(*command, {"gprofhub audit", "gprofhub audit --since 7d --format=json",
                         "gprofhub audit --project myproject --since 2027-01-31"});
  command->callback([arguments, &run] { run = [arguments] { return RunAudit(*arguments); }; });
}

}  // namespace gprofhub::cli
