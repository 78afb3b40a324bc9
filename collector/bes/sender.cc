#include "collector/bes/sender.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/util/delimited_message_util.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gprofhub::collector {
namespace {

int32_t ToNumber(RunFacts::Kind kind) {
  switch (kind) {
    case RunFacts::Kind::kBranch:
      return 0;
    case RunFacts::Kind::kPullRequest:
      return 1;
    case RunFacts::Kind::kUnknown:
      break;
  }
  return 2;
}

RunFacts::Kind ToKind(int32_t number) {
  if (number == 0) return RunFacts::Kind::kBranch;
  return number == 1 ? RunFacts::Kind::kPullRequest : RunFacts::Kind::kUnknown;
}

}  // namespace

v1::InvocationSender ToRecord(const AttemptSender& sender) {
  v1::InvocationSender record;
  record.set_actor(sender.caller.actor.name);
  record.set_origin(sender.caller.actor.origin);
  record.set_token_id(sender.caller.actor.token_id);
  record.set_scopes(sender.caller.scopes.Names());
  record.set_anonymous(sender.caller.anonymous);
  record.set_request(sender.request);
  if (sender.caller.run.has_value()) {
    v1::InvocationSender::RunFacts& run = *record.mutable_run();
    run.set_kind(ToNumber(sender.caller.run->kind));
    run.set_branch(sender.caller.run->branch);
    run.set_pull_request(sender.caller.run->pull_request);
    run.set_untrusted(sender.caller.run->untrusted);
  }
  return record;
}

absl::StatusOr<AttemptSender> SenderIn(absl::string_view records, absl::string_view project) {
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const uint8_t*>(records.data()),
                                               static_cast<int>(records.size()));
  v1::InvocationRecord record;
  if (!google::protobuf::util::ParseDelimitedFromCodedStream(&record, &input, nullptr) ||
      !record.has_sender()) {
    return absl::DataLossError("what is kept of an invocation does not say who sent it");
  }
  const v1::InvocationSender& kept = record.sender();
  absl::StatusOr<Scopes> scopes = Scopes::Parse(kept.scopes());
  if (!scopes.ok()) return absl::DataLossError(scopes.status().message());
  AttemptSender sender;
  sender.request = kept.request();
  sender.caller.anonymous = kept.anonymous();
  sender.caller.project = kept.anonymous() ? "" : std::string(project);
  sender.caller.scopes = *scopes;
  sender.caller.actor = {kept.actor(), kept.origin(), kept.token_id()};
  if (kept.has_run()) {
    RunFacts facts;
    facts.kind = ToKind(kept.run().kind());
    facts.branch = kept.run().branch();
    facts.pull_request = kept.run().pull_request();
    facts.untrusted = kept.run().untrusted();
    sender.caller.run = std::move(facts);
  }
  return sender;
}

bool HaveSameRights(const AttemptSender& a, const AttemptSender& b) {
  if (a.caller.anonymous != b.caller.anonymous || !(a.caller.scopes == b.caller.scopes)) {
    return false;
  }
  if (a.caller.run.has_value() != b.caller.run.has_value()) return false;
  if (!a.caller.run.has_value()) return true;
  const RunFacts& x = *a.caller.run;
  const RunFacts& y = *b.caller.run;
  return x.kind == y.kind && x.branch == y.branch && x.pull_request == y.pull_request &&
         x.untrusted == y.untrusted;
}

}  // namespace gprofhub::collector
