#include "cli/admin/admin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/commands.h"
#include "cli/testing/parser_runs.h"
#include "store/testing/temp_store.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class AdminCommandTest : public testing::Test {
 protected:
  CommandResult Run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--data-dir", folder_});
    return RunCommandLine({AddAdminCommand, AddAuditCommand}, words);
  }
  // A run of project "default", without a profile unless it has symbols.
  int64_t MakeRun(const std::string& key, const std::string& branch,
                  const std::string& symbols = "") const {
    store::NewExecution execution;
    execution.run.project = "default";
    execution.run.run_key = key;
    execution.run.commit = std::string(40, 'a');
    execution.run.branch = branch;
    execution.execution.target = "//db:query_test";
    execution.sender = {"ci (token 3)", "192.0.2.7:4711", 3};
    if (!symbols.empty()) {
      execution.blobs = {store::MakeBlob("gmon"), store::MakeBlob(symbols)};
      execution.profiles = {{"gmon.1", "b1d1", execution.blobs[0].name}};
      execution.images = {{"b1d1", execution.blobs[1].name}};
    }
    const auto recorded = store_.ingest.RecordExecution(execution, absl::Now());
    EXPECT_TRUE(recorded.ok()) << recorded.status();
    return recorded.ok() ? recorded->run_id : 0;
  }

  const std::string folder_ = store::MakeTempDir();
  const store::Store store_ = store::MakeTempStore(folder_);
};

TEST_F(AdminCommandTest, RunsAreDeletedByNumber) {
  const int64_t first = MakeRun("one", "main");
  MakeRun("two", "main");
  const CommandResult deleted = Run({"admin", "delete-run", absl::StrCat(first)});
  EXPECT_EQ(deleted.exit_code, kExitOk) << deleted.err;
  EXPECT_EQ(deleted.out, absl::StrCat("deleted run ", first, "\n"));
  EXPECT_THAT(store::RunsIn(store_.reading), SizeIs(1));
  EXPECT_EQ(Run({"admin", "delete-run", absl::StrCat(first)}).exit_code, kExitNotFound);
}

TEST_F(AdminCommandTest, AWrongDataDirectoryIsNotFound) {
  const std::string typo = folder_ + "/typo";
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"admin", "fsck"},
           {"admin", "backup", folder_ + "/backup"},
           {"admin", "gc"},
           {"admin", "jobs"},
           {"admin", "pins"},
           {"admin", "delete-project", "default", "--yes"},
           {"admin", "retention", "run", "--dry-run"},
           {"admin", "archive", "--archive", folder_, "--take-over"},
           {"audit"},
           {"token", "list"},
           {"token", "revoke", "1"},
           {"token", "rotate", "1"},
           {"token", "scope", "1", "--scope", "read"}}) {
    std::vector<std::string> wrong = words;
    wrong.insert(wrong.end(), {"--data-dir", typo});
    const CommandResult refused =
        RunCommandLine({AddAdminCommand, AddAuditCommand, AddTokenCommand}, wrong);
    EXPECT_EQ(refused.exit_code, kExitNotFound) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("no store in " + typo));
  }
  EXPECT_FALSE(std::filesystem::exists(typo));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/backup"));
}

TEST_F(AdminCommandTest, ABranchIsDeletedWhenSaidTwice) {
  MakeRun("one", "main");
  MakeRun("two", "feature");
  MakeRun("three", "feature");
  const CommandResult asked = Run({"admin", "delete-branch", "feature"});
  EXPECT_THAT(asked.out, HasSubstr("would delete 2 runs"));
  EXPECT_THAT(store::RunsIn(store_.reading), SizeIs(3));
  EXPECT_EQ(Run({"admin", "delete-branch", "feature", "--yes"}).exit_code, kExitOk);
  ASSERT_THAT(store::RunsIn(store_.reading), SizeIs(1));
  EXPECT_EQ(store::RunsIn(store_.reading)[0].branch, "main");
  EXPECT_EQ(Run({"admin", "delete-branch", "feature"}).exit_code, kExitNotFound);
}

