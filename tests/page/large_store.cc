#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "store/open_store.h"
#include "tests/page/filling.h"
#include "tests/page/made_database.h"
#include "tests/page/made_store.h"

namespace gprofhub::tests {
namespace {

absl::Status MakeTargets(const Filling& filling) {
  absl::Status status;
  for (int i = 0; i < 1000; ++i) {
    status.Update(filling.Record(
        filling.Run("targets", 0), absl::StrFormat("//part%d/of:test_%03d", i % 40, i),
        Database(absl::StrCat("build-", i), {}), {1, "PASSED", static_cast<uint32_t>(100 + i)}));
  }
  return status;
}

absl::Status MakeFindings(const Filling& filling) {
  constexpr int kFunctions = 700, kChanged = 500;
  absl::Status status;
  for (int number = 0; number < 2; ++number) {
    MadeProgram program("findings_test", absl::StrCat("build-", number));
    const size_t main = program.Add("main", "test/main.cc", 1, 50);
    program.Start(main);
    for (int i = 0; i < kFunctions; ++i) {
      const size_t function = program.Add(absl::StrFormat("_ZN4work7step%03dERKNS_5StateE", i),
                                          absl::StrCat("work/part", i / 20, ".cc"),
                                          static_cast<uint32_t>(10 + 15 * (i % 20)), 40);
      // Each changes by a part of its own.
      const bool changed = number == 1 && i < kChanged;
      program.Call(main, function, static_cast<uint64_t>(10'000 + (changed ? 500 + 37 * i : 0)));
    }
    store::RunRecord run = filling.Run("findings", number);
    if (number == 1) {
      run.branch = "all-of-it";
      run.pull_request = "7";
      run.base_commit = CommitOf(0);
    }
    status.Update(filling.Record(run, "//work:findings_test", program));
  }
  return status;
}

absl::Status MakeFrames(const Filling& filling) {
  // 1 + 36 + 36·37 + 36·37·37: about 50,000 ways from main. The pages leave out ways with less than
  // 1/50,000 of the time. So nearly all time is that of the leaves, in equal shares.
  MadeProgram program("frames_test", "build-0");
  const size_t main = program.Add("main", "test/main.cc", 1, 1);
  program.Start(main);
  std::vector<size_t> level = {main};
  int number = 0;
  for (const int children : {36, 37, 37}) {
    const uint64_t samples = level.size() < 1000 ? 1 : 20;
    std::vector<size_t> next;
    for (const size_t parent : level) {
      for (int i = 0; i < children; ++i) {
        ++number;
        const size_t child =
            program.Add(absl::StrFormat("_ZN4tree9node%05dEv", number),
                        absl::StrCat("tree/part", number / 500, ".cc"), 10, samples);
        program.Call(parent, child, static_cast<uint64_t>(1 + number % 50));
        next.push_back(child);
      }
    }
    level = std::move(next);
  }
  return filling.Record(filling.Run("frames", 0), "//tree:frames_test", program);
}

absl::Status MakeRuns(const Filling& filling, int runs) {
  absl::Status status;
  for (int number = 0; number < runs && status.ok(); ++number) {
    Work work;
    work.sizes = static_cast<uint64_t>(60'000 + 700 * (number / 900));
    status = filling.Record(filling.Run("runs", number), "//db:query_test",
                            Database(absl::StrCat("build-", number / 900), work));
    if (status.ok() && number % 100 == 99) status = filling.Analyze();
  }
  return status;
}

}  // namespace

absl::Status MakeLargeStore(const std::string& folder, int runs) {
  ASSIGN_OR_RETURN(store::Store store, store::OpenStore(folder, store::OpenMode::kCreate));
  const Filling filling(std::move(store));
  absl::Status status = MakeTargets(filling);
  status.Update(MakeFindings(filling));
  status.Update(MakeFrames(filling));
  status.Update(filling.Analyze());
  status.Update(MakeRuns(filling, runs));
  status.Update(filling.Analyze());
  return status;
}

}  // namespace gprofhub::tests
