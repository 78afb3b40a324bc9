// Paths of the programs under test, and how they are executed. With GPROFHUB_AARCH64 they are those
// of tests/runtime/aarch64, and qemu's user-mode emulation executes them.
#ifndef GPROFHUB_TESTS_RUNTIME_PROGRAMS_UNDER_TEST_H_
#define GPROFHUB_TESTS_RUNTIME_PROGRAMS_UNDER_TEST_H_

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

namespace gprofhub::tests {

#ifdef GPROFHUB_AARCH64
inline constexpr bool kEmulated = true;
inline constexpr char kFolder[] = "tests/runtime/aarch64/";
#else
inline constexpr bool kEmulated = false;
inline constexpr char kFolder[] = "tests/runtime/";
#endif

// The absolute path of a program or shared object of the tests.
inline std::string ProgramPath(const std::string& name) {
  return std::filesystem::absolute(kFolder + name).string();
}

// The command that executes a program. An emulated one finds it in its environment, too, as
// EMULATOR and EMULATED_ROOT: its own exec calls have to use it.
inline std::vector<std::string> CommandOf(const std::string& program) {
  if (!kEmulated) return {program};
  constexpr char kEmulator[] = "/usr/bin/qemu-aarch64-static";
  constexpr char kRoot[] = "/usr/aarch64-linux-gnu";
  setenv("EMULATOR", kEmulator, 1);
  setenv("EMULATED_ROOT", kRoot, 1);
  return {kEmulator, "-L", kRoot, program};
}

// Replaces this process, as execv does.
inline void Execute(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = CommandOf(program);
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  execv(words[0], words.data());
}

}  // namespace gprofhub::tests

#endif