TEST_F(AdminCommandTest, WhatWasDoneIsAudited) {
  const int64_t run = MakeRun("one", "main");
  Run({"admin", "delete-run", absl::StrCat(run)});
  const CommandResult json = Run({"audit", "--since", "1h", "--format=json"});
  ASSERT_EQ(json.exit_code, kExitOk) << json.err;
  const auto records = nlohmann::json::parse(json.out)["audit"];
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0]["action"], "run.create");
  EXPECT_EQ(records[0]["actor"], "ci (token 3)");
  EXPECT_EQ(records[0]["origin"], "192.0.2.7:4711");
  EXPECT_EQ(records[1]["action"], "run.delete");
  EXPECT_THAT(records[1]["actor"].get<std::string>(), HasSubstr("user "));
  EXPECT_THAT(Run({"audit"}).out, HasSubstr("run.delete run 1"));
  EXPECT_THAT(
      nlohmann::json::parse(Run({"audit", "--project", "other", "--format=json"}).out)["audit"],
      IsEmpty());
  EXPECT_EQ(Run({"audit", "--since", "yesterday"}).exit_code, kExitUsage);
}

TEST_F(AdminCommandTest, AProjectIsDeletedWhenSaidTwice) {
  MakeRun("one", "main");
  EXPECT_THAT(Run({"admin", "delete-project", "default"}).out,
              HasSubstr("would delete 1 run of project default"));
  EXPECT_THAT(store::RunsIn(store_.reading), SizeIs(1));
  EXPECT_EQ(Run({"admin", "delete-project", "default", "--yes"}).exit_code, kExitOk);
  EXPECT_THAT(store::RunsIn(store_.reading), IsEmpty());
}

TEST_F(AdminCommandTest, FailedAnalysesAreListedAndTriedAgain) {
  MakeRun("one", "main");
  const auto job = store_.jobs.Claim("worker", absl::Now(), absl::Minutes(1), 3);
  ASSERT_TRUE(job.ok() && job->has_value());
  ASSERT_TRUE(
      store_.jobs.Fail(**job, "poison\n\x1b[2J", store::JobQueue::Ending::kFailed, absl::Now())
          .ok());
  const CommandResult table = Run({"admin", "jobs"});
  EXPECT_THAT(table.out, HasSubstr("//db:query_test"));
  EXPECT_THAT(table.out, HasSubstr("poison"));
  EXPECT_EQ(table.out.find('\x1b'), std::string::npos);
  const auto json = nlohmann::json::parse(Run({"admin", "jobs", "--format=json"}).out)["jobs"];
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["id"], (*job)->id);

  EXPECT_EQ(Run({"admin", "requeue"}).exit_code, kExitUsage) << "which?";
  EXPECT_EQ(Run({"admin", "requeue", "4711"}).exit_code, kExitNotFound);
  EXPECT_EQ(Run({"admin", "requeue", "--all"}).out, "1 requeued\n");
  EXPECT_TRUE(nlohmann::json::parse(Run({"admin", "jobs", "--format=json"}).out)["jobs"].empty());
}

