// Executes a program under test and returns the calls in its recording, by name.
#ifndef GPROFHUB_TESTS_RUNTIME_RECORDED_CALLS_H_
#define GPROFHUB_TESTS_RUNTIME_RECORDED_CALLS_H_

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "profile/elf/read_image.h"
#include "profile/gmon/reader.h"
#include "profile/recording/reader.h"
#include "tests/runtime/slurp.h"

namespace gprofhub::tests {

// Calls by callee, and of (caller, callee); a caller of "" is unknown.
struct Calls {
  std::map<std::string, uint64_t> of;
  std::map<std::pair<std::string, std::string>, uint64_t> between;
};

// Parts and aliases count as the function itself ("f.cold", "f.localalias").
inline std::string FunctionAt(const profile::SymbolTable& symbols, uint64_t pc) {
  for (const profile::FunctionSymbol& symbol : symbols.functions) {
    if (pc >= symbol.address && pc < symbol.address + symbol.size) {
      return symbol.name.substr(0, symbol.name.find('.'));
    }
  }
  return "";
}

inline Calls CallsIn(const profile::RawProfile& profile, const std::string& image) {
  Calls calls;
  const absl::StatusOr<profile::SymbolTable> symbols = profile::ReadElfSymbols(image);
  EXPECT_TRUE(symbols.ok()) << symbols.status();
  std::map<uint64_t, std::string> names;
  const auto name = [&](uint64_t pc) {
    const auto [known, is_new] = names.try_emplace(pc);
    if (is_new) known->second = FunctionAt(*symbols, pc);
    return known->second;
  };
  for (const profile::RawArc& arc : profile.arcs) {
    const std::string callee = name(arc.self_pc);
    calls.of[callee] += arc.count;
    calls.between[{arc.from_pc == 0 ? "" : name(arc.from_pc), callee}] += arc.count;
  }
  return calls;
}

// The calls in the one recording in `folder`.
inline Calls CallsRecorded(const std::filesystem::path& folder, const std::string& image) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".gprofhub") continue;
    const absl::StatusOr<profile::Recording> recording =
        profile::ReadRecording(Slurp(entry.path()), entry.path().string());
    EXPECT_TRUE(recording.ok()) << recording.status();
    if (!recording.ok()) return {};
    EXPECT_EQ(recording->unattributed_calls, 0);
    for (const auto& [name, lost] : recording->losses) EXPECT_EQ(lost, 0) << name;
    return CallsIn(profile::FindModule(*recording, "")->profile, image);
  }
  ADD_FAILURE() << "no recording in " << folder;
  return {};
}

// Its status, as waitpid() has it. `gmon` is GPROFHUB_GMON.
inline int RunIn(const std::filesystem::path& folder, const std::vector<std::string>& command,
                 const char* gmon = "program") {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    setenv("GPROFHUB_PROFILE_DIR", folder.c_str(), 1);
    setenv("GPROFHUB_GMON", gmon, 1);
    execv(arguments[0], arguments.data());
    _exit(96);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace gprofhub::tests

#endif
