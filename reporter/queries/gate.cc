#include "reporter/queries/gate.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "reporter/forge/forge.h"
#include "reporter/gate/gated_record.h"
#include "reporter/gate/stats.h"
#include "reporter/queries/find_run.h"

namespace gprofhub::reporter {
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
  absl::StatusOr<int64_t> id = gate.AddAcknowledgement(record, by);
  if (!id.ok()) return id.status();
  record.id = *id;
  record.token_id = by.token_id;
  return ToMessage(record);
}

absl::StatusOr<v1::Acknowledgement> TakeBackAcknowledgement(
    const store::GateRecords& gate, const v1::TakeBackAcknowledgementRequest& request,
    const store::Actor& by, bool anybodys, absl::Time now) {
  const auto find = [&]() -> absl::StatusOr<store::AcknowledgementRecord> {
    const absl::StatusOr<std::vector<store::AcknowledgementRecord>> records =
        gate.ListAllAcknowledgements(request.project());
    if (!records.ok()) return records.status();
    for (const store::AcknowledgementRecord& record : *records) {
      if (record.id == request.id()) return record;
    }
    return absl::NotFoundError(absl::StrCat("project \"", request.project(),
                                            "\" has no acknowledgement ", request.id(),
                                            "; `gprofhub ack --list` lists what there is"));
  };
  absl::StatusOr<store::AcknowledgementRecord> record = find();
  if (!record.ok()) return record.status();
  const bool own = record->token_id != 0 && record->token_id == by.token_id;
  if (!own && !anybodys) {
    return absl::PermissionDeniedError(
        absl::StrCat("acknowledgement ", record->id, " was said by ", record->author,
                     ": to take back what others said needs the scope admin"));
  }
  absl::Status status = gate.TakeBackAcknowledgement(request.project(), record->id, by, now);
  if (!status.ok()) return status;
  record = find();
  if (!record.ok()) return record.status();
  return ToMessage(*record);
}

absl::StatusOr<v1::ListAcknowledgementsResponse> ListAcknowledgements(
    const store::GateRecords& gate, const v1::ListAcknowledgementsRequest& request) {
  absl::StatusOr<std::vector<store::AcknowledgementRecord>> records =
      request.with_taken_back() ? gate.ListAllAcknowledgements(request.project())
                                : gate.ListAcknowledgements(request.project());
  if (!records.ok()) return records.status();
  v1::ListAcknowledgementsResponse response;
  for (const store::AcknowledgementRecord& record : *records) {
    *response.add_acknowledgements() = ToMessage(record);
  }
  return response;
}

absl::StatusOr<v1::RecordGatedResponse> RecordGated(const store::Reading& reading,
                                                    const store::GateRecords& gate,
                                                    const v1::RecordGatedRequest& request) {
  if (request.gated_size() > kMostGated) {
    return absl::InvalidArgumentError(absl::StrCat("gated: at most ", kMostGated));
  }
  absl::StatusOr<store::RunRecord> run = FindRun(reading, request.project(), request.run());
  if (!run.ok()) return run.status();
  // Normalised like in the report worker, so that both gate the same pull request.
  const absl::StatusOr<std::string> number = ParseNumber(run->pull_request);
  run->pull_request = number.ok() ? *number : "";
  std::vector<store::GatedRecord> records;
  for (const v1::RecordGatedRequest::Gated& gated : request.gated()) {
    records.push_back(MakeGatedRecord(*run, gated.rule(), gated.target(), gated.function(),
                                      gated.function_display()));
  }
  if (absl::Status status = gate.AddGated(records); !status.ok()) return status;
  return v1::RecordGatedResponse();
}

absl::StatusOr<v1::GetGateStatsResponse> GetGateStats(const store::Reading& reading,
                                                      const store::GateRecords& gate,
                                                      const v1::GetGateStatsRequest& request) {
  absl::StatusOr<std::vector<store::AcknowledgementRecord>> said =
      gate.ListAcknowledgements(request.project());
  if (!said.ok()) return said.status();
  absl::StatusOr<std::vector<store::GatedRecord>> gated = gate.ListGated(request.project());
  if (!gated.ok()) return gated.status();
  const absl::StatusOr<store::RerunCount> reruns = reading.CountReruns(request.project());
  if (!reruns.ok()) return reruns.status();
  v1::GetGateStatsResponse response;
  response.set_reruns(reruns->runs);
  response.set_rerun_targets(reruns->targets);
  response.set_rerun_requests(reruns->requests);
  for (const RuleStats& stats : MeasureRules(*gated, *said)) {
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
