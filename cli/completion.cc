#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/text.h"
#include "cli/client/query_client.h"
#include "cli/command/command_line.h"
#include "cli/commands.h"
#include "profile/codec/computed.h"
#include "profile/demangle.h"

namespace gprofhub::cli {

namespace {

constexpr absl::Duration kPatience = absl::Seconds(1);  // for each call
constexpr uint32_t kRunsOffered = 20;
constexpr uint32_t kRunsWithNames = 100;
constexpr int kTargetsSearched = 4;
constexpr size_t kMostOffered = 200;
constexpr size_t kCommitDigits = 10;

constexpr char kBash[] =
    R"(# bash completion of gprofhub: asks the program, which may ask the server.
_gprofhub() {
  local line=${COMP_LINE:0:COMP_POINT} current word
  local -a words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  current=${words[-1]}
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    COMPREPLY+=("$word")
  done < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
  # The shell replaces only what follows the last of its word breaks.
  local prefix=${current%"${current##*[:=]}"}
  [[ -n $prefix ]] && COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
}
complete -o bashdefault -o default -F _gprofhub gprofhub
)";

constexpr char kZsh[] = R"(#compdef gprofhub
# zsh completion of gprofhub: asks the program, which may ask the server.
_gprofhub() {
  local line
  local -a found
  for line in "${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  (($#found)) && _describe gprofhub found || _files
}
if [[ ${funcstack[1]} == _gprofhub ]]; then
  _gprofhub "$@"
else
  compdef _gprofhub gprofhub
fi
)";

// A word that may follow, and its description.
using Offer = std::pair<std::string, std::string>;
using Offers = std::vector<Offer>;

// Names come from profiles: a shell must not read a command in a word.
bool IsSafe(absl::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || absl::StrContains("/:._+-@~=,%", static_cast<char>(c));
  });
}

// The state of a command line before the word that is completed.
struct Place {
  const CLI::App* command = nullptr;
  const CLI::Option* value_of = nullptr;  // the option whose value is next; null: none
  size_t positionals = 0;                 // given already
};

const CLI::Option* FindOption(const CLI::App& app, const CLI::App& command,
                              const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  for (const CLI::App* const owner : {&command, &app}) {
    const CLI::Option* const option = owner->get_option_no_throw(name);
    if (option != nullptr) return option;
  }
  return nullptr;
}

Place PlaceAfter(const CLI::App& app, const std::vector<std::string>& words) {
  Place place = {&app};
  for (const std::string& word : words) {
    if (place.value_of != nullptr) {
      place.value_of = nullptr;
    } else if (absl::StartsWith(word, "-")) {
      const CLI::Option* const option = FindOption(app, *place.command, word);
      const bool has_value = absl::StrContains(word, '=');
      // A value that may be missing is written after "=".
      if (option != nullptr && !has_value && option->get_items_expected_min() > 0) {
        place.value_of = option;
      }
    } else {
      const std::vector<const CLI::App*> below = place.command->get_subcommands(
          [&word](const CLI::App* command) { return command->get_name() == word; });
      if (below.empty() || place.positionals > 0) {
        ++place.positionals;
      } else {
        place.command = below.front();
      }
    }
  }
  return place;
}

Offers CommandsBelow(const CLI::App& command) {
  Offers offers;
  for (const CLI::App* const below : command.get_subcommands({})) {
    const std::string about = below->get_description();
    offers.emplace_back(below->get_name(), about.substr(0, about.find('\n')));
  }
  return offers;
}

Offers OptionsOf(const CLI::App& app, const CLI::App& command) {
  Offers offers;
  for (const CLI::App* const owner : {&command, &app}) {
    for (const CLI::Option* const option : owner->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        offers.emplace_back("--" + name, option->get_description());
      }
    }
  }
  return offers;
}

// Asks the server of the words of a command line. Whatever fails yields no offers.
class Server {
 public:
  explicit Server(const std::vector<std::string>& words) {
    CLI::App app;
    app.allow_extras();
    app.set_help_flag();
    AddServerOptions(app, options_);
    app.add_option("--target", target_);
    try {
      app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
      client_ = std::make_unique<QueryClient>(options_, notes_, kPatience);
    } catch (const CLI::ParseError&) {
      client_ = nullptr;
    }
  }

  Offers Runs() {
    Offers offers = {{"latest", "the run that was received last"}};
    for (const v1::Run& run : List(kRunsOffered)) {
      const v1::RunInfo& info = run.info();
      const std::string pull =
          info.pull_request().empty() ? "" : absl::StrCat(", #", info.pull_request());
      offers.emplace_back(run.run_id(), absl::StrCat(info.commit().substr(0, kCommitDigits), ", ",
                                                     info.branch(), pull));
      offers.emplace_back(info.commit().substr(0, kCommitDigits),
                          absl::StrCat("run ", run.run_id(), ", ", info.branch(), pull));
    }
    for (Offer& branch : Branches()) offers.push_back(std::move(branch));
    return offers;
  }

  Offers Branches() { return Infos(&v1::RunInfo::branch, "branch"); }
  Offers PullRequests() { return Infos(&v1::RunInfo::pull_request, "pull request"); }
  Offers Configurations() { return Infos(&v1::RunInfo::configuration, "configuration"); }

  Offers Targets() {
    Offers offers;
    const v1::Run run = LatestRun();
    for (const v1::Target& target : run.targets()) offers.emplace_back(target.label(), "");
    return offers;
  }

