#include "reporter/queries/gate.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "reporter/forge/forge.h"
#include "reporter/gate/gate.h"
#include "reporter/queries/runs.h"

namespace gprofhub::reporter {

namespace {

bool IsOf(const store::CulpritRecord& culprit, const v1::ChangeEvent& event) {
  const v1::Finding& cause = event.cause();
  return cause.metric() == v1::Finding::CALLS && culprit.function == cause.function() &&
         culprit.caller == cause.caller() &&
         (culprit.target == cause.target() ||
          std::find(event.targets().begin(), event.targets().end(), culprit.target) !=
              event.targets().end());
}

// Whether the commit lies after `before` and is `last` or an ancestor of it; `ancestors` are those
// of `last`, nearest first.
bool LiesIn(const std::string& commit, const std::string& before, const std::string& last,
            const std::vector<std::string>& ancestors) {
  if (commit == last) return true;
  for (const std::string& ancestor : ancestors) {
    if (ancestor == before) return false;
    if (ancestor == commit) return true;
  }
  return false;
}

v1::Culprit ToMessage(const store::CulpritRecord& record) {
  v1::Culprit message;
  message.set_commit(record.commit);
  message.set_author(record.author);
  message.set_date(record.date);
  message.set_subject(record.subject);
  return message;
}

// The ancestors of the release's run; empty if they are unknown.
absl::StatusOr<std::vector<std::string>> AncestorsOf(const store::Reading& reading,
                                                     const v1::Release& release) {
  int64_t id = 0;
  const std::string& text = release.run_id();
  std::from_chars(text.data(), text.data() + text.size(), id);
  const absl::StatusOr<store::RunRecord> run = reading.ReadRun(id);
  if (absl::IsNotFound(run.status())) return std::vector<std::string>();
  if (!run.ok()) return run.status();
  return run->ancestors;
}

}  // namespace

absl::StatusOr<v1::AskedRerun> GetAskedRerun(const store::Reading& reading,
                                             const store::GateRecords& gate,
                                             const v1::GetAskedRerunRequest& request) {
  ASSIGN_OR_RETURN(const store::RunRecord run, FindRun(reading, request.project(), request.run()));
  v1::AskedRerun asked;
  // Normalised like in the report worker. Reruns are requested only on pull requests.
  const absl::StatusOr<std::string> number = ParseNumber(run.pull_request);
  if (!number.ok()) return asked;
  ASSIGN_OR_RETURN(const std::vector<store::RerunRequestRecord> records,
                   gate.ListRerunRequests(run.project, *number));
  for (const store::RerunRequestRecord& record : records) {
    if (record.commit != run.commit || record.answered) continue;
    asked.set_author(record.author);
    asked.set_run_id(absl::StrCat(run.id));
    asked.set_created_unix_ms(absl::ToUnixMillis(record.created));
  }
  return asked;
}

absl::StatusOr<v1::RecordCulpritResponse> RecordCulprit(const store::GateRecords& gate,
                                                        const v1::RecordCulpritRequest& request,
                                                        const store::Actor& by, absl::Time now) {
  for (const auto& [field, hash] : {std::pair("base_commit", &request.base_commit()),
                                    std::pair("head_commit", &request.head_commit()),
                                    std::pair("culprit.commit", &request.culprit().commit())}) {
    if (!base::IsCommitHash(*hash)) {
      return absl::InvalidArgumentError(absl::StrCat(field, ": must be a full hash"));
    }
  }
  store::CulpritRecord record;
  record.project = request.project();
  record.target = request.target();
  record.function = request.function();
  record.caller = request.caller();
  record.base_commit = request.base_commit();
  record.head_commit = request.head_commit();
  record.commit = request.culprit().commit();
  record.author = request.culprit().author();
  record.date = request.culprit().date();
  record.subject = request.culprit().subject();
  record.found = now;
  RETURN_IF_ERROR(gate.AddCulprit(record, by).status());
  return v1::RecordCulpritResponse();
}

absl::Status AddCulprits(const store::Reading& reading, const store::GateRecords& gate,
                         const std::string& project, v1::GetChangesResponse& changes) {
  if (changes.events().empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<store::CulpritRecord> culprits, gate.ListCulprits(project));
  for (v1::ChangeEvent& event : *changes.mutable_events()) {
    const std::string& before = event.last_before().commit();
    const std::string& last = event.first_after().commit();
    for (const store::CulpritRecord& culprit : culprits) {
      if (!IsOf(culprit, event)) continue;
      bool lies_in = culprit.base_commit == before && culprit.head_commit == last;
      if (!lies_in) {
        ASSIGN_OR_RETURN(const std::vector<std::string> ancestors,
                         AncestorsOf(reading, event.first_after()));
        lies_in = LiesIn(culprit.commit, before, last, ancestors);
      }
      if (!lies_in) continue;
      *event.mutable_culprit() = ToMessage(culprit);
      break;  // the newest is first
    }
  }
  return absl::OkStatus();
}

namespace {

constexpr int kMostGated = 10'000;

v1::Acknowledgement ToMessage(const store::AcknowledgementRecord& record) {
  v1::Acknowledgement message;
  message.set_id(record.id);
  message.set_pull_request(record.pull_request);
  message.set_function(record.function);
  message.set_target(record.target);
  message.set_author(record.author);
  message.set_reason(record.reason);
  message.set_not_a_regression(record.not_a_regression);
  message.set_created_unix_ms(absl::ToUnixMillis(record.created));
  if (record.expires != absl::InfiniteFuture()) {
    message.set_expires_unix_ms(absl::ToUnixMillis(record.expires));
  }
  message.set_token_id(record.token_id);
  message.set_token_revoked(record.token_revoked);
  if (record.taken_back != absl::InfiniteFuture()) {
    message.set_taken_back_unix_ms(absl::ToUnixMillis(record.taken_back));
    message.set_taken_back_by(record.taken_back_by);
  }
  return message;
}

}  // namespace

store::AcknowledgementRecord ToRecord(const v1::Acknowledgement& acknowledgement) {
  store::AcknowledgementRecord record;
  record.id = acknowledgement.id();
  record.pull_request = acknowledgement.pull_request();
  record.function = acknowledgement.function();
  record.target = acknowledgement.target();
  record.author = acknowledgement.author();
  record.reason = acknowledgement.reason();
  record.not_a_regression = acknowledgement.not_a_regression();
  record.created = absl::FromUnixMillis(acknowledgement.created_unix_ms());
  if (acknowledgement.expires_unix_ms() != 0) {
    record.expires = absl::FromUnixMillis(acknowledgement.expires_unix_ms());
  }
  return record;
}

absl::StatusOr<v1::Acknowledgement> Acknowledge(const store::GateRecords& gate,
                                                const v1::AcknowledgeRequest& request,
                                                const store::Actor& by, absl::Time now) {
  store::AcknowledgementRecord record = ToRecord(request.acknowledgement());
  record.project = request.project();
  if (!by.name.empty()) record.author = by.name;
  record.created = now;
  if (record.expires <= now) {
    return absl::InvalidArgumentError("expires_unix_ms: is in the past");
  }
  // A retry after a lost response creates a second record: harmless, and rare.
  record.source = absl::StrCat("client/", absl::ToUnixMicros(now), "/",
                               base::Sha256Hex(request.SerializeAsString()).substr(0, 16));
  ASSIGN_OR_RETURN(int64_t id, gate.AddAcknowledgement(record, by));
  record.id = id;
  record.token_id = by.token_id;
  return ToMessage(record);
}

absl::StatusOr<v1::Acknowledgement> TakeBackAcknowledgement(
    const store::GateRecords& gate, const v1::TakeBackAcknowledgementRequest& request,
    const store::Actor& by, bool anybodys, absl::Time now) {
  const auto find = [&]() -> absl::StatusOr<store::AcknowledgementRecord> {
    ASSIGN_OR_RETURN(const std::vector<store::AcknowledgementRecord> records,
                     gate.ListAllAcknowledgements(request.project()));
    for (const store::AcknowledgementRecord& record : records) {
      if (record.id == request.id()) return record;
    }
    return absl::NotFoundError(absl::StrCat("project \"", request.project(),
                                            "\" has no acknowledgement ", request.id(),
                                            "; `gprofhub ack --list` lists what there is"));
  };
  ASSIGN_OR_RETURN(store::AcknowledgementRecord record, find());
  const bool own = record.token_id != 0 && record.token_id == by.token_id;
  if (!own && !anybodys) {
    return absl::PermissionDeniedError(
        absl::StrCat("acknowledgement ", record.id, " was said by ", record.author,
                     ": to take back what others said needs the scope admin"));
  }
  RETURN_IF_ERROR(gate.TakeBackAcknowledgement(request.project(), record.id, by, now));
  ASSIGN_OR_RETURN(record, find());
  return ToMessage(record);
}

absl::StatusOr<v1::ListAcknowledgementsResponse> ListAcknowledgements(
    const store::GateRecords& gate, const v1::ListAcknowledgementsRequest& request) {
  ASSIGN_OR_RETURN(std::vector<store::AcknowledgementRecord> records,
                   request.with_taken_back() ? gate.ListAllAcknowledgements(request.project())
                                             : gate.ListAcknowledgements(request.project()));
  v1::ListAcknowledgementsResponse response;
  for (const store::AcknowledgementRecord& record : records) {
    *response.add_acknowledgements() = ToMessage(record);
  }
  return response;
}

absl::StatusOr<v1::RecordGatedResponse> RecordGated(
    const store::Reading& reading, const store::GateRecords& gate,
    const v1::RecordGatedRequest& request,
    const std::function<absl::Status(const store::RunRecord& run)>& permit) {
  if (request.gated_size() > kMostGated) {
    return absl::InvalidArgumentError(absl::StrCat("gated: at most ", kMostGated));
  }
  ASSIGN_OR_RETURN(store::RunRecord run, FindRun(reading, request.project(), request.run()));
  RETURN_IF_ERROR(permit(run));
  // Normalised like in the report worker, so that both gate the same pull request.
  const absl::StatusOr<std::string> number = ParseNumber(run.pull_request);
  run.pull_request = number.ok() ? *number : "";
  std::vector<store::GatedRecord> records;
  for (const v1::RecordGatedRequest::Gated& gated : request.gated()) {
    records.push_back(MakeGatedRecord(run, gated.rule(), gated.target(), gated.function(),
                                      gated.function_display()));
  }
  RETURN_IF_ERROR(gate.AddGated(records));
  return v1::RecordGatedResponse();
}

absl::StatusOr<v1::GetGateStatsResponse> GetGateStats(const store::Reading& reading,
                                                      const store::GateRecords& gate,
                                                      const v1::GetGateStatsRequest& request) {
  ASSIGN_OR_RETURN(std::vector<store::AcknowledgementRecord> said,
                   gate.ListAcknowledgements(request.project()));
  ASSIGN_OR_RETURN(std::vector<store::GatedRecord> gated, gate.ListGated(request.project()));
  ASSIGN_OR_RETURN(const store::RerunCount reruns, reading.CountReruns(request.project()));
  v1::GetGateStatsResponse response;
  response.set_reruns(reruns.runs);
  response.set_rerun_targets(reruns.targets);
  response.set_rerun_requests(reruns.requests);
  for (const RuleStats& stats : MeasureRules(gated, said)) {
    v1::GetGateStatsResponse::Rule& rule = *response.add_rules();
    rule.set_rule(stats.rule);
    rule.set_gated(stats.gated);
    rule.set_acknowledged(stats.acknowledged);
    rule.set_not_a_regression(stats.not_a_regression);
    rule.set_false_alarm_rate(stats.false_alarm_rate());
  }
  return response;
}

}  // namespace gprofhub::reporter
