#include "cli/client/judge_run.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "cli/client/output.h"
#include "cli/client/query_client.h"
#include "cli/command/command.h"
#include "reporter/findings/findings.h"
#include "reporter/forge/forge.h"
#include "reporter/gate/gate.h"
#include "reporter/posting/posting.h"
#include "reporter/queries/gate.h"
#include "reporter/rendering/json.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::cli {

namespace {

using reporter::CountOfNoun;

struct Progress {
  uint32_t pending = 0;
  uint32_t done = 0;
  uint32_t failed = 0;
};

Progress ProgressOf(const v1::ListRunsResponse& runs) {
  Progress progress;
  for (const v1::Run& run : runs.runs()) {
    progress.pending += run.jobs_pending();
    progress.done += run.jobs_done();
    progress.failed += run.jobs_failed();
  }
  return progress;
}

std::string DescribeProgress(const v1::ListRunsResponse& runs, const Progress& progress) {
  return absl::StrCat("analysed ", progress.done, " of ",
                      CountOfNoun(progress.done + progress.pending + progress.failed, "target"),
                      " in ", CountOfNoun(static_cast<uint64_t>(runs.runs_size()), "run"),
                      progress.failed > 0 ? absl::StrCat(", ", progress.failed, " failed") : "");
}

}  // namespace

absl::StatusOr<v1::ListRunsResponse> AwaitAnalysis(
    const std::function<absl::StatusOr<v1::ListRunsResponse>()>& list, uint32_t seconds) {
  ProgressLine line(std::cerr, StderrIsTerminal());
  const absl::Time give_up = absl::Now() + absl::Seconds(seconds);
  for (;;) {
    ASSIGN_OR_RETURN(v1::ListRunsResponse runs, list());
    const Progress progress = ProgressOf(runs);
    line.Show(DescribeProgress(runs, progress));
    if (progress.pending == 0) return runs;
    if (absl::Now() >= give_up) {
      return absl::DeadlineExceededError(
          absl::StrCat(CountOfNoun(progress.pending, "target"),
                       progress.pending == 1 ? " is" : " are", " not analysed after ", seconds,
                       " s; check that a worker is running (`gprofhub serve`)"));
    }
    absl::SleepFor(kPollInterval);
  }
}

uint32_t FailedTargets(const v1::ListRunsResponse& runs) { return ProgressOf(runs).failed; }

namespace {

// Records the data of `gprofhub stats`.

// Records the gate's findings in one of the server's runs. Counting is optional: errors are
// warnings only.
void CountGated(const ServerOptions& server, const std::string& run_id,
                const reporter::GateResult& gate);

void CountGated(const ServerOptions& server, const std::string& run_id,
                const reporter::GateResult& gate) {
  v1::RecordGatedRequest request;
  request.set_run(run_id);
  for (const reporter::GatedFinding& gated : gate.gated) {
    if (gated.finding->function().empty()) continue;
    v1::RecordGatedRequest::Gated& one = *request.add_gated();
    one.set_rule(gated.rule);
    one.set_target(gated.finding->target());
    one.set_function(gated.finding->function());
    one.set_function_display(gated.finding->function_display());
  }
  if (request.gated_size() == 0) return;
  const absl::Status status = QueryClient(server).Call(&QueryStub::RecordGated, request).status();
  if (!status.ok()) Warn(absl::StrCat("`gprofhub stats` will not show it: ", status.message()));
}

const char* ConclusionName(reporter::GateResult::Conclusion conclusion) {
  switch (conclusion) {
    case reporter::GateResult::Conclusion::kPass:
      return "success";
    case reporter::GateResult::Conclusion::kFail:
      return "failure";
    case reporter::GateResult::Conclusion::kNothingToCompare:
    case reporter::GateResult::Conclusion::kIncomplete:
      return "neutral";
  }
  return "neutral";
}

std::vector<std::string> OwnersIn(const OwnersOfFinding& owners, const v1::Finding& finding) {
  return owners ? owners(finding) : std::vector<std::string>();
}

using Json = nlohmann::ordered_json;

Json ToJson(const store::AcknowledgementRecord& record) {
  Json said = {{"author", record.author},
               {"reason", record.reason},
               {"not_a_regression", record.not_a_regression},
               {"until", nullptr}};
  if (record.expires != absl::InfiniteFuture()) {
    said["until"] = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", record.expires, absl::UTCTimeZone());
  }
  return said;
}

}  // namespace