  // Of the target of the command line, else of some.
  Offers Functions() {
    std::vector<std::string> targets = {target_};
    if (target_.empty()) {
      targets.clear();
      const v1::Run run = LatestRun();
      for (const v1::Target& target : run.targets()) targets.push_back(target.label());
      if (targets.size() > kTargetsSearched) targets.resize(kTargetsSearched);
    }
    Offers offers;
    for (const std::string& target : targets) AddFunctionsOf(target, offers);
    return offers;
  }

 private:
  void AddFunctionsOf(const std::string& target, Offers& offers) {
    if (client_ == nullptr) return;
    v1::GetProfileRequest request;
    request.set_target(target);
    const auto answer = client_->Call(&QueryStub::GetProfile, request);
    if (!answer.ok()) return;
    const auto profile = profile::DecodeComputedProfile(answer->computed());
    if (!profile.ok()) return;
    for (const profile::FunctionCost& function : profile->functions) {
      if (function.calls == 0 && function.self_samples == 0) continue;
      // Without parameters: commands accept a part of a name.
      const std::string name = profile::Demangle(std::string(profile->strings[function.name]));
      offers.emplace_back(name.substr(0, name.find('(')), target);
    }
  }

  std::vector<v1::Run> List(uint32_t limit) {
    if (client_ == nullptr) return {};
    v1::ListRunsRequest request;
    request.set_limit(limit);
    const auto runs = client_->Call(&QueryStub::ListRuns, request);
    if (!runs.ok()) return {};
    return {runs->runs().begin(), runs->runs().end()};
  }

  Offers Infos(const std::string& (v1::RunInfo::*field)() const, const char* about) {
    Offers offers;
    for (const v1::Run& run : List(kRunsWithNames)) {
      offers.emplace_back((run.info().*field)(), about);
    }
    return offers;
  }

  v1::Run LatestRun() {
    if (client_ == nullptr) return {};
    return client_->Call(&QueryStub::GetRun, v1::GetRunRequest()).value_or(v1::Run());
  }

  ServerOptions options_;
  std::string target_;
  std::ostringstream notes_;
  std::unique_ptr<QueryClient> client_;  // null: the words name no server
};

// Offers for values, by the name of the option or argument that takes them.
Offers ValuesOf(const CLI::App& app, const CLI::Option& option,
                const std::vector<std::string>& words) {
  Offers offers;
  for (const std::string& value : ListedValues(option.get_type_name())) {
    offers.emplace_back(value, "");
  }
  if (!offers.empty()) return offers;
  static const auto* const values =
      new std::map<std::string, Offers (Server::*)()>{{"run", &Server::Runs},
                                                      {"base", &Server::Runs},
                                                      {"head", &Server::Runs},
                                                      {"commit", &Server::Runs},
                                                      {"function", &Server::Functions},
                                                      {"target", &Server::Targets},
                                                      {"branch", &Server::Branches},
                                                      {"pull-request", &Server::PullRequests},
                                                      {"configuration", &Server::Configurations}};
  const std::string name = option.get_single_name();
  if (name == "command") return CommandsBelow(app);
  const auto known = values->find(name);
  if (known == values->end()) return {};
  Server server(words);
  return (server.*known->second)();
}

Offers OffersFor(const CLI::App& app, const std::vector<std::string>& words) {
  const std::vector<std::string> before(words.begin(), words.end() - 1);
  const std::string& current = words.back();
  const Place place = PlaceAfter(app, before);
  if (place.value_of != nullptr) return ValuesOf(app, *place.value_of, before);
  if (absl::StartsWith(current, "-")) {
    const size_t equals = current.find('=');
    if (equals == std::string::npos) return OptionsOf(app, *place.command);
    const CLI::Option* const option = FindOption(app, *place.command, current);
    Offers offers;
    if (option == nullptr) return offers;
    for (Offer& offer : ValuesOf(app, *option, before)) {
      offers.emplace_back(current.substr(0, equals + 1) + offer.first, std::move(offer.second));
    }
    return offers;
  }
  if (!place.command->get_subcommands({}).empty()) return CommandsBelow(*place.command);
  const std::vector<const CLI::Option*> arguments = place.command->get_options(
      [](const CLI::Option* option) { return option->get_positional(); });
  if (arguments.empty()) return {};
  return ValuesOf(app, *arguments[std::min(place.positionals, arguments.size() - 1)], before);
}

}  // namespace

int PrintCompletions(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty()) return kExitOk;
  std::string text;
  std::set<std::string> printed;
  for (const auto& [word, about] : OffersFor(app, words)) {
    if (!IsSafe(word) || !absl::StartsWith(word, words.back()) || !printed.insert(word).second) {
      continue;
    }
    absl::StrAppend(&text, word, "\t", base::Printable(about), "\n");
    if (printed.size() == kMostOffered) break;
  }
  return PrintOutput(text);
}

void AddCompletionCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "completion",
      "Print a script that completes gprofhub's words in a shell\nIt completes commands, options, "
      "runs, targets and functions. Runs, targets and functions are those of the server.");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  SetExamples(*command, {"source <(gprofhub completion bash)",
                         "gprofhub completion zsh > ~/.zfunc/_gprofhub"});
  command->callback(
      [shell, &run] { run = [shell] { return PrintOutput(*shell == "bash" ? kBash : kZsh); }; });
}

}  // namespace gprofhub::cli
