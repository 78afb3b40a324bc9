#include "tests/page/made_store.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "analyzer/worker/analyze_target.h"
#include "analyzer/worker/worker.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/gmon/writer.h"
#include "reporter/testing/sample_reports.h"
#include "store/open_store.h"
#include "store/testing/temp_store.h"
#include "tests/page/made_program.h"

namespace gprofhub::tests {
namespace {

const absl::Time kBegin = absl::FromUnixSeconds(1'700'000'000);

std::string CommitOf(int number) { return absl::StrFormat("%040x", 0xC0FFEE + number * 7919); }

class Filling {
 public:
  explicit Filling(store::Store store) : store_(std::move(store)) {}

  const store::Store& store() const { return store_; }

  // A run of the project at this place of its history.
  store::RunRecord Run(const std::string& project, int number) const {
    store::RunRecord run;
    run.project = project;
    run.run_key = absl::StrCat("run-", number);
    run.commit = CommitOf(number);
    run.branch = "main";
    run.configuration = "k8-opt";
    run.machine = "x86_64, 8 processors";
    run.started = run.committed = kBegin + number * absl::Hours(6);
    for (int i = number - 1; i >= 0 && i >= number - 20; --i) run.ancestors.push_back(CommitOf(i));
    return run;
  }

  absl::Status Record(const store::RunRecord& run, const std::string& target,
                      const MadeProgram& program) const {
    const profile::SymbolTable symbols = program.Symbols();
    const absl::StatusOr<std::string> gmon = profile::WriteGmon(program.Profile());
    if (!gmon.ok()) return gmon.status();
    const store::Blob profile = store::MakeBlob(*gmon);
    const store::Blob bundle = store::MakeBlob(profile::EncodeSymbolBundle(symbols));
    store::NewExecution execution;
    execution.run = run;
    execution.execution.target = target;
    execution.execution.status = "PASSED";
    execution.profiles = {{"gmon.1", symbols.build_id, profile.name}};
    execution.images = {{symbols.build_id, bundle.name}};
    execution.blobs = {profile, bundle};
    return store_.ingest.RecordExecution(execution, run.started).status();
  }

  // Everything that was recorded.
  absl::Status Analyze() const {
    analyzer::WorkerOptions options;
    options.name = "maker";
    options.now = [] { return kBegin; };
    analyzer::Worker worker(store_.jobs, store_.reading, store_.blobs, analyzer::AnalyzeTarget,
                            options);
    for (;;) {
      const absl::StatusOr<bool> worked = worker.RunOnce();
      if (!worked.ok()) return worked.status();
      if (!*worked) return absl::OkStatus();
    }
  }

 private:
  const store::Store store_;
};

// What the database of "acme" does in one execution.
struct Work {
  uint64_t appends = 155'620;
  uint64_t grows = 155'620;
  uint64_t sizes = 82'635;
  bool has_cache = false;
};

MadeProgram Database(const std::string& build, const Work& work) {
  MadeProgram program("query_test", build);
  const size_t main = program.Add("main", "db/query_test.cc", 12, 20);
  const size_t run = program.Add("_ZN2db5Query3RunEv", "db/query.cc", 40, 110);
  const size_t print = program.Add("_ZN2db10JsonWriter5PrintERKNS_5ValueE", "db/json.cc", 180, 240);
  const size_t append =
      program.Add("_ZN2db10JsonWriter6AppendEc", "db/json.cc", 60, work.appends / 400);
  const size_t grow = program.Add("_ZN2db10JsonWriter4GrowEm", "db/json.cc", 90, work.grows / 900);
  const size_t size = program.Add("_ZN2db6Memory4SizeEPKv", "db/memory.cc", 25, work.sizes / 1200);
  const size_t walk = program.Add("_ZN2db4Tree4WalkERKNS_4NodeE", "db/tree.cc", 70, 310);
  const size_t visit = program.Add("_ZN2db4Tree5VisitERKNS_4NodeE", "db/tree.cc", 110, 95);
  const size_t compare = program.Add("_ZN2db3Key7CompareERKS0_", "db/key.cc", 15, 420);
  const size_t hash = program.Add("_ZNSt8__detail9HashTable4FindEm", "db/table.cc", 33, 77);
  program.Start(main);
  program.Call(main, run, 1000);
  program.Call(run, print, 1000);
  program.Call(run, walk, 4000);
  program.Call(print, append, work.appends);
  program.Call(append, grow, work.grows);
  program.Call(run, size, work.sizes);
  program.Call(walk, visit, 61'000);
  program.Call(visit, walk, 57'000);
  program.Call(visit, compare, 940'000);
  program.Call(walk, walk, 2'000);
  program.Call(run, hash, 31'000);
  if (work.has_cache) {
    const size_t cache = program.Add("_ZN2db9JsonCache3GetERKNS_3KeyE", "db/json_cache.cc", 51, 60);
    program.Call(run, cache, 12'000);
    program.Call(cache, compare, 24'000);
  }
  return program;
}

absl::Status MakeAcme(const Filling& filling) {
  constexpr int kRuns = 40;
  absl::Status status;
  for (int number = 0; number < kRuns; ++number) {
    Work work;
    if (number >= 12) work.sizes = 61'200;
    if (number >= 27) work.grows = 161'900;
    const store::RunRecord run = filling.Run("acme", number);
    const std::string build = absl::StrCat("build-", number);
    status.Update(filling.Record(run, "//db:query_test", Database(build, work)));
    status.Update(filling.Record(run, "//db:index_test", Database(build, {})));
  }
  store::RunRecord request = filling.Run("acme", kRuns);
  request.branch = "faster-json";
  request.pull_request = "41";
  request.base_commit = CommitOf(kRuns - 1);
  request.ci_link = "https://ci.example/jobs/41";
  Work work;
  work.appends = 239'477;
  work.grows = 239'477;
  work.sizes = 37'664;
  work.has_cache = true;
  status.Update(filling.Record(request, "//db:query_test", Database("build-pr", work)));
  status.Update(filling.Record(request, "//db:index_test", Database("build-pr", {})));
  if (!status.ok()) return status;
  if (status = filling.Analyze(); !status.ok()) return status;

  store::AcknowledgementRecord said;
  said.project = "acme";
  said.pull_request = "41";
  said.function = "_ZN2db9JsonCache3GetERKNS_3KeyE";
  said.author = "ann";
  said.reason = "the cache is what the change is for";
  said.created = request.started;
  said.source = "made";
  return filling.store().gate.AddAcknowledgement(said, {"ann", "here", 0}).status();
}

absl::Status MakeHostile(const Filling& filling) {
  const std::vector<std::string> names = reporter::HostileNames();
  absl::Status status;
  for (int number = 0; number < 2; ++number) {
    MadeProgram program(names[0], absl::StrCat("build-", number));
    const size_t main = program.Add("main", names[8], 1, 10);
    program.Start(main);
    for (const std::string& name : names) {
      const size_t function = program.Add(name, name, 7, 50);
      program.Call(main, function, static_cast<uint64_t>(1000 + 500 * number));
    }
    store::RunRecord run = filling.Run("hostile", number);
    run.branch = number == 0 ? "main" : names[2];
    run.machine = names[1];
    run.ci_link = "javascript:alert(1)";
    if (number == 1) {
      run.pull_request = names[8];
      run.base_commit = CommitOf(0);
    }
    status.Update(filling.Record(run, names[0], program));
    status.Update(filling.Record(run, "//plain:test", program));
  }
  if (!status.ok()) return status;
  if (status = filling.Analyze(); !status.ok()) return status;
  store::AcknowledgementRecord said;
  said.project = "hostile";
  said.function = names[8];
  said.author = names[0];
  said.reason = names[4];
  said.created = kBegin;
  said.source = "made";
  return filling.store().gate.AddAcknowledgement(said, {"", "here", 0}).status();
}

absl::Status MakeTargets(const Filling& filling) {
  absl::Status status;
  for (int i = 0; i < 1000; ++i) {
    status.Update(filling.Record(filling.Run("targets", 0),
                                 absl::StrFormat("//part%d/of:test_%03d", i % 40, i),
                                 Database(absl::StrCat("build-", i), {})));
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
  // 1 + 36 + 36·37 + 36·37·37: about 50,000 ways from main.
  MadeProgram program("frames_test", "build-0");
  const size_t main = program.Add("main", "test/main.cc", 1, 100);
  program.Start(main);
  std::vector<size_t> level = {main};
  int number = 0;
  for (const int children : {36, 37, 37}) {
    std::vector<size_t> next;
    for (const size_t parent : level) {
      for (int i = 0; i < children; ++i) {
        ++number;
        const size_t child = program.Add(absl::StrFormat("_ZN4tree9node%05dEv", number),
                                         absl::StrCat("tree/part", number / 500, ".cc"), 10,
                                         static_cast<uint64_t>(2 + number % 9));
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

absl::Status MakeSmallStore(const std::string& folder) {
  absl::StatusOr<store::Store> store = store::OpenStore(folder);
  if (!store.ok()) return store.status();
  const Filling filling(*std::move(store));
  absl::Status status = MakeAcme(filling);
  status.Update(MakeHostile(filling));
  return status;
}

absl::Status MakeLargeStore(const std::string& folder, int runs) {
  absl::StatusOr<store::Store> store = store::OpenStore(folder);
  if (!store.ok()) return store.status();
  const Filling filling(*std::move(store));
  absl::Status status = MakeTargets(filling);
  status.Update(MakeFindings(filling));
  status.Update(MakeFrames(filling));
  status.Update(filling.Analyze());
  status.Update(MakeRuns(filling, runs));
  status.Update(filling.Analyze());
  return status;
}

}  // namespace gprofhub::tests
