// GPROFHUB_LIBRARY_CALLS: each program's calls of functions of other objects are counted exactly,
// by caller, for every way of linking. The programs themselves check the functions' results.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profile/elf/read_image.h"
#include "profile/recording/reader.h"
#include "tests/runtime/programs_under_test.h"
#include "tests/runtime/slurp.h"

namespace gprofhub::tests {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 20;

// By caller, a function of the program, and callee, a function of another object.
using Calls = std::map<std::pair<std::string, std::string>, uint64_t>;

// Of several names at one address the shortest, and of those the first.
class Names {
 public:
  std::string Of(const profile::RecordedModule& module, uint64_t pc) {
    auto [known, is_new] = functions_.try_emplace(module.path);
    if (is_new) Read(module.path, known->second);
    auto next = known->second.upper_bound(pc);
    if (next == known->second.begin()) return "";
    const std::string& name = std::prev(next)->second;
    return name.substr(0, name.find('.'));  // of "f.cold" the function itself
  }

 private:
  using Functions = std::map<uint64_t, std::string>;  // by address

  static void Read(const std::string& path, Functions& functions) {
    const absl::StatusOr<profile::SymbolTable> symbols = profile::ReadElfSymbols(path);
    ASSERT_TRUE(symbols.ok()) << symbols.status();
    for (const profile::FunctionSymbol& symbol : symbols->functions) {
      if (!symbol.is_function) continue;
      if (symbol.is_local && !functions[symbol.address].empty()) continue;
      std::string& name = functions[symbol.address];
      const auto rank = [](const std::string& text) { return std::pair(text.size(), text); };
      if (name.empty() || rank(symbol.name) < rank(name)) name = symbol.name;
    }
  }

  std::map<std::string, Functions> functions_;  // by path
};

struct Outcome {
  int status = -1;
  std::string out, err;
  profile::Recording recording;
  Calls calls;
};

class LibraryCallsTest : public testing::Test {
 protected:
  LibraryCallsTest()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {}

  Outcome RunProgram(const std::string& name, const std::vector<std::string>& arguments,
                     const std::map<std::string, std::string>& environment) const {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    const std::string folder = kEmulated ? "" : "library_calls/";
    const std::string program = ProgramPath(folder + name);
    const pid_t child = fork();
    if (child == 0) {
      unsetenv("TEST_UNDECLARED_OUTPUTS_DIR");
      setenv("GPROFHUB_PROFILE_DIR", folder_.c_str(), 1);
      setenv("GPROFHUB_SAMPLE_RATE", "0", 1);
      setenv("LD_LIBRARY_PATH", ProgramPath(folder).c_str(), 1);
      for (const auto& [variable, value] : environment) setenv(variable.c_str(), value.c_str(), 1);
      if (chdir(folder_.c_str()) != 0 || freopen("out", "w", stdout) == nullptr ||
          freopen("err", "w", stderr) == nullptr) {
        _exit(95);
      }
      Execute(program, arguments);
      _exit(96);
    }
    Outcome run;
    waitpid(child, &run.status, 0);
    run.out = Slurp(folder_ / "out");
    run.err = Slurp(folder_ / "err");
    ReadRecording(name, run);
    return run;
  }

  static std::string Count(int count) { return std::to_string(count); }

  const fs::path folder_;

 private:
  void ReadRecording(const std::string& name, Outcome& run) const {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() != ".gprofhub") continue;
      absl::StatusOr<profile::Recording> recording =
          profile::ReadRecording(Slurp(entry.path()), name);
      ASSERT_TRUE(recording.ok()) << recording.status();
      EXPECT_EQ(recording->unattributed_calls, 0);
      run.recording = *std::move(recording);
    }
    Names names;
    for (const profile::CrossArc& arc : run.recording.cross_arcs) {
      const profile::RecordedModule& from = run.recording.modules[arc.from_module];
      const profile::RecordedModule& to = run.recording.modules[arc.to_module];
      if (!from.is_program) continue;
      run.calls[{names.Of(from, arc.from_pc - 1), names.Of(to, arc.self_pc)}] += arc.count;
    }
  }
};

// All that these functions call, but for what not every compiler and processor has.
Calls CallsOf(const Outcome& run, const std::set<std::string>& callers) {
  Calls calls;
  for (const auto& [arc, count] : run.calls) {
    if (arc.second == "has_wide_vectors" || arc.second == "add_four") continue;
    if (callers.count(arc.first) != 0) calls[arc] = count;
  }
  return calls;
}

uint64_t CountOf(const Outcome& run, const std::pair<std::string, std::string>& arc) {
  const auto found = run.calls.find(arc);
  return found == run.calls.end() ? 0 : found->second;
}

constexpr int kThreads = 8;

Calls ExpectedOfProgram() {
  constexpr uint64_t kOfThreads = uint64_t{kThreads} * kRounds;
  return {{{"save", "write"}, kRounds},
          {{"save", "fsync"}, 2 * kRounds},
          {{"copy", "malloc"}, kRounds + kOfThreads},
          {{"copy", "memcpy"}, kRounds + kOfThreads},
          {{"release", "free"}, kRounds + kOfThreads},
          {{"jump", "_setjmp"}, kRounds},
          {{"jump", "longjmp"}, 4 * kRounds},
          {{"format", "snprintf"}, kRounds},
          {{"format", "strcmp"}, kRounds},
          {{"spawn", "vfork"}, 1},
          {{"spawn", "_Exit"}, 1},
          {{"spawn", "waitpid"}, 1},
          {{"pass_values", "many"}, 2 * kRounds},
          {{"pass_values", "sum"}, kRounds},
          {{"pass_values", "three_of"}, 2 * kRounds},
          {{"pass_values", "twice"}, kRounds},
          {{"pass_values", "conjugate"}, kRounds},
          {{"pass_values", "add_floats"}, kRounds}};
}