TEST_F(AdminCommandTest, FailedReportsAreListedAndPostedAgain) {
  const int64_t run = MakeRun("one", "main");
  const auto job = store_.jobs.Claim("worker", absl::Now(), absl::Minutes(1), 3);
  ASSERT_TRUE(job.ok() && job->has_value());
  ASSERT_TRUE(
      store_.jobs.Fail(**job, "poison", store::JobQueue::Ending::kFailed, absl::Now()).ok());
  const CommandResult waiting = Run({"admin", "reports"});
  EXPECT_THAT(waiting.out, HasSubstr("until 2"));
  EXPECT_THAT(waiting.out, HasSubstr("no server makes such reports of the project yet"));
  const absl::Time due = absl::Now() + absl::Hours(1);
  const auto report =
      store_.reports.Claim(store::ReportKind::kBranch, "reporter", due, absl::Minutes(1));
  ASSERT_TRUE(report.ok() && report->has_value()) << report.status();
  store::ReportOutcome outcome;
  outcome.kind = store::ReportOutcome::Kind::kFailed;
  outcome.note = "the forge said 403";
  ASSERT_TRUE(store_.reports.Finish(**report, outcome, due).ok());

  const CommandResult table = Run({"admin", "reports"});
  EXPECT_THAT(table.out, HasSubstr("branch main"));
  EXPECT_THAT(table.out, HasSubstr("the forge said 403"));
  EXPECT_EQ(Run({"admin", "reports", "--project", "other"}).out.find("403"), std::string::npos);
  const auto json = nlohmann::json::parse(Run({"admin", "reports", "--format=json"}).out);
  ASSERT_EQ(json["reports"].size(), 1u);
  EXPECT_EQ(json["reports"][0]["id"], run);
  EXPECT_EQ(json["reports"][0]["reason"], "the forge said 403");

  EXPECT_EQ(Run({"admin", "repost", absl::StrCat(run)}).out, "1 queued to be posted again\n");
  EXPECT_THAT(Run({"admin", "reports"}).out, HasSubstr("due since "));
  const auto queued = nlohmann::json::parse(Run({"admin", "reports", "--format=json"}).out);
  EXPECT_EQ(queued["reports"][0]["waits"], true);
}

TEST_F(AdminCommandTest, WhatRevokedTokensSaidIsTakenBack) {
  store::TokenRecord token;
  token.project = "default";
  token.label = "ci";
  token.token_sha256 = "hash";
  token.scopes = "acknowledge";
  const auto made = store_.tokens.Create(token, {});
  ASSERT_TRUE(made.ok());
  for (const int64_t token_id : {made->id, int64_t{0}}) {
    store::AcknowledgementRecord record;
    record.project = "default";
    record.function = "f";
    record.author = "alice";
    record.reason = "meant";
    record.created = absl::Now();
    record.source = absl::StrCat("said by ", token_id);
    ASSERT_TRUE(store_.gate.AddAcknowledgement(record, {"alice", "here", token_id}).ok());
  }
  EXPECT_EQ(Run({"admin", "take-back", "--of-revoked"}).out, "");
  ASSERT_TRUE(store_.tokens.Revoke(made->id, {}, absl::Now()).ok());
  const CommandResult list = Run({"admin", "acknowledgements", "--of-revoked"});
  EXPECT_THAT(list.out, HasSubstr(absl::StrCat(made->id, " (revoked)")));
  EXPECT_EQ(Run({"admin", "take-back", "--of-revoked"}).out, "took back acknowledgement 1\n");
  EXPECT_THAT(*store_.gate.ListAcknowledgements("default"), SizeIs(1));
  EXPECT_EQ(Run({"admin", "take-back"}).exit_code, kExitUsage);
  EXPECT_EQ(Run({"admin", "take-back", "2", "--of-revoked"}).exit_code, kExitUsage);
  EXPECT_EQ(Run({"admin", "take-back", "2"}).exit_code, kExitOk);
}

TEST_F(AdminCommandTest, AStoreIsCheckedAndCleaned) {
  MakeRun("one", "main");
  EXPECT_THAT(Run({"admin", "fsck"}).out, HasSubstr("no damage"));
  const auto json = nlohmann::json::parse(Run({"admin", "fsck", "--format=json"}).out);
  EXPECT_EQ(json["damages"], 0);
  EXPECT_THAT(Run({"admin", "gc", "--dry-run"}).out, HasSubstr("would remove 0 blobs"));
  EXPECT_EQ(Run({"admin", "gc", "--grace", "soon"}).exit_code, kExitUsage);
  EXPECT_EQ(Run({"admin", "delta-encode"}).out, "nothing is due\n");
  EXPECT_EQ(Run({"admin", "delta-encode", "--older-than", "soon"}).exit_code, kExitUsage);
  const auto encoded = nlohmann::json::parse(
      Run({"admin", "delta-encode", "--older-than", "0", "--format=json"}).out);
  EXPECT_GE(encoded["targets"], 1);
}

