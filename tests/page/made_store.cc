#include "tests/page/made_store.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "reporter/testing/sample_reports.h"
#include "store/open_store.h"
#include "tests/page/filling.h"
#include "tests/page/made_database.h"

namespace gprofhub::tests {
namespace {

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
  request.title = "Append to the JSON buffer byte by byte";
  request.author = "Ann Example";
  request.base_commit = CommitOf(kRuns - 1);
  request.ci_link = "https://ci.example/jobs/41";
  Work work;
  work.appends = 239'477;
  work.grows = 239'477;
  work.sizes = 37'664;
  work.has_cache = true;
  status.Update(
      filling.Record(request, "//db:query_test", Database("build-pr", work), {1, "PASSED", 740}));
  status.Update(
      filling.Record(request, "//db:index_test", Database("build-pr", {}), {1, "FAILED", 900}));
  status.Update(
      filling.Record(request, "//db:index_test", Database("build-pr", {}), {2, "PASSED", 1130}));
  status.Update(filling.KeepLog(request, "//db:index_test", "index_test: 3 != 4\n"));
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

absl::Status MakeSourced(const Filling& filling, const SourceCommits& commits) {
  store::RunRecord base = filling.Run("sourced", 0);
  base.commit = commits.base;
  store::RunRecord head = filling.Run("sourced", 1);
  head.commit = commits.head;
  head.branch = "faster-json";
  head.pull_request = "41";
  head.base_commit = commits.base;
  head.ancestors = {commits.base};
  Work work;
  work.appends = 239'477;
  work.sizes = 37'664;
  work.has_cache = true;
  absl::Status status = filling.Record(base, "//db:query_test", Database("build-base", {}));
  status.Update(filling.Record(head, "//db:query_test", Database("build-head", work)));
  status.Update(filling.Analyze());
  return status;
}

absl::Status MakeHostile(const Filling& filling) {
  std::vector<std::string> names = reporter::HostileNames();
  // No characters: XML cannot hold them.
  names.emplace_back("a\uFFFE\uFFFF\"&'<b");
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
    run.commit_subject = run.title = run.author = names[8];
    if (number == 1) {
      run.pull_request = names[8];
      run.base_commit = CommitOf(0);
    }
    status.Update(filling.Record(run, names[0], program, {1, names[8], 1}));
    status.Update(filling.Record(run, names[0], program, {2, names[0], 2}));
    status.Update(filling.KeepLog(run, names[0], "</pre><script>alert(1)</script>\n\x1b[2J"));
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

}  // namespace

absl::Status MakeSmallStore(const std::string& folder, const SourceCommits& commits) {
  ASSIGN_OR_RETURN(store::Store store, store::OpenStore(folder, store::OpenMode::kCreate));
  const Filling filling(std::move(store));
  absl::Status status = MakeAcme(filling);
  status.Update(MakeHostile(filling));
  if (!commits.base.empty()) status.Update(MakeSourced(filling, commits));
  return status;
}

}  // namespace gprofhub::tests
