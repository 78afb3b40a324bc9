// `gprofhub admin jobs`, `requeue`, `reports`, `repost`, `notifications`, `tell-again`: dead
// letters.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "cli/admin/time_options.h"
#include "cli/client/output.h"

namespace gprofhub::cli {

namespace {

using Json = nlohmann::ordered_json;
using store::DeadLetter;
using store::LetterKind;

constexpr uint32_t kListedAtOnce = 1000;

struct LetterArguments {
  server::StoreOptions store;
  std::string project;
  std::string format = "text";
  std::vector<int64_t> ids;
  bool all = false;
};

// How a kind is called.
struct Words {
  const char* id;    // heading of the numbers
  const char* what;  // heading of the subject column
  const char* done;  // what became of the revived
};

constexpr Words WordsOf(LetterKind kind) {
  switch (kind) {
    case LetterKind::kJob:
      return {"JOB", "TARGET", "requeued"};
    case LetterKind::kReport:
      return {"RUN", "OF", "queued to be posted again"};
    case LetterKind::kNotification:
      return {"NUMBER", "CHANNEL", "queued to be sent again"};
  }
  return {};
}

absl::StatusOr<std::vector<DeadLetter>> ListAll(const store::DeadLetters& dead_letters,
                                                LetterKind kind, const std::string& project) {
  std::vector<DeadLetter> all;
  while (true) {
    ASSIGN_OR_RETURN(
        const std::vector<DeadLetter> page,
        dead_letters.List(kind, {project, {}}, all.empty() ? 0 : all.back().id, kListedAtOnce));
    all.insert(all.end(), page.begin(), page.end());
    if (page.size() < kListedAtOnce) return all;
  }
}

std::string UtcText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

std::string ReasonWithTime(const DeadLetter& letter, absl::Time now) {
  if (letter.due == absl::InfiniteFuture()) return letter.reason;
  return absl::StrCat(letter.due <= now ? "due since " : "until ", UtcText(letter.due), ": ",
                      letter.reason);
}

std::string LettersTable(const std::vector<DeadLetter>& letters, LetterKind kind) {
  constexpr auto kLeft = Table::Align::kLeft;
  constexpr auto kName = Table::Align::kName;
  constexpr auto kRight = Table::Align::kRight;
  const Words words = WordsOf(kind);
  Table table({kRight, kName, kRight, kName, kLeft, kRight, kLeft});
  table.AddRow({words.id, "PROJECT", kind == LetterKind::kJob ? "RUN" : "", words.what,
                "SINCE (UTC)", "ATTEMPTS", "REASON"});
  for (const DeadLetter& letter : letters) {
    table.AddRow({absl::StrCat(letter.id), letter.project,
                  kind == LetterKind::kJob ? absl::StrCat(letter.run_id) : "", letter.what,
                  absl::FormatTime("%Y-%m-%d %H:%M:%S", letter.since, absl::UTCTimeZone()),
                  absl::StrCat(letter.attempts), ReasonWithTime(letter, absl::Now())});
  }
  return table.Text();
}

std::string LettersJson(const std::vector<DeadLetter>& letters, const char* name) {
  Json list = Json::array();
  for (const DeadLetter& letter : letters) {
    list.push_back(
        {{"id", letter.id},
         {"project", letter.project},
         {"run", letter.run_id == 0 ? Json(nullptr) : Json(letter.run_id)},
         {"what", letter.what},
         {"attempts", letter.attempts},
         {"since", UtcText(letter.since)},
         {"next", letter.due == absl::InfiniteFuture() ? Json(nullptr) : Json(UtcText(letter.due))},
         {"waits", letter.waits},
         {"reason", letter.reason}});
  }
  return JsonText(Json({{"schema", 1}, {name, std::move(list)}}));
}

template <LetterKind kind>
int ListLetters(const LetterArguments& arguments) {
  constexpr const char* kNames[] = {"jobs", "reports", "notifications"};
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  const absl::StatusOr<std::vector<DeadLetter>> letters =
      ListAll(store->upkeep.dead_letters, kind, arguments.project);
  if (!letters.ok()) return ReportStatus(letters.status());
  return arguments.format == "json"
             ? PrintOutput(LettersJson(*letters, kNames[static_cast<int>(kind)]))
             : PrintText(LettersTable(*letters, kind));
}

template <LetterKind kind>
int ReviveLetters(const LetterArguments& arguments) {
  if (arguments.ids.empty() && arguments.project.empty() && !arguments.all) {
    return ReportUsage(
        absl::InvalidArgumentError("nothing selected: give IDs, --project, or --all"));
  }
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  const absl::StatusOr<uint64_t> revived = store->upkeep.dead_letters.Revive(
      kind, {arguments.project, arguments.ids}, LocalActor(), absl::Now());
  if (!revived.ok()) return ReportStatus(revived.status());
  return PrintOutput(absl::StrCat(*revived, " ", WordsOf(kind).done, "\n"));
}

Action<LetterArguments> AddList(CLI::App& admin, const std::string& name,
                                const std::string& description, CommandMain& run,
                                int (*main)(const LetterArguments&)) {
  const Action<LetterArguments> action = AddAction(admin, name, description, run, main);
  action.app->add_option("--project", action.arguments->project, "Only this project (default: all)")
      ->type_name("NAME");
  AddFormatOption(*action.app, action.arguments->format);
  SetExamples(*action.app, {"gprofhub admin " + name,
                            "gprofhub admin " + name + " --project myproject --format=json"});
  return action;
}

Action<LetterArguments> AddRevival(CLI::App& admin, const std::string& name,
                                   const std::string& description, const std::string& ids,
                                   CommandMain& run, int (*main)(const LetterArguments&)) {
  const Action<LetterArguments> action = AddAction(admin, name, description, run, main);
  CLI::Option* numbers = action.app->add_option("numbers", action.arguments->ids, ids);
  action.app->add_option("--project", action.arguments->project, "Everything in this project")
      ->type_name("NAME");
  action.app->add_flag("--all", action.arguments->all, "Everything in the store")
      ->excludes(numbers);
  SetExamples(*action.app, {"gprofhub admin " + name + " 17 18",
                            "gprofhub admin " + name + " --project myproject",
                            "gprofhub admin " + name + " --all"});
  return action;
}

}  // namespace

void AddLetterActions(CLI::App& admin, CommandMain& run) {
  AddList(admin, "jobs", "List analyses that failed for good, with the reason", run,
          ListLetters<LetterKind::kJob>);
  AddRevival(admin, "requeue", "Retry analyses that failed for good",
             "Job ids, as printed by `gprofhub admin jobs`", run, ReviveLetters<LetterKind::kJob>);
  AddList(admin, "reports",
          "List reports that failed, wait, are disabled, or lack parts that the forge refused", run,
          ListLetters<LetterKind::kReport>);
  AddRevival(admin, "repost",
             "Post failed reports again, or the reports on the given runs whatever their state",
             "Run ids, as printed by `gprofhub admin reports`", run,
             ReviveLetters<LetterKind::kReport>);
  AddList(admin, "notifications", "List notifications that could not be delivered, with the reason",
          run, ListLetters<LetterKind::kNotification>);
  AddRevival(admin, "tell-again", "Send undelivered notifications again",
             "Notification ids, as printed by `gprofhub admin notifications`", run,
             ReviveLetters<LetterKind::kNotification>);
}

}  // namespace gprofhub::cli
