#include "reporter/forge/hook_request.h"

#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/hash.h"
#include "base/http/percent_coding.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "reporter/forge/forge.h"
#include "reporter/forge/rest.h"

namespace gprofhub::reporter {

namespace {

absl::string_view Header(const HookRequest& request, const char* name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? absl::string_view() : found->second;
}

// The authenticated sender; nothing if the sender does not prove to know the secret.
std::optional<HookForge> SenderOf(const HookRequest& request, absl::string_view secret) {
  if (const absl::string_view signature = Header(request, "x-hub-signature-256");
      !signature.empty()) {
    const std::string expected = absl::StrCat("sha256=", base::HmacSha256Hex(secret, request.body));
    return base::EqualSecrets(signature, expected) ? std::optional(HookForge::kGitHub)
                                                   : std::nullopt;
  }
  return base::EqualSecrets(Header(request, "x-gitlab-token"), secret)
             ? std::optional(HookForge::kGitLab)
             : std::nullopt;
}

// The JSON text of an authenticated request. `github`: the sender.
absl::StatusOr<std::string> PayloadOf(const HookRequest& request, bool github) {
  const absl::string_view header = Header(request, "content-type");
  const std::string type =
      absl::AsciiStrToLower(absl::StripAsciiWhitespace(header.substr(0, header.find(';'))));
  if (type.empty() || type == "application/json") return request.body;
  if (!github || type != "application/x-www-form-urlencoded") {
    return absl::UnimplementedError(
        absl::StrCat("unsupported content type \"", base::Shortened(base::Printable(type), 100),
                     "\": choose application/json in the webhook's settings"));
  }
  for (absl::string_view field : absl::StrSplit(request.body, '&')) {
    if (!absl::ConsumePrefix(&field, "payload=")) continue;
    return base::PercentDecoded(absl::StrReplaceAll(field, {{"+", " "}}));
  }
  return absl::InvalidArgumentError("the form has no field \"payload\"");
}

absl::StatusOr<std::optional<HookComment>> MakeComment(HookForge forge, std::string repository,
                                                       int64_t number) {
  const absl::StatusOr<std::string> digits = ParseNumber(absl::StrCat(number));
  if (repository.empty() || number <= 0 || !digits.ok()) {
    return absl::InvalidArgumentError("the event names no repository or pull request");
  }
  return HookComment{forge, std::move(repository), *digits};
}

}  // namespace

absl::StatusOr<std::optional<HookComment>> ReadHook(const HookRequest& request,
                                                    absl::string_view secret) {
  const std::optional<HookForge> sender = SenderOf(request, secret);
  if (!sender.has_value()) {
    return absl::UnauthenticatedError("the request does not know the webhook's secret");
  }
  const bool github = *sender == HookForge::kGitHub;
  ASSIGN_OR_RETURN(const std::string payload, PayloadOf(request, github));
  const absl::string_view event = Header(request, github ? "x-github-event" : "x-gitlab-event");
  if (event != (github ? "issue_comment" : "Note Hook")) return std::nullopt;
  const nlohmann::json body = nlohmann::json::parse(payload, nullptr, false);
  if (!body.is_object()) return absl::InvalidArgumentError("the body is not a JSON object");
  if (github) {
    const nlohmann::json& issue = JsonField(body, "issue");
    if (!JsonField(issue, "pull_request").is_object()) return std::nullopt;
    return MakeComment(*sender, JsonText(JsonField(body, "repository"), "full_name"),
                       JsonNumber(issue, "number"));
  }
  if (JsonText(JsonField(body, "object_attributes"), "noteable_type") != "MergeRequest") {
    return std::nullopt;
  }
  return MakeComment(*sender, JsonText(JsonField(body, "project"), "path_with_namespace"),
                     JsonNumber(JsonField(body, "merge_request"), "iid"));
}

void ReplayMemory::Forget(absl::Time now) {
  while (!by_age_.empty() && (by_age_.size() > most_ || by_age_.front().first + time_ <= now)) {
    keys_.erase(by_age_.front().second);
    by_age_.pop_front();
  }
}

bool ReplayMemory::Knows(absl::string_view key, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  Forget(now);
  return keys_.contains(std::string(key));
}

void ReplayMemory::Remember(absl::string_view key, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  if (keys_.insert(std::string(key)).second) by_age_.emplace_back(now, std::string(key));
  Forget(now);
}

}  // namespace gprofhub::reporter
