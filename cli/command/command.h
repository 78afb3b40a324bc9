// How a subcommand of `gprofhub` joins the program: a function that declares
// the subcommand on the CLI11 app and, in its callback, sets what to run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Exit codes that scripts can rely on (docs/cli.md).
enum ExitCode : int {
  kExitOk = 0,
  kExitFailure = 1,      // the work failed, with the reason on stderr
  kExitUsage = 2,        // the command line is wrong
  kExitNotFound = 3,     // the requested object does not exist
  kExitUnavailable = 4,  // the server cannot be reached, or refuses the token
  kExitIncomplete = 5,   // partial success, with the failed part on stderr
  kExitDrifted = 6,      // an order in use has fallen behind, with the amount on stderr
  kExitDamaged = 7,      // a store is damaged, with details on stdout
};

// Action of the chosen subcommand; returns an ExitCode.
using CommandMain = std::function<int()>;

// Prints "gprofhub: <message>" to stderr and returns the exit code that fits
// the status (OK: kExitOk, nothing printed).
int ReportStatus(const absl::Status& status);

// Like ReportFailure, for errors in the user's input: returns kExitUsage.
int ReportUsage(const absl::Status& status);

// Prints "gprofhub: warning: <text>" to stderr.
void Warn(absl::string_view text);

// Prints to stdout; on a terminal through the pager if `text` is longer than the screen. Returns
// kExitFailure, with the reason on stderr, if stdout cannot be written.
int PrintOutput(absl::string_view text);

// The same for sentences and tables: on a terminal lines are wrapped between words.
int PrintText(absl::string_view text);

// Options that every command talking to a server has.
struct ServerOptions {
  // --server, GPROFHUB_SERVER; default 127.0.0.1:7070. base::ParseServerAddress accepts it.
  // .gprofhub.json may set it.
  std::string server;
  std::string token;  // --token-file, GPROFHUB_TOKEN_FILE, GPROFHUB_TOKEN; printable ASCII
  // Contents of these files; empty: not given.
  std::string authorities;         // --ca-file, GPROFHUB_CA_FILE
  std::string client_certificate;  // --client-cert, GPROFHUB_CLIENT_CERT
  std::string client_key;          // --client-key, GPROFHUB_CLIENT_KEY
  // --project, GPROFHUB_PROJECT, .gprofhub.json; default "default"
  std::string project;
};

// Adds --project, by default GPROFHUB_PROJECT, the project of .gprofhub.json or "default", as every
// command has it.
void AddProjectOption(CLI::App& command, std::string& project, const std::string& description);

// Adds --server, --token-file, --project, and the files of TLS to `command`.
void AddServerOptions(CLI::App& command, ServerOptions& options);

// Description of an argument that names a run.
inline constexpr char kRunNames[] =
    "Run: its id, latest, latest~1, a commit, HEAD, a tag, a branch, or '#17' for a pull request";

// Help text below the options: one example a line, ready to copy.
void SetExamples(CLI::App& command, const std::vector<std::string>& examples);

// Starts gprofhub_commands from its own folder.
//
// Where the archive for any Linux is unpacked (packaging/portable), the program's libraries are
// below it in lib/, including its C library and loader. A program cannot name its loader by a path
// relative to itself, so the loader is started, with the program as argument. Elsewhere the program
// is started directly.

// The first words of a command line, a path first, that starts gprofhub_commands of `folder`, which
// has a slash at its end or is empty; `name` is its argv[0].
std::vector<std::string> StartCommands(const std::string& folder, const std::string& name);

// The same for the running program, regardless of its name and location.
std::vector<std::string> StartThisAgain();

}  // namespace gprofhub::cli
