#include "analyzer/worker/child/messages.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "profile/codec/series.h"

namespace gprofhub::analyzer {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostMessageBytes = 10000;

Json ToJson(const store::TargetData::Profile& profile) {
  const store::ExecutionRecord& execution = profile.execution;
  return {execution.run_number,    execution.shard,          execution.attempt,
          profile.profile.process, profile.profile.build_id, profile.profile.data,
          profile.bundle};
}

store::TargetData::Profile ToProfile(const Json& json) {
  store::TargetData::Profile profile;
  profile.execution.run_number = json.at(0);
  profile.execution.shard = json.at(1);
  profile.execution.attempt = json.at(2);
  profile.profile.process = json.at(3);
  profile.profile.build_id = json.at(4);
  profile.profile.data = json.at(5);
  profile.bundle = json.at(6);
  return profile;
}

template <typename Number>
std::string Packed(Number number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

// Reads a number from the front of `bytes` and removes it; false if they are too short.
template <typename Number>
bool Unpack(absl::string_view& bytes, Number& number) {
  if (bytes.size() < sizeof number) return false;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return true;
}

absl::Status Nonsense(absl::string_view what) {
  return absl::InternalError(absl::StrCat("the analysis answered what makes no sense: ", what));
}

bool IsErrorCode(int32_t code) {
  return code > 0 && code <= static_cast<int32_t>(absl::StatusCode::kUnauthenticated);
}

constexpr std::pair<store::ProfileKind, absl::string_view> kKinds[] = {
    {store::ProfileKind::kCounted, "counted"},
    {store::ProfileKind::kSampled, "sampled"},
    {store::ProfileKind::kWindow, "window"},
};

std::string KindName(store::ProfileKind kind) {
  for (const auto& [known, name] : kKinds) {
    if (known == kind) return std::string(name);
  }
  return "";
}

absl::StatusOr<store::ProfileKind> KindOf(const std::string& name) {
  for (const auto& [kind, known] : kKinds) {
    if (known == name) return kind;
  }
  return absl::InternalError(absl::StrCat("a job of an unknown kind of profiles: ", name));
}

}  // namespace

std::string EncodeInput(const AnalysisInput& input) {
  Json profiles = Json::array();
  for (const store::TargetData::Profile& profile : input.data.profiles) {
    profiles.push_back(ToJson(profile));
  }
  const Json json = {{"run", input.run_id},
                     {"target", input.target},
                     {"kind", KindName(input.profile_kind)},
                     {"without_profiles", input.data.without_profiles},
                     {"profiles", std::move(profiles)}};
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

absl::StatusOr<AnalysisInput> DecodeInput(absl::string_view bytes) try {
  const Json json = Json::parse(bytes.begin(), bytes.end());
  AnalysisInput input;
  input.run_id = json.at("run");
  input.target = json.at("target");
  const absl::StatusOr<store::ProfileKind> kind = KindOf(json.at("kind"));
  if (!kind.ok()) return kind.status();
  input.profile_kind = *kind;
  input.data.without_profiles = json.at("without_profiles");
  for (const Json& profile : json.at("profiles")) {
    input.data.profiles.push_back(ToProfile(profile));
  }
  return input;
} catch (const Json::exception& exception) {
  return absl::InternalError(absl::StrCat("a job that cannot be read: ", exception.what()));
}

std::string EncodeError(const absl::Status& error) {
  return absl::StrCat(Packed(static_cast<int32_t>(error.code())),
                      error.message().substr(0, kMostMessageBytes));
}

absl::Status DecodeError(absl::string_view bytes) {
  int32_t code = 0;
  if (!Unpack(bytes, code) || !IsErrorCode(code)) return Nonsense("an error without a code");
  return absl::Status(static_cast<absl::StatusCode>(code),
                      base::ToUtf8(bytes.substr(0, kMostMessageBytes)));
}

std::string EncodeSegment(const store::PointSegment& segment) {
  return absl::StrCat(Packed(segment.bucket), segment.payload);
}

uint64_t ResultReader::MostBytes() const {
  return std::max<uint64_t>(kMostResultBytes - bytes_, kMostMessageBytes + sizeof(int32_t));
}

absl::Status ResultReader::TakeSegment(const std::string& bytes) {
  store::PointSegment segment;
  segment.run_id = input_.run_id;
  segment.target = input_.target;
  absl::string_view rest = bytes;
  if (!Unpack(rest, segment.bucket)) return Nonsense("a segment without a bucket");
  if (segment.bucket >= profile::kSeriesBuckets) return Nonsense("a segment of no bucket");
  for (const store::PointSegment& other : result_.segments) {
    if (other.bucket == segment.bucket) return Nonsense("a second segment of one bucket");
  }
  segment.payload = std::string(rest);
  result_.segments.push_back(std::move(segment));
  return absl::OkStatus();
}

absl::StatusOr<bool> ResultReader::Take(Frame frame) {
  bytes_ += frame.bytes.size();
  if (bytes_ > kMostResultBytes) {
    return absl::OutOfRangeError(
        absl::StrCat("the result has more than ", kMostResultBytes, " bytes"));
  }
  switch (frame.kind) {
    case kFailed:
      return DecodeError(frame.bytes);
    case kComputed:
      if (has_computed_) return Nonsense("two results");
      has_computed_ = true;
      result_.computed.bytes = std::move(frame.bytes);
      return false;
    case kSegment:
      if (absl::Status status = TakeSegment(frame.bytes); !status.ok()) return status;
      return false;
    case kDone:
      if (!has_computed_) return Nonsense("an end without a result");
      return true;
    default:
      return Nonsense(absl::StrCat("a message of the kind ", frame.kind));
  }
}

store::AnalysisResult ResultReader::TakeResult() {
  result_.computed.name = base::Sha256Hex(result_.computed.bytes);
  return std::move(result_);
}

}  // namespace gprofhub::analyzer