class LibraryCallsOfTest : public LibraryCallsTest,
                           public testing::WithParamInterface<const char*> {
 protected:
  Outcome RunC(std::map<std::string, std::string> environment) const {
    if (std::string(GetParam()) == "program_preload") {
      environment["LD_PRELOAD"] = fs::absolute("runtime/libgprofhub_preload.so").string();
    }
    return RunProgram(GetParam(), {Count(kRounds), Count(kThreads), "saved"}, environment);
  }
};

TEST_P(LibraryCallsOfTest, AreCountedByCaller) {
  const Outcome run = RunC({{"GPROFHUB_LIBRARY_CALLS", "1"}});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(CallsOf(run, {"save", "copy", "release", "jump", "format", "spawn", "pass_values"}),
            ExpectedOfProgram());
  EXPECT_EQ(CountOf(run, {"main", "call_back"}), 1);
  // In a loop of code without a procedure linkage table clang calls by a register.
  if (std::string(GetParam()) != "program_no_plt") {
    EXPECT_EQ(CountOf(run, {"in_threads", "pthread_join"}), kThreads);
  }
}

TEST_P(LibraryCallsOfTest, AreLeftAloneUnlessAskedFor) {
  for (const char* value : {"", "0", "yes"}) {
    const Outcome run = RunC({{"GPROFHUB_LIBRARY_CALLS", value}});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.out, "0 thunks\n");
    EXPECT_EQ(run.err, "");
    EXPECT_TRUE(run.calls.empty()) << run.calls.size();
  }
}

#ifdef GPROFHUB_AARCH64
INSTANTIATE_TEST_SUITE_P(, LibraryCallsOfTest, testing::Values("program_lazy", "program_now"),
                         [](const auto& info) { return std::string(info.param); });
#else
INSTANTIATE_TEST_SUITE_P(, LibraryCallsOfTest,
                         testing::Values("program_lazy", "program_now", "program_no_pie",
                                         "program_no_pie_now", "program_no_plt", "program_O0",
                                         "program_clang", "program_preload", "program_fast"),
                         [](const auto& info) { return std::string(info.param); });
#endif

// The slots of the lazy program's procedure linkage table: each of them, but for what is never
// counted.
TEST_F(LibraryCallsTest, GoThroughTheProcedureLinkageTable) {
  const Outcome run =
      RunProgram("program_lazy", {"1", "1", "saved"}, {{"GPROFHUB_LIBRARY_CALLS", "1"}});
  EXPECT_GE(std::atoi(run.out.c_str()), 20) << run.out;
}

TEST_F(LibraryCallsTest, LetExceptionsThrough) {
  for (const char* program : {"exceptions_lazy", "exceptions_now"}) {
    const Outcome run = RunProgram(program, {Count(kRounds)}, {{"GPROFHUB_LIBRARY_CALLS", "1"}});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.out, "ok\n");
    const Calls expected = {{{"Throw", "__cxa_allocate_exception"}, kRounds},
                            {{"Throw", "_ZNSt13runtime_errorC1EPKc"}, kRounds},
                            {{"Throw", "__cxa_throw"}, kRounds},
                            {{"ThrowBack", "__cxa_allocate_exception"}, kRounds},
                            {{"ThrowBack", "__cxa_throw"}, kRounds},
                            {{"Make", "_Znwm"}, kRounds}};
    EXPECT_EQ(CallsOf(run, {"Throw", "ThrowBack", "Make"}), expected) << program;
    // gcc passes the size of the memory, clang does not.
    EXPECT_EQ(CountOf(run, {"Drop", "_ZdlPvm"}) + CountOf(run, {"Drop", "_ZdlPv"}), kRounds);
    EXPECT_EQ(CountOf(run, {"Catch", "__cxa_begin_catch"}), kRounds);
    EXPECT_EQ(CountOf(run, {"CatchFromLibrary", "call_back"}), kRounds);
  }
}

TEST_F(LibraryCallsTest, AreNotThereInAStaticProgram) {
  const Outcome run =
      RunProgram("program_static", {"1", "1", "saved"}, {{"GPROFHUB_LIBRARY_CALLS", "1"}});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err,
            "gprofhub: program_static: GPROFHUB_LIBRARY_CALLS has no effect: "
            "the program is linked statically\n");
  EXPECT_TRUE(run.calls.empty());
}

// The counted calls of a library are counted once: when its functions begin.
TEST_F(LibraryCallsTest, OfACountedLibraryAreCountedOnce) {
  const Outcome run = RunProgram("program_counted_library", {Count(kRounds), "1", "saved"},
                                 {{"GPROFHUB_LIBRARY_CALLS", "1"}});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(CountOf(run, {"pass_values", "sum"}), kRounds);
  EXPECT_EQ(CountOf(run, {"main", "call_back"}), 1);
  EXPECT_EQ(CountOf(run, {"save", "fsync"}), 2 * kRounds);
}

}  // namespace
}  // namespace gprofhub::tests