std::string RenderGateText(const reporter::GateResult& gate, const OwnersOfFinding& owners) {
  std::string out = absl::StrCat("gprofhub check: ", reporter::CheckTitle(gate), "\n");
  for (const reporter::GatedCause& cause : reporter::GatedCauses(gate)) {
    const reporter::GatedFinding& gated = *cause.shown;
    absl::StrAppend(&out, gated.acknowledged.has_value() ? "  acknowledged  " : "  FAILS  ",
                    base::Printable(gated.rule), ": ", reporter::DescribeFinding(*gated.finding));
    const v1::Site& site = gated.finding->site();
    if (!site.file().empty()) {
      absl::StrAppend(&out, "  [", base::Printable(site.file()), ":", site.line(), "]");
    }
    out += reporter::WithItWords(cause);
    absl::StrAppend(&out, "\n      finding ", reporter::FindingId(*gated.finding));
    const std::string asked =
        reporter::OwnerList(OwnersIn(owners, *gated.finding), reporter::OwnerStyle::kText);
    if (!asked.empty()) absl::StrAppend(&out, "; owners: ", asked);
    if (gated.acknowledged.has_value()) {
      absl::StrAppend(&out, "\n      by ", base::Printable(gated.acknowledged->author), ": ",
                      base::Printable(gated.acknowledged->reason));
    }
    out += "\n";
  }
  for (const v1::NotCompared& one : gate.not_compared) {
    absl::StrAppend(&out, "  NOT COMPARED  ", base::Printable(one.target()), ": ",
                    base::Printable(one.reason()), "\n");
  }
  return out;
}

std::string RenderGateJson(const reporter::GateResult& gate, const OwnersOfFinding& owners) {
  Json list = Json::array();
  for (const reporter::GatedFinding& gated : gate.gated) {
    list.push_back({{"finding", reporter::MessageJson(*gated.finding)},
                    {"rule", gated.rule},
                    {"cause", gated.cause},
                    {"owners", OwnersIn(owners, *gated.finding)},
                    {"acknowledged", gated.acknowledged.has_value() ? ToJson(*gated.acknowledged)
                                                                    : Json(nullptr)}});
  }
  Json not_compared = Json::array();
  for (const v1::NotCompared& one : gate.not_compared) {
    not_compared.push_back(reporter::MessageJson(one));
  }
  const Json document = {{"schema", 1},
                         {"conclusion", ConclusionName(gate.conclusion)},
                         {"gated", list},
                         {"tests", gate.tests},
                         {"not_compared", not_compared},
                         {"unsampled", gate.unsampled},
                         {"unconfirmed", gate.unconfirmed},
                         {"reruns", {{"tests", gate.reruns.tests}, {"runs", gate.reruns.runs}}}};
  return JsonText(document);
}

namespace {

// The people's acknowledgements of a run, and its pull request.
struct Said {
  std::vector<store::AcknowledgementRecord> acknowledgements;
  std::string pull_request;
};

absl::StatusOr<Said> AskServer(const ServerOptions& server, const std::string& run_id) {
  QueryClient client(server);
  Said said;
  ASSIGN_OR_RETURN(v1::ListAcknowledgementsResponse list,
                   client.Call(&QueryStub::ListAcknowledgements, {}));
  for (const v1::Acknowledgement& acknowledgement : list.acknowledgements()) {
    said.acknowledgements.push_back(reporter::ToRecord(acknowledgement));
  }
  v1::GetRunRequest request;
  request.set_run(run_id);
  ASSIGN_OR_RETURN(v1::Run run, client.Call(&QueryStub::GetRun, request));
  if (const auto number = reporter::ParseNumber(run.info().pull_request()); number.ok()) {
    said.pull_request = *number;
  }
  return said;
}

}  // namespace

