#include "reporter/queries/follow_ups.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "reporter/forge/forge.h"
#include "reporter/queries/find_run.h"

namespace gprofhub::reporter {
namespace {

// A full hash, SHA-1 or SHA-256.
bool IsHash(const std::string& text) {
  return (text.size() == 40 || text.size() == 64) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f'); });
}

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
  const absl::StatusOr<store::RunRecord> run = FindRun(reading, request.project(), request.run());
  if (!run.ok()) return run.status();
  v1::AskedRerun asked;
  // Normalised like in the report worker. Reruns are requested only on pull requests.
  const absl::StatusOr<std::string> number = ParseNumber(run->pull_request);
  if (!number.ok()) return asked;
  const absl::StatusOr<std::vector<store::RerunRequestRecord>> records =
      gate.ListRerunRequests(run->project, *number);
  if (!records.ok()) return records.status();
  for (const store::RerunRequestRecord& record : *records) {
    if (record.commit != run->commit || record.answered) continue;
    asked.set_author(record.author);
    asked.set_run_id(absl::StrCat(run->id));
    asked.set_created_unix_ms(absl::ToUnixMillis(record.created));
  }
  return asked;
}

absl::StatusOr<v1::RecordCulpritResponse> RecordCulprit(const store::GateRecords& gate,
                                                        const v1::RecordCulpritRequest& request,
                                                        absl::Time now) {
  for (const auto& [field, hash] : {std::pair("base_commit", &request.base_commit()),
                                    std::pair("head_commit", &request.head_commit()),
                                    std::pair("culprit.commit", &request.culprit().commit())}) {
    if (!IsHash(*hash)) {
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
  const absl::StatusOr<int64_t> id = gate.AddCulprit(record);
  if (!id.ok()) return id.status();
  return v1::RecordCulpritResponse();
}

absl::Status AddCulprits(const store::Reading& reading, const store::GateRecords& gate,
                         const std::string& project, v1::GetChangesResponse& changes) {
  if (changes.events().empty()) return absl::OkStatus();
  const absl::StatusOr<std::vector<store::CulpritRecord>> culprits = gate.ListCulprits(project);
  if (!culprits.ok()) return culprits.status();
  for (v1::ChangeEvent& event : *changes.mutable_events()) {
    const std::string& before = event.last_before().commit();
    const std::string& last = event.first_after().commit();
    for (const store::CulpritRecord& culprit : *culprits) {
      if (!IsOf(culprit, event)) continue;
      bool lies_in = culprit.base_commit == before && culprit.head_commit == last;
      if (!lies_in) {
        const absl::StatusOr<std::vector<std::string>> ancestors =
            AncestorsOf(reading, event.first_after());
        if (!ancestors.ok()) return ancestors.status();
        lies_in = LiesIn(culprit.commit, before, last, *ancestors);
      }
      if (!lies_in) continue;
      *event.mutable_culprit() = ToMessage(culprit);
      break;  // the newest is first
    }
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::reporter
