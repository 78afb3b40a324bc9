// `gprofhub admin pin-run`, `unpin-run` and `pins`.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/admin/time_options.h"
#include "cli/client/output.h"

namespace gprofhub::cli {

namespace {

using Json = nlohmann::ordered_json;
using store::PinnedRun;

struct PinArguments {
  server::StoreOptions store;
  std::string project;
  std::vector<int64_t> runs;
  std::string reason;
  std::string format = "text";
};

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S", time, absl::UTCTimeZone());
}

int Pin(const PinArguments& arguments) {
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  for (const int64_t run : arguments.runs) {
    const absl::Status status = store->upkeep.retention.Pin(
        arguments.project, run, arguments.reason, LocalActor(), absl::Now());
    if (!status.ok()) return ReportStatus(status);
    PrintOutput(absl::StrCat("pinned run ", run, "\n"));
  }
  return kExitOk;
}

int Unpin(const PinArguments& arguments) {
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  for (const int64_t run : arguments.runs) {
    const absl::Status status =
        store->upkeep.retention.Unpin(arguments.project, run, LocalActor(), absl::Now());
    if (!status.ok()) return ReportStatus(status);
    PrintOutput(absl::StrCat("unpinned run ", run, "\n"));
  }
  return kExitOk;
}

std::string PinsTable(const std::vector<PinnedRun>& pins) {
  constexpr auto kLeft = Table::Align::kLeft;
  constexpr auto kName = Table::Align::kName;
  constexpr auto kRight = Table::Align::kRight;
  Table table({kName, kRight, kName, kLeft, kLeft, kLeft});
  table.AddRow({"PROJECT", "RUN", "BRANCH", "COMMIT", "PINNED (UTC)", "REASON"});
  for (const PinnedRun& pin : pins) {
    table.AddRow({pin.project, absl::StrCat(pin.id), pin.branch, pin.commit.substr(0, 12),
                  TimeText(pin.pinned), pin.reason});
  }
  return table.Text();
}

std::string PinsJson(const std::vector<PinnedRun>& pins) {
  Json list = Json::array();
  for (const PinnedRun& pin : pins) {
    list.push_back(
        {{"project", pin.project},
         {"run", pin.id},
         {"branch", pin.branch},
         {"commit", pin.commit},
         {"pinned", absl::FormatTime(absl::RFC3339_sec, pin.pinned, absl::UTCTimeZone())},
         {"reason", pin.reason}});
  }
  return JsonText(Json({{"schema", 1}, {"runs", std::move(list)}}));
}

int List(const PinArguments& arguments) {
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  const absl::StatusOr<std::vector<PinnedRun>> pins =
      store->upkeep.retention.ListPinned(arguments.project);
  if (!pins.ok()) return ReportStatus(pins.status());
  return arguments.format == "json" ? PrintOutput(PinsJson(*pins)) : PrintText(PinsTable(*pins));
}

Action<PinArguments> AddOfRuns(CLI::App& admin, const std::string& name,
                               const std::string& description, CommandMain& run,
                               int (*main)(const PinArguments&)) {
  const Action<PinArguments> action = AddAction(admin, name, description, run, main);
  AddProjectOption(*action.app, action.arguments->project, "Project of the runs");
  action.app->add_option("runs", action.arguments->runs, "Run ids, as printed by `gprofhub runs`")
      ->required();
  return action;
}

}  // namespace

void AddPinActions(CLI::App& admin, CommandMain& run) {
  const auto pin = AddOfRuns(admin, "pin-run", "Exempt runs from the retention policies", run, Pin);
  pin.app->add_option("--reason", pin.arguments->reason, "Reason, shown by `gprofhub admin pins`")
      ->type_name("TEXT");
  SetExamples(*pin.app, {"gprofhub admin pin-run 17",
                         "gprofhub admin pin-run --project myproject --reason 'paper' 17 18"});

  const auto unpin =
      AddOfRuns(admin, "unpin-run", "Apply the retention policies to runs again", run, Unpin);
  SetExamples(*unpin.app, {"gprofhub admin unpin-run 17"});

  const auto list = AddAction(admin, "pins", "List pinned runs", run, List);
  list.app->add_option("--project", list.arguments->project, "Only this project (default: all)")
      ->type_name("NAME");
  AddFormatOption(*list.app, list.arguments->format);
  SetExamples(*list.app, {"gprofhub admin pins", "gprofhub admin pins --format=json"});
}

}  // namespace gprofhub::cli