absl::StatusOr<reporter::GateResult> JudgeRun(const v1::Report& report,
                                              const reporter::Policy& policy,
                                              const std::optional<ServerOptions>& server) {
  Said said;
  if (server.has_value()) {
    ASSIGN_OR_RETURN(Said answer, AskServer(*server, report.compared().head().run_id()));
    said = std::move(answer);
  }
  reporter::GateResult gate =
      reporter::JudgeGate(report, policy, said.acknowledgements, said.pull_request, absl::Now());
  if (server.has_value()) CountGated(*server, report.compared().head().run_id(), gate);
  return gate;
}

std::string RenderGate(const reporter::GateResult& gate, const std::string& format,
                       const OwnersOfFinding& owners) {
  if (format == "json") return RenderGateJson(gate, owners);
  if (format == "codequality") return reporter::RenderCodeQuality(gate);
  return RenderGateText(gate, owners);
}

int ExitCodeOf(const reporter::GateResult& gate) {
  switch (gate.conclusion) {
    case reporter::GateResult::Conclusion::kPass:
    case reporter::GateResult::Conclusion::kNothingToCompare:
      return kExitOk;
    case reporter::GateResult::Conclusion::kFail:
      return kExitFailure;
    case reporter::GateResult::Conclusion::kIncomplete:
      return kExitIncomplete;
  }
  return kExitOk;
}

namespace {

std::string Number(uint64_t count, const char* noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

std::string Bytes(uint64_t bytes) {
  if (bytes < 10'000) return Number(bytes, "byte");
  if (bytes < 10'000'000) return absl::StrFormat("%.0f kB", static_cast<double>(bytes) / 1e3);
  return absl::StrFormat("%.1f MB", static_cast<double>(bytes) / 1e6);
}

}  // namespace

std::string UploadSummaryText(const ci::UploadSummary& summary, const std::string& commit,
                              bool dry_run) {
  std::vector<std::string> asides;
  if (summary.already_present > 0) {
    asides.push_back(absl::StrCat(summary.already_present, " already present"));
  }
  if (summary.cached > 0) {
    asides.push_back(absl::StrCat(summary.cached, " from Bazel's cache"));
    if (summary.found > 0) {
      asides.push_back(absl::StrCat(summary.found, " of them with the server's profiles"));
    }
  }
  std::string text = absl::StrCat(
      dry_run ? "Would upload " : "Uploaded ", Number(summary.executions, "execution"),
      asides.empty() ? "" : absl::StrCat(" (", absl::StrJoin(asides, ", "), ")"), " of commit ",
      commit.substr(0, 12), ": ", Number(summary.profiles, "profile"), ", ",
      Number(summary.images.size(), "image"), ", ",
      dry_run ? absl::StrCat("at most ", Bytes(summary.bytes_total))
              : absl::StrCat(Bytes(summary.bytes_sent), " sent of ", Bytes(summary.bytes_total)),
      ".\n");
  if (!summary.run_ids.empty()) {
    absl::StrAppend(&text, summary.run_ids.size() == 1 ? "Run: " : "Runs: ",
                    base::Printable(absl::StrJoin(summary.run_ids, ", ")), "\n");
  }
  if (summary.without_profiles > 0) {
    absl::StrAppend(&text, Number(summary.without_profiles, "execution"), " without profiles.\n");
  }
  if (!summary.skipped.empty()) {
    absl::StrAppend(&text, "Skipped: ", summary.skipped.size(), "; the reasons are on stderr.\n");
  }
  return text;
}

std::string UploadSummaryJson(const ci::UploadSummary& summary, const std::string& commit,
                              bool dry_run) {
  nlohmann::ordered_json json = {{"dry_run", dry_run},
                                 {"commit", commit},
                                 {"run_ids", summary.run_ids},
                                 {"executions", summary.executions},
                                 {"already_present", summary.already_present},
                                 {"cached", summary.cached},
                                 {"found", summary.found},
                                 {"without_profiles", summary.without_profiles},
                                 {"profiles", summary.profiles},
                                 {"images", summary.images},
                                 {"bytes_sent", summary.bytes_sent},
                                 {"bytes_total", summary.bytes_total},
                                 {"skipped", summary.skipped}};
  if (!summary.status.ok()) json["error"] = std::string(summary.status.message());
  return JsonText(json);
}

}  // namespace gprofhub::cli
