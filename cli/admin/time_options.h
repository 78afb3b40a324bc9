// Shared by the commands of `gprofhub admin`: options that hold times, and who acts.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "cli/command/command.h"
#include "server/page_options.h"
#include "store/records/records.h"
#include "store/upkeep.h"

namespace gprofhub::cli {

// Shared code of the actions of `gprofhub admin`.

template <typename Arguments>
struct Action {
  CLI::App* app;
  // Its own: CLI11 reads the environment for every action, chosen or not.
  std::shared_ptr<Arguments> arguments = std::make_shared<Arguments>();
};

// Declares `gprofhub admin NAME`, which works on the store that `Arguments::store` (StoreOptions)
// names; when it is chosen, `run` becomes `main`.
template <typename Arguments>
Action<Arguments> AddAction(CLI::App& admin, const std::string& name,
                            const std::string& description, CommandMain& run,
                            int (*main)(const Arguments&)) {
  const Action<Arguments> action = {admin.add_subcommand(name, description)};
  server::AddStoreOptions(*action.app, action.arguments->store);
  action.app->callback([arguments = action.arguments, &run, main] {
    run = [arguments, main] { return main(*arguments); };
  });
  return action;
}

// Adds --format.
void AddFormatOption(CLI::App& command, std::string& format);

// The existing store, whose schema must be that of this program, with its archive if that is named.
absl::StatusOr<store::WholeStore> OpenNamed(const server::StoreOptions& options);

// A number of bytes for people: "12.3 MiB".
std::string BytesText(uint64_t bytes);

// The actions by concern; `admin` is `gprofhub admin`.
void AddLetterActions(CLI::App& admin, CommandMain& run);           // jobs, reports, notifications
void AddAcknowledgementActions(CLI::App& admin, CommandMain& run);  // acknowledgements, take-back
void AddInspectionActions(CLI::App& admin, CommandMain& run);       // fsck, gc
void AddDeltaEncodeAction(CLI::App& admin, CommandMain& run);       // delta-encode
void AddArchiveAction(CLI::App& admin, CommandMain& run);           // archive
void AddBackupActions(CLI::App& admin, CommandMain& run);           // backup, restore
void AddRetentionActions(CLI::App& admin, CommandMain& run);        // retention
void AddPinActions(CLI::App& admin, CommandMain& run);              // pin-run, unpin-run, pins
void AddMainBranchAction(CLI::App& admin, CommandMain& run);        // main-branch

// The principal of commands that work on the store itself, without a server.

// The user of this process and this machine's name, for the audit log. They come from the system,
// not from the environment.
store::Actor LocalActor();

// Times as people write them on command lines.

// A whole number of minutes, hours, days or weeks, at most 100 years: "30m", "12h", "7d", "4w".
// INVALID_ARGUMENT naming `option`.
absl::StatusOr<absl::Duration> ParseSpan(absl::string_view option, absl::string_view text);

// The same, or 0.
absl::StatusOr<absl::Duration> ParseAge(absl::string_view option, absl::string_view text);

// A day such as "2027-01-31", meaning its begin in UTC, or a time such as "2027-01-31T12:00:00Z".
// INVALID_ARGUMENT naming `option` for anything else.
absl::StatusOr<absl::Time> ParseDay(absl::string_view option, absl::string_view text);

// An end time, from a duration after `now` or a day.
absl::StatusOr<absl::Time> ParseEnd(absl::string_view option, absl::string_view text,
                                    absl::Time now);

// A start time, from a duration before `now` or a day.
absl::StatusOr<absl::Time> ParseBeginning(absl::string_view option, absl::string_view text,
                                          absl::Time now);

}  // namespace gprofhub::cli
