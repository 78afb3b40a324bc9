#include "collector/calls/overloaded.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "base/decoding/budget.h"
#include "proto/status_details.pb.h"

namespace gprofhub::collector {
namespace {

constexpr char kDomain[] = "gprofhub";
constexpr absl::Duration kComeBackForMemory = absl::Seconds(3);

}  // namespace

absl::Status Overloaded(absl::string_view message, absl::Duration come_back_in,
                        absl::string_view reason) {
  absl::Status status = Exhausted(message, reason);
  v1::RetryInfo info;
  absl::Duration rest;
  info.mutable_retry_delay()->set_seconds(
      absl::IDivDuration(come_back_in, absl::Seconds(1), &rest));
  info.mutable_retry_delay()->set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
  status.SetPayload(kRetryInfoUrl, absl::Cord(info.SerializeAsString()));
  return status;
}

absl::Status Exhausted(absl::string_view message, absl::string_view reason) {
  absl::Status status = absl::ResourceExhaustedError(message);
  v1::ErrorInfo why;
  why.set_reason(std::string(reason));
  why.set_domain(kDomain);
  status.SetPayload(kErrorInfoUrl, absl::Cord(why.SerializeAsString()));
  return status;
}

absl::Status OverloadedIfShort(const absl::Status& status) {
  if (!base::IsShortOfDecoding(status)) return status;
  return Overloaded(status.message(), kComeBackForMemory, "DECODING_MEMORY");
}

std::optional<absl::Duration> ComeBackIn(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kRetryInfoUrl);
  v1::RetryInfo info;
  if (!payload.has_value() || !info.ParseFromString(std::string(*payload))) return std::nullopt;
  return absl::Seconds(info.retry_delay().seconds()) +
         absl::Nanoseconds(info.retry_delay().nanos());
}

std::string RefusalOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnauthenticated:
      return "token";
    case absl::StatusCode::kPermissionDenied:
      return "permission";
    case absl::StatusCode::kAborted:
      return "stalled";
    case absl::StatusCode::kResourceExhausted:
      break;
    default:
      return "";
  }
  const absl::optional<absl::Cord> payload = status.GetPayload(kErrorInfoUrl);
  v1::ErrorInfo why;
  if (!payload.has_value() || !why.ParseFromString(std::string(*payload))) return "too_large";
  return absl::AsciiStrToLower(why.reason());
}

}  // namespace gprofhub::collector
