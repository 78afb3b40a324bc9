#include "cli/bisect/state.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/sha256.h"
#include "cli/output/json_text.h"
#include "cli/output/write_file.h"

namespace gprofhub::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMaxStateBytes = 64 << 20;
constexpr size_t kNameDigits = 16;

Json SettingJson(const Setting& setting) {
  return {{"target", setting.question.target},
          {"function", setting.question.function},
          {"caller", setting.question.caller},
          {"config", setting.configuration},
          {"bazel_options", setting.bazel_options}};
}

absl::Status NoState(absl::string_view name, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is no state of gprofhub bisect: ", why, ". --reset begins anew"));
}

}  // namespace

std::string StateJson(const State& state) {
  Json json = {{"schema", 1}, {"setting", SettingJson(state.setting)}};
  json["measured"] = Json::array();
  for (const auto& [commit, measurement] : state.measured) {
    json["measured"].push_back(
        {{"commit", commit}, {"counts", measurement.counts}, {"skipped", measurement.skipped}});
  }
  return JsonText(json);
}

absl::StatusOr<State> ParseState(absl::string_view text, absl::string_view name) {
  State state;
  // The library's exceptions stop here.
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != 1) return NoState(name, "it is of another version");
    const Json& setting = json.at("setting");
    state.setting.question = {setting.at("target"), setting.at("function"), setting.at("caller")};
    state.setting.configuration = setting.at("config");
    setting.at("bazel_options").get_to(state.setting.bazel_options);
    for (const Json& one : json.at("measured")) {
      Measurement measurement;
      one.at("counts").get_to(measurement.counts);
      one.at("skipped").get_to(measurement.skipped);
      if (measurement.counts.empty() == measurement.skipped.empty()) {
        return NoState(name, "a commit has both counts and a reason for having none, or neither");
      }
      state.measured[one.at("commit")] = std::move(measurement);
    }
  } catch (const nlohmann::json::exception& error) {
    return NoState(name, error.what());
  }
  return state;
}

std::string StateFileName(const Setting& setting) {
  const std::string text = SettingJson(setting).dump(-1, ' ', /*ensure_ascii=*/true,
                                                     nlohmann::json::error_handler_t::replace);
  return absl::StrCat(base::Sha256Hex(text).substr(0, kNameDigits), ".json");
}

absl::StatusOr<State> ReadState(const std::string& path, const Setting& setting) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return State{setting, {}};
  const absl::StatusOr<std::string> text = base::ReadFile(path, kMaxStateBytes);
  if (!text.ok()) return text.status();
  absl::StatusOr<State> state = ParseState(*text, path);
  if (!state.ok()) return state.status();
  if (state->setting == setting) return state;
  return absl::FailedPreconditionError(
      absl::StrCat(path, " is the state of another search; --reset begins anew"));
}

absl::Status WriteState(const std::string& path, const State& state) {
  const std::string next = absl::StrCat(path, ".next");
  if (absl::Status status = WriteFile(next, StateJson(state)); !status.ok()) return status;
  std::error_code error;
  std::filesystem::rename(next, path, error);
  if (!error) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(path, " cannot be written: ", error.message()));
}

Measure Remembered(const std::string& path, State& state, const Measure& measure) {
  return [path, &state, &measure](const std::string& commit,
                                  uint32_t runs) -> absl::StatusOr<Measurement> {
    const auto known = state.measured.find(commit);
    if (known != state.measured.end() &&
        (!known->second.skipped.empty() || known->second.counts.size() >= runs)) {
      return known->second;
    }
    absl::StatusOr<Measurement> measured = measure(commit, runs);
    if (!measured.ok()) return measured.status();
    state.measured[commit] = *measured;
    if (absl::Status status = WriteState(path, state); !status.ok()) return status;
    return measured;
  };
}

}  // namespace gprofhub::cli