TEST_F(AdminCommandTest, OldBlobsAreArchivedAndBroughtBack) {
  const std::string symbols(5000, 's');
  MakeRun("one", "main", symbols);
  const std::string archive = store::MakeTempDir();
  EXPECT_THAT(Run({"admin", "archive"}).err, HasSubstr("--archive"));
  EXPECT_EQ(Run({"admin", "archive", "--archive", "relative"}).exit_code, kExitFailure);
  EXPECT_EQ(Run({"admin", "archive", "--archive", archive, "--older-than", "soon"}).exit_code,
            kExitUsage);
  EXPECT_EQ(Run({"admin", "archive", "--archive", archive}).out, "nothing is due\n");
  const auto archived = nlohmann::json::parse(
      Run({"admin", "archive", "--archive", archive, "--older-than", "0", "--format=json"}).out);
  EXPECT_EQ(archived["blobs"], 1);
  EXPECT_EQ(archived["bytes"], 5000);
  EXPECT_THAT(Run({"admin", "fsck"}).out, HasSubstr("archive.unknown"));
  EXPECT_THAT(Run({"admin", "fsck", "--archive", archive}).out, HasSubstr("no damage, 0 notes"));
  EXPECT_THAT(Run({"admin", "fsck", "--archive", archive, "--quick"}).out,
              HasSubstr("and 1 segment"));
  EXPECT_EQ(Run({"admin", "fsck", "--archive", store::MakeTempDir()}).exit_code, kExitFailure);

  const std::string backup = folder_ + "-backup";
  EXPECT_THAT(Run({"admin", "backup", backup}).out, HasSubstr("of which the archive has 1"));
  const std::string heir = folder_ + "-heir";
  const std::vector<AddCommand> commands = {AddAdminCommand};
  const auto run_on_heir = [&](std::vector<std::string> arguments) {
    for (const std::string& more : {std::string("--data-dir"), heir}) arguments.push_back(more);
    return RunCommandLine(commands, arguments);
  };
  EXPECT_THAT(run_on_heir({"admin", "restore", backup}).out, HasSubstr("--take-over"));
  EXPECT_THAT(run_on_heir({"admin", "archive", "--archive", archive}).err,
              HasSubstr("--take-over"));

  EXPECT_EQ(Run({"admin", "archive", "--archive", archive, "--back"}).out,
            "moved back 1 blob (4.9 KiB) of 1 segment\n");
  EXPECT_THAT(Run({"admin", "fsck"}).out, HasSubstr("no damage, 0 notes"));

  EXPECT_EQ(run_on_heir({"admin", "archive", "--archive", archive, "--take-over"}).out,
            "this store owns the archive now\n");
  EXPECT_EQ(run_on_heir({"admin", "archive", "--archive", archive}).exit_code, kExitOk);
  EXPECT_EQ(Run({"admin", "archive", "--archive", archive}).exit_code, kExitFailure);
}

TEST_F(AdminCommandTest, ABackupIsMadeOnceAndRestoredIntoAnEmptyFolder) {
  MakeRun("one", "main");
  const std::string backup = folder_ + "-backup";
  EXPECT_EQ(Run({"admin", "backup", backup}).exit_code, kExitOk);
  EXPECT_EQ(Run({"admin", "backup", backup}).exit_code, kExitFailure) << "it is there";
  EXPECT_EQ(Run({"admin", "restore", backup}).exit_code, kExitFailure) << "the store is not empty";
  const std::vector<AddCommand> commands = {AddAdminCommand};
  const std::string restored = folder_ + "-restored";
  const CommandResult made =
      RunCommandLine(commands, {"admin", "restore", backup, "--data-dir", restored});
  EXPECT_EQ(made.exit_code, kExitOk) << made.err;
  EXPECT_THAT(store::RunsIn(store::MakeTempStore(restored).reading), SizeIs(1));
}

