#include "cli/proxy/command.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "cli/client/connect.h"
#include "cli/client/token.h"
#include "cli/listen/listen_address.h"
#include "cli/proxy/companion.h"
#include "cli/proxy/proxy_server.h"

namespace gprofhub::cli {
namespace {

constexpr absl::Duration kGraceForCalls = absl::Seconds(10);
// Bazel opens its next call to a build event service at once.
constexpr absl::Duration kQuiet = absl::Seconds(1);

struct ProxyArguments {
  ServerOptions server;
  std::string token_file;
  std::string listen = "127.0.0.1:7069";
  int linger_seconds = 300;
  std::vector<std::string> command;
};

// The file's first line, as it is at each call: tokens of CI jobs end, and another program writes
// new ones.
ci::TokenSource FileToken(const std::string& path) {
  return [path]() -> absl::StatusOr<std::string> {
    std::ifstream file(path);
    std::string token;
    if (std::getline(file, token) && !token.empty()) return token;
    return absl::UnauthenticatedError(absl::StrCat(path, " cannot be read or is empty"));
  };
}

// The command with the proxy's address in it.
std::vector<std::string> CommandFor(const ProxyArguments& arguments, const std::string& address) {
  std::vector<std::string> words = arguments.command;
  for (std::string& word : words) word = absl::StrReplaceAll(word, {{"{proxy}", address}});
  return words;
}

int RunBeside(const CompanionSignals& signals, const ProxyArguments& arguments,
              ProxyServer& proxy) {
  const std::string address = proxy.address().ToString();
  const absl::StatusOr<int> code = signals.Run(CommandFor(arguments, address));
  if (!code.ok()) return ReportStatus(code.status());
  // Bazel's server may still send what its client does not wait for.
  if (!proxy.AwaitQuiet(kQuiet, absl::Seconds(arguments.linger_seconds))) {
    Warn(absl::StrCat("calls were still under way ", arguments.linger_seconds,
                      " seconds after the command's end, and are cut"));
  }
  return *code;
}

int RunProxy(const ProxyArguments& arguments) {
  const absl::StatusOr<ListenAddress> address = ParseListenAddress(arguments.listen);
  if (!address.ok()) return ReportUsage(address.status());
  std::signal(SIGPIPE, SIG_IGN);
  const CompanionSignals signals;
  absl::StatusOr<std::unique_ptr<ProxyServer>> proxy =
      ProxyServer::Start(*address, Connect(arguments.server),
                         arguments.token_file.empty() ? TokenSourceOf(arguments.server)
                                                      : FileToken(arguments.token_file));
  if (!proxy.ok()) return ReportStatus(proxy.status());
  int code = kExitOk;
  if (arguments.command.empty()) {
    code = PrintOutput(absl::StrCat("listening on ", (*proxy)->address().ToString(), "\n"));
    if (code == kExitOk) signals.AwaitEnd();
  } else {
    code = RunBeside(signals, arguments, **proxy);
  }
  (*proxy)->Stop(kGraceForCalls);
  return code;
}

}  // namespace

void AddProxyCommand(CLI::App& app, CommandMain& run) {
  CLI::App* proxy = app.add_subcommand(
      "proxy",
      "Pass Bazel's calls on to the server with the project's token, which Bazel 4 cannot send");
  auto arguments = std::make_shared<ProxyArguments>();
  AddServerOptions(*proxy, arguments->server);
  proxy
      ->add_option(
          "--listen", arguments->listen,
          "Where to listen, on this machine only; port 0 picks a free one. Your own processes act "
          "with the token, others are refused")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  proxy
      ->add_option("--linger", arguments->linger_seconds,
                   "How long calls may go on after the command's end")
      ->type_name("SECONDS")
      ->check(CLI::Range(0, 86400))
      ->capture_default_str();
  proxy
      ->add_option("command", arguments->command,
                   "Run this beside the proxy, and end with its exit code; {proxy} stands for the "
                   "proxy's address (default: run until SIGTERM or SIGINT)")
      ->type_name("-- COMMAND …");
  SetExamples(
      *proxy,
      {"gprofhub proxy --server https://gprofhub.example --token-file token &",
       "bazel test --config=gprof --config=gprof_backend --bes_backend=grpc://127.0.0.1:7069 "
       "--remote_cache=grpc://127.0.0.1:7069 //...",
       "gprofhub proxy --listen 127.0.0.1:0 -- bazel test --config=gprof "
       "--config=gprof_backend --bes_backend=grpc://{proxy} --remote_cache=grpc://{proxy} //..."});
  proxy->callback([arguments, proxy, &run] {
    const CLI::Option* const file = proxy->get_option("--token-file");
    if (file->count() > 0) arguments->token_file = file->as<std::string>();
    run = [arguments] { return RunProxy(*arguments); };
  });
}

}  // namespace gprofhub::cli
