// `gprofhub admin acknowledgements` and `take-back`: list and revoke acknowledgements.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/admin/time_options.h"
#include "cli/client/output.h"

namespace gprofhub::cli {

namespace {

using Json = nlohmann::ordered_json;
using store::AcknowledgementRecord;

struct AcknowledgementArguments {
  server::StoreOptions store;
  std::string project;
  std::string format = "text";
  std::vector<int64_t> ids;
  bool of_revoked = false;
};

absl::StatusOr<std::vector<AcknowledgementRecord>> Holding(
    const store::Store& store, const AcknowledgementArguments& arguments) {
  absl::StatusOr<std::vector<AcknowledgementRecord>> records =
      store.gate.ListAcknowledgements(arguments.project);
  if (!records.ok() || !arguments.of_revoked) return records;
  records->erase(
      std::remove_if(records->begin(), records->end(),
                     [](const AcknowledgementRecord& record) { return !record.token_revoked; }),
      records->end());
  return records;
}

std::string TokenText(const AcknowledgementRecord& record) {
  if (record.token_id == 0) return "-";
  return absl::StrCat(record.token_id, record.token_revoked ? " (revoked)" : "");
}

std::string AcknowledgementsTable(const std::vector<AcknowledgementRecord>& records) {
  constexpr auto kLeft = Table::Align::kLeft;
  constexpr auto kName = Table::Align::kName;
  Table table({Table::Align::kRight, kLeft, kName, kLeft, kLeft, kName, kName, kLeft});
  table.AddRow(
      {"ID", "MADE (UTC)", "AUTHOR", "TOKEN", "PULL REQUEST", "TARGET", "FUNCTION", "REASON"});
  for (const AcknowledgementRecord& record : records) {
    table.AddRow({absl::StrCat(record.id),
                  absl::FormatTime("%Y-%m-%d %H:%M:%S", record.created, absl::UTCTimeZone()),
                  record.author, TokenText(record),
                  record.pull_request.empty() ? "all" : record.pull_request,
                  record.target.empty() ? "all" : record.target, record.function, record.reason});
  }
  return table.Text();
}

std::string AcknowledgementsJson(const std::vector<AcknowledgementRecord>& records) {
  Json list = Json::array();
  for (const AcknowledgementRecord& record : records) {
    list.push_back(
        {{"id", record.id},
         {"project", record.project},
         {"created", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", record.created, absl::UTCTimeZone())},
         {"author", record.author},
         {"token", record.token_id == 0 ? Json(nullptr) : Json(record.token_id)},
         {"token_revoked", record.token_revoked},
         {"pull_request", record.pull_request},
         {"target", record.target},
         {"function", record.function},
         {"reason", record.reason}});
  }
  return JsonText(Json({{"schema", 1}, {"acknowledgements", std::move(list)}}));
}

int ListAcknowledgements(const AcknowledgementArguments& arguments) {
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  const absl::StatusOr<std::vector<AcknowledgementRecord>> records =
      Holding(store->store, arguments);
  if (!records.ok()) return ReportStatus(records.status());
  return arguments.format == "json" ? PrintOutput(AcknowledgementsJson(*records))
                                    : PrintText(AcknowledgementsTable(*records));
}

int TakeBack(const AcknowledgementArguments& arguments) {
  if (arguments.ids.empty() == !arguments.of_revoked) {
    return ReportUsage(
        absl::InvalidArgumentError("no acknowledgements given: give their IDs, or --of-revoked for "
                                   "all made with revoked tokens"));
  }
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  std::vector<int64_t> ids = arguments.ids;
  if (arguments.of_revoked) {
    const absl::StatusOr<std::vector<AcknowledgementRecord>> records =
        Holding(store->store, arguments);
    if (!records.ok()) return ReportStatus(records.status());
    for (const AcknowledgementRecord& record : *records) ids.push_back(record.id);
  }
  for (const int64_t id : ids) {
    const absl::Status status =
        store->store.gate.TakeBackAcknowledgement(arguments.project, id, LocalActor(), absl::Now());
    if (!status.ok()) return ReportStatus(status);
    const int printed = PrintOutput(absl::StrCat("took back acknowledgement ", id, "\n"));
    if (printed != kExitOk) return printed;
  }
  return kExitOk;
}

}  // namespace

void AddAcknowledgementActions(CLI::App& admin, CommandMain& run) {
  const auto list = AddAction(admin, "acknowledgements",
                              "List the acknowledgements in force and the token that made each",
                              run, ListAcknowledgements);
  AddProjectOption(*list.app, list.arguments->project, "Project of the acknowledgements");
  list.app->add_flag("--of-revoked", list.arguments->of_revoked,
                     "Only acknowledgements made with tokens that are now revoked");
  AddFormatOption(*list.app, list.arguments->format);
  SetExamples(*list.app, {"gprofhub admin acknowledgements",
                          "gprofhub admin acknowledgements --project myproject --of-revoked"});

  const auto take_back =
      AddAction(admin, "take-back", "Take back acknowledgements of any author", run, TakeBack);
  AddProjectOption(*take_back.app, take_back.arguments->project, "Project of the acknowledgements");
  take_back.app->add_option(
      "numbers", take_back.arguments->ids,
      "IDs of the acknowledgements, as printed by `gprofhub admin acknowledgements`");
  take_back.app->add_flag("--of-revoked", take_back.arguments->of_revoked,
                          "All acknowledgements made with tokens that are now revoked");
  SetExamples(*take_back.app, {"gprofhub admin take-back 3",
                               "gprofhub admin take-back --project myproject --of-revoked"});
}

}  // namespace gprofhub::cli
