// Shared code of the actions of `gprofhub admin`.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/command/command.h"
#include "cli/serve/store_location.h"
#include "store/upkeep/upkeep.h"

namespace gprofhub::cli {

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
  AddStoreOptions(*action.app, action.arguments->store);
  action.app->callback([arguments = action.arguments, &run, main] {
    run = [arguments, main] { return main(*arguments); };
  });
  return action;
}

// Adds --format.
void AddFormatOption(CLI::App& command, std::string& format);

// The store, whose schema must be that of this program, with its archive if that is named.
absl::StatusOr<store::WholeStore> OpenNamed(const StoreOptions& options);

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

}  // namespace gprofhub::cli