TEST_F(AdminCommandTest, PoliciesOfRetentionAreSetAndApplied) {
  EXPECT_EQ(
      Run({"admin", "retention", "set", "default", "--full-days", "90", "--daily-days", "730"})
          .exit_code,
      kExitOk);
  const auto policies =
      nlohmann::json::parse(Run({"admin", "retention", "list", "--format=json"}).out)["policies"];
  ASSERT_EQ(policies.size(), 1u);
  EXPECT_EQ(policies[0]["daily_days"], 730);
  EXPECT_EQ(policies[0]["keep_branches"].size(), 3u);
  EXPECT_THAT(Run({"admin", "retention", "list"}).out, HasSubstr("forever"));
  EXPECT_THAT(Run({"admin", "retention", "run", "--dry-run"}).out,
              HasSubstr("would delete 0 runs"));
  EXPECT_EQ(Run({"admin", "retention", "set", "default", "--full-days", "-1"}).exit_code,
            kExitUsage);
  EXPECT_EQ(Run({"admin", "retention", "remove", "default"}).exit_code, kExitOk);
  EXPECT_EQ(Run({"admin", "retention", "remove", "default"}).exit_code, kExitNotFound);
}

TEST_F(AdminCommandTest, RunsArePinnedListedAndUnpinned) {
  const std::string first = absl::StrCat(MakeRun("one", "main"));
  const std::string second = absl::StrCat(MakeRun("two", "next"));
  const CommandResult pinned = Run({"admin", "pin-run", "--reason", "the\nrelease", first, second});
  EXPECT_EQ(pinned.exit_code, kExitOk) << pinned.err;
  EXPECT_EQ(pinned.out, absl::StrCat("pinned run ", first, "\npinned run ", second, "\n"));
  const auto runs = nlohmann::json::parse(Run({"admin", "pins", "--format=json"}).out)["runs"];
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0]["branch"], "main");
  EXPECT_EQ(runs[1]["reason"], "the\nrelease");
  const std::string table = Run({"admin", "pins"}).out;
  EXPECT_THAT(table, HasSubstr("next"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3) << table;
  EXPECT_EQ(Run({"admin", "unpin-run", first}).exit_code, kExitOk);
  EXPECT_EQ(Run({"admin", "unpin-run", first}).exit_code, kExitNotFound);
  EXPECT_EQ(Run({"admin", "pin-run", "4711"}).exit_code, kExitNotFound);
  EXPECT_EQ(Run({"admin", "pin-run", "--project", "other", second}).exit_code, kExitNotFound);
  EXPECT_THAT(Run({"audit"}).out, HasSubstr(absl::StrCat("run.pin run ", second)));
}

TEST_F(AdminCommandTest, TheMainBranchIsThatOfMostRunsUntilItIsSet) {
  EXPECT_EQ(Run({"admin", "main-branch"}).exit_code, kExitNotFound);
  MakeRun("one", "trunk");
  MakeRun("two", "trunk");
  MakeRun("three", "topic");
  EXPECT_EQ(Run({"admin", "main-branch"}).out, "trunk\n");
  const CommandResult set = Run({"admin", "main-branch", "release/2"});
  EXPECT_EQ(set.exit_code, kExitOk) << set.err;
  EXPECT_EQ(set.out, "release/2\n");
  EXPECT_EQ(set.err, "");
  EXPECT_EQ(Run({"admin", "main-branch"}).out, "release/2\n");
  EXPECT_THAT(Run({"audit"}).out, HasSubstr("main-branch.set"));
  EXPECT_EQ(Run({"admin", "main-branch", "--remove"}).out, "trunk\n");
  EXPECT_EQ(Run({"admin", "main-branch", "x", "--remove"}).exit_code, kExitUsage);
}

TEST_F(AdminCommandTest, HostileTextDoesNotBreakALineOfTheLog) {
  MakeRun("one", "main\n2027-01-01 00:00:00  forged \x1b[2J");
  const std::string out = Run({"audit"}).out;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2);
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
}

}  // namespace

}  // namespace gprofhub::cli
