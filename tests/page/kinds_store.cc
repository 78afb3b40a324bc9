// Two runs whose comparison has findings of every kind (reporter/findings/findings.h).
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "store/open_store.h"
#include "tests/page/filling.h"
#include "tests/page/made_program.h"
#include "tests/page/made_store.h"

namespace gprofhub::tests {
namespace {

constexpr char kOldCompiler[] = "gcc 12.2.0 -O2";
constexpr char kNewCompiler[] = "clang 14.0.6 -O2";

// Times need several runs of a commit for a verdict.
constexpr uint64_t kRepetitions = 4;

// Each program is that of the base or of the head.

// Most functions of a component are replaced by others.
MadeProgram Rewritten(bool head) {
  MadeProgram program("rewrite_test", head ? "head" : "base");
  const size_t main = program.Add("main", "main.c", 5, 50);
  program.Start(main);
  const size_t user = program.Add("user", "main.c", 20, 50);
  program.Call(main, user, 1);
  const std::vector<std::string> names =
      head ? std::vector<std::string>{"jsonParseTextToBlob", "jsonBlobAppend",  "jsonTranslate",
                                      "jsonLookupStep",      "jsonCacheInsert", "jsonEdit"}
           : std::vector<std::string>{"jsonParseText", "jsonAppendNode", "jsonRender", "jsonLookup",
                                      "jsonFreeAll"};
  uint32_t line = 10;
  for (const std::string& name : names) {
    const size_t function = program.Add(name, "json.c", line, 200);
    program.Call(user, function, head ? 1000 + 7 * line : 10 + line);
    line += 30;
  }
  program.Call(user, program.Add("jsonStays", "json.c", 400, 100), 3);
  for (int i = 0; i < 50; ++i) {
    const size_t other =
        program.Add(absl::StrCat("other", i), "other.c", static_cast<uint32_t>(10 * (i + 1)), 10);
    program.Call(main, other, 7);
  }
  return program;
}

// Another compiler makes the program slower, and inlines other functions.
MadeProgram Recompiled(bool head) {
  MadeProgram program("toolchain_test", head ? "head" : "base");
  const MadeProgram::Code code = {head ? kNewCompiler : kOldCompiler};
  const size_t main = program.Add("main", "main.c", 5, 50, code);
  program.Start(main);
  for (int i = 0; i < 12; ++i) {
    const size_t function = program.Add(absl::StrCat("work", i), absl::StrCat("work", i % 3, ".c"),
                                        static_cast<uint32_t>(10 * (i + 1)),
                                        static_cast<uint64_t>(head ? 900 : 500), code);
    program.Call(main, function, static_cast<uint64_t>(i < 2 ? (head ? 10 : 500) : 500));
  }
  return program;
}

// Functions of which the compiler made others, as gcc names them.
MadeProgram Cloned(bool head) {
  MadeProgram program("clones_test", head ? "head" : "base");
  const MadeProgram::Code local = {"", 0, true};
  const uint64_t times = head ? 2 : 1;
  const size_t main = program.Add("main", "clones_test.cc", 5, 50);
  const size_t to_json = program.Add("ToJson.isra.0", "clones.cc", 40, 300, local);
  const size_t rest = program.Add("ToJson.part.0", "clones.cc", 52, 200, local);
  const size_t cold = program.Add("ToJson.isra.0.cold", "clones.cc", 60, 10, local);
  const size_t append = program.Add("Append.constprop.0", "clones.cc", 80, 400 * times, local);
  program.Start(main);
  program.Call(main, to_json, 1000);
  program.Call(to_json, rest, 500);
  program.Call(rest, append, 20'000 * times);
  program.Call(cold, append, 10);
  return program;
}

// Functions that are gone, new, renamed, moved, inlined, or called from elsewhere.
MadeProgram Moved(bool head) {
  MadeProgram program("moved_test", head ? "head" : "base");
  const MadeProgram::Code local = {"", 0, true};
  const size_t main = program.Add("main", "moved_test.cc", 5, 100);
  program.Start(main);
  const size_t renamed = program.Add(head ? "NewName" : "OldName", "moved.cc", 20, 300);
  const size_t moved = program.Add("Helper", head ? "there.cc" : "here.cc", 30, 300, local);
  const size_t leaf = program.Add("Leaf", "moved.cc", 60, 300);
  program.Call(main, renamed, 123);
  program.Call(main, moved, 456);
  program.Call(renamed, leaf, 789);
  const size_t outer = program.Add("Outer", "moved.cc", 90, head ? 600 : 300);
  program.Call(main, outer, 900);
  const size_t other = program.Add("Other", "moved.cc", 110, 50);
  program.Call(main, other, 11);
  const size_t often = program.Add("Often", "moved.cc", 130, 200);
  program.Call(head ? other : main, often, 5000);
  if (head) {
    program.Call(outer, program.Add("Arrived", "moved.cc", 150, 400), 7000);
  } else {
    const size_t inner = program.Add("Inner", "moved.cc", 100, 300);
    program.Call(outer, inner, 900);
    const size_t gone = program.Add("Vanished", "moved.cc", 170, 400);
    program.Call(main, gone, 8000);
    program.Call(gone, program.Add("VanishedToo", "moved.cc", 190, 200), 64'000);
  }
  return program;
}

// Times that changed, that did not, and that have too few samples. Repetitions differ slightly.
MadeProgram Timed(bool head, uint64_t repetition) {
  MadeProgram program("time_test", head ? "head" : "base");
  const size_t main = program.Add("main", "time_test.cc", 5, 100);
  program.Start(main);
  program.Call(main, program.Add("Slower", "time.cc", 10, (head ? 9000 : 5000) + 7 * repetition),
               1000);
  program.Call(main, program.Add("Faster", "time.cc", 30, (head ? 2000 : 4000) + 7 * repetition),
               1000);
  program.Call(main, program.Add("Same", "time.cc", 50, 40'000 - 9 * repetition), 1000);
  program.Call(main, program.Add("Few", "time.cc", 70, head ? 3 : 2), 1000);
  return program;
}

// Times that changed too little to be known one by one; their sum is known.
MadeProgram Summed(bool head, uint64_t repetition) {
  MadeProgram program("total_test", head ? "head" : "base");
  const size_t main = program.Add("main", "total_test.cc", 5, 50);
  program.Start(main);
  // The speed of the machine is that of most functions.
  for (uint32_t i = 0; i < 60; ++i) {
    program.Call(main, program.Add(absl::StrCat("Steady", i), "steady.cc", 10 * (i + 1), 100), 100);
  }
  const size_t together = program.Add("Together", "parts.cc", 5, 50 + repetition);
  program.Call(main, together, 1000);
  for (uint32_t i = 0; i < 30; ++i) {
    program.Call(together,
                 program.Add(absl::StrCat("Part", i), "parts.cc", 10 * (i + 2), head ? 52 : 40),
                 1000);
  }
  return program;
}

// Counts that differ though no code changed.
MadeProgram Random(bool head) {
  MadeProgram program("chance_test", head ? "head" : "base");
  const auto code = [](uint32_t digest) { return MadeProgram::Code{"", digest, false}; };
  const size_t main = program.Add("main", "chance_test.cc", 5, 100, code(1));
  program.Start(main);
  const size_t chance = program.Add("Chance", "chance.cc", 10, 900, code(2));
  program.Call(main, chance, 1000);
  program.Call(chance, program.Add("Below", "chance.cc", 30, 900, code(3)), head ? 5300 : 5000);
  return program;
}

// A function is called more often, and so are those below it.
MadeProgram Followed(bool head) {
  MadeProgram program("follow_test", head ? "head" : "base");
  const uint64_t times = head ? 3 : 1;
  const size_t main = program.Add("main", "follow_test.cc", 5, 100);
  program.Start(main);
  const size_t cause = program.Add("_ZN2db5Query3RunEv", "follow.cc", 10, 300 * times);
  const size_t follower = program.Add("_ZN2db5Query4StepEv", "follow.cc", 40, 300 * times);
  const size_t leaf = program.Add("n\xE9", "follow.cc", 70, 200 * times);
  program.Call(main, cause, 100 * times);
  program.Call(cause, follower, 1000 * times);
  program.Call(follower, leaf, 5000 * times);
  return program;
}

}  // namespace

absl::Status MakeKindsStore(const std::string& folder) {
  ASSIGN_OR_RETURN(store::Store store, store::OpenStore(folder, store::OpenMode::kCreate));
  const Filling filling(std::move(store));
  absl::Status status;
  for (const bool head : {false, true}) {
    store::RunRecord run = filling.Run(kKindsProject, head ? 1 : 0);
    if (head) {
      run.branch = "feature";
      run.pull_request = "7";
      run.base_commit = CommitOf(0);
    }
    status.Update(filling.Record(run, "//kinds:rewrite_test", Rewritten(head)));
    status.Update(filling.Record(run, "//kinds:toolchain_test", Recompiled(head)));
    status.Update(filling.Record(run, "//kinds:clones_test", Cloned(head)));
    status.Update(filling.Record(run, "//kinds:moved_test", Moved(head)));
    status.Update(filling.Record(run, "//kinds:chance_test", Random(head)));
    status.Update(filling.Record(run, "//kinds:follow_test", Followed(head)));
    status.Update(
        filling.Record(run, head ? "//kinds:new_test" : "//kinds:gone_test", Followed(head)));
    for (uint64_t repetition = 0; repetition < kRepetitions; ++repetition) {
      if (repetition > 0) run.run_key = absl::StrCat("repetition-", head, "-", repetition);
      status.Update(filling.Record(run, "//kinds:time_test", Timed(head, repetition)));
      status.Update(filling.Record(run, "//kinds:total_test", Summed(head, repetition)));
    }
  }
  if (!status.ok()) return status;
  return filling.Analyze();
}

}  // namespace gprofhub::tests
