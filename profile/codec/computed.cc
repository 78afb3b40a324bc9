#include "profile/codec/computed.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "profile/codec/message.h"
#include "proto/computed.pb.h"

namespace gprofhub::profile {
namespace {

constexpr uint32_t kStatic = 1;
constexpr uint32_t kModule = 2;
constexpr uint32_t kNeverInlined = 4;

absl::Status Bad(absl::string_view field, absl::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrFormat("computed profile: %s: %s: analyse the run again", field, problem));
}

absl::Status BadRow(absl::string_view field, int row, absl::string_view problem) {
  return Bad(absl::StrFormat("%s, row %d", field, row), problem);
}

// Takes the strings out of the message.
absl::Status DecodeHead(v1::ComputedProfile& message, ComputedProfile& profile) {
  if (message.strings_size() == 0 || !message.strings(0).empty()) {
    return Bad("strings", "entry 0 is not the empty string");
  }
  if (!std::isfinite(message.sample_rate()) || message.sample_rate() < 0) {
    return Bad("sample_rate", "is negative or not a number");
  }
  if (!std::isfinite(message.total_samples())) return Bad("total_samples", "is not a number");
  if (!std::isfinite(message.unattributed_samples())) {
    return Bad("unattributed_samples", "is not a number");
  }
  for (const double samples :
       {message.overhead_samples(), message.stack_samples(), message.complete_stack_samples()}) {
    if (!std::isfinite(samples)) {
      return Bad("overhead_samples, stack_samples or complete_stack_samples", "is not a number");
    }
  }
  if (message.repetitions() == 0) return Bad("repetitions", "is 0");
  profile.strings.assign(std::make_move_iterator(message.mutable_strings()->begin()),
                         std::make_move_iterator(message.mutable_strings()->end()));
  profile.sample_rate = message.sample_rate();
  profile.dimension = message.dimension();
  profile.total_samples = message.total_samples();
  profile.unattributed_samples = message.unattributed_samples();
  profile.overhead_samples = message.overhead_samples();
  profile.stack_samples = message.stack_samples();
  profile.complete_stack_samples = message.complete_stack_samples();
  profile.sampled_calls = message.sampled_calls();
  profile.repetitions = message.repetitions();
  profile.profiles = message.profiles();
  profile.warnings.assign(message.warnings().begin(), message.warnings().end());
  return absl::OkStatus();
}

absl::Status DecodeFunctions(const v1::FunctionCosts& columns, ComputedProfile& profile) {
  const int rows = columns.name_size();
  for (const int size :
       {columns.file_size(), columns.line_size(), columns.image_size(), columns.size_size(),
        columns.flags_size(), columns.calls_size(), columns.self_calls_size(),
        columns.self_samples_size(), columns.child_samples_size(), columns.cycle_size()}) {
    if (size != rows) return Bad("functions", "its columns differ in length");
  }
  if (columns.code_size() != 0 && columns.code_size() != rows) {
    return Bad("functions.code", "has another length than the other columns");
  }
  if (columns.toolchain_size() != rows && columns.toolchain_size() != 0) {
    return Bad("functions.toolchain", "differs in length from the others");
  }
  const size_t strings = profile.strings.size();
  profile.functions.reserve(rows);
  for (int row = 0; row < rows; ++row) {
    if (columns.name(row) >= strings || columns.file(row) >= strings ||
        columns.image(row) >= strings) {
      return BadRow("functions.name, file or image", row, "is not the index of a string");
    }
    if ((columns.flags(row) & ~(kStatic | kModule | kNeverInlined)) != 0) {
      return BadRow("functions.flags", row, "has unknown bits");
    }
    if (columns.cycle(row) > static_cast<uint32_t>(rows)) {
      return BadRow("functions.cycle", row, "is larger than the number of functions");
    }
    if (!std::isfinite(columns.self_samples(row)) || !std::isfinite(columns.child_samples(row))) {
      return BadRow("functions.self_samples or child_samples", row, "is not a number");
    }
    const uint32_t toolchain = columns.toolchain_size() == 0 ? 0 : columns.toolchain(row);
    if (toolchain >= strings) {
      return BadRow("functions.toolchain", row, "is not the index of a string");
    }
    FunctionCost function;
    function.toolchain = toolchain;
    function.never_inlined = (columns.flags(row) & kNeverInlined) != 0;
    function.name = columns.name(row);
    function.file = columns.file(row);
    function.line = columns.line(row);
    function.image = columns.image(row);
    function.size = columns.size(row);
    function.is_static = (columns.flags(row) & kStatic) != 0;
    function.is_module = (columns.flags(row) & kModule) != 0;
    function.calls = columns.calls(row);
    function.self_calls = columns.self_calls(row);
    function.self_samples = columns.self_samples(row);
    function.child_samples = columns.child_samples(row);
    function.cycle = columns.cycle(row);
    if (columns.code_size() != 0) function.code = columns.code(row);
    profile.functions.push_back(function);
  }
  return absl::OkStatus();
}

absl::Status DecodeArcs(const v1::ArcCosts& columns, ComputedProfile& profile) {
  const int rows = columns.caller_size();
  for (const int size : {columns.callee_size(), columns.site_file_size(), columns.site_line_size(),
                         columns.site_offset_size(), columns.count_size(),
                         columns.self_samples_size(), columns.child_samples_size()}) {
    if (size != rows) return Bad("arcs", "its columns differ in length");
  }
  const size_t functions = profile.functions.size();
  profile.arcs.reserve(rows);
  for (int row = 0; row < rows; ++row) {
    if (columns.caller(row) > functions || columns.callee(row) >= functions) {
      return BadRow("arcs.caller or callee", row, "is not the row of a function");
    }
    if (columns.site_file(row) >= profile.strings.size()) {
      return BadRow("arcs.site_file", row, "is not the index of a string");
    }
    if (!std::isfinite(columns.self_samples(row)) || !std::isfinite(columns.child_samples(row))) {
      return BadRow("arcs.self_samples or child_samples", row, "is not a number");
    }
    profile.arcs.push_back({columns.caller(row), columns.callee(row), columns.site_file(row),
                            columns.site_line(row), columns.site_offset(row), columns.count(row),
                            columns.self_samples(row), columns.child_samples(row)});
  }
  return absl::OkStatus();
}

absl::Status DecodeInlined(const v1::InlinedCosts& columns, ComputedProfile& profile) {
  const int rows = columns.function_size();
  if (columns.name_size() != rows) return Bad("inlined", "its columns differ in length");
  profile.inlined.reserve(rows);
  for (int row = 0; row < rows; ++row) {
    if (columns.function(row) >= profile.functions.size()) {
      return BadRow("inlined.function", row, "is not the row of a function");
    }
    profile.inlined.push_back({columns.function(row), columns.name(row)});
  }
  return absl::OkStatus();
}

constexpr uint64_t kHeapBytes = 16;  // beside what was asked for

// What the profile of this message takes, about.
uint64_t SizeOfProfile(const v1::ComputedProfile& message) {
  const auto rows = [](int count) { return static_cast<uint64_t>(count); };
  uint64_t size = rows(message.functions().name_size()) * sizeof(FunctionCost) +
                  rows(message.arcs().caller_size()) * sizeof(ArcCost) +
                  rows(message.inlined().function_size()) * sizeof(InlinedCost);
  for (const auto* texts : {&message.strings(), &message.warnings()}) {
    for (const std::string& text : *texts) size += sizeof(std::string) + text.size() + kHeapBytes;
  }
  return size;
}

}  // namespace

std::string EncodeComputedProfile(const ComputedProfile& profile) {
  v1::ComputedProfile message;
  for (const std::string& text : profile.strings) message.add_strings(text);
  message.set_sample_rate(profile.sample_rate);
  message.set_dimension(profile.dimension);
  message.set_total_samples(profile.total_samples);
  message.set_unattributed_samples(profile.unattributed_samples);
  message.set_overhead_samples(profile.overhead_samples);
  message.set_stack_samples(profile.stack_samples);
  message.set_complete_stack_samples(profile.complete_stack_samples);
  message.set_sampled_calls(profile.sampled_calls);
  message.set_repetitions(profile.repetitions);
  message.set_profiles(profile.profiles);
  for (const std::string& warning : profile.warnings) message.add_warnings(warning);

  v1::FunctionCosts& functions = *message.mutable_functions();
  const bool has_code =
      std::any_of(profile.functions.begin(), profile.functions.end(),
                  [](const FunctionCost& function) { return function.code != 0; });
  const bool any_toolchain =
      std::any_of(profile.functions.begin(), profile.functions.end(),
                  [](const FunctionCost& function) { return function.toolchain != 0; });
  for (const FunctionCost& function : profile.functions) {
    functions.add_name(function.name);
    functions.add_file(function.file);
    functions.add_line(function.line);
    functions.add_image(function.image);
    functions.add_size(function.size);
    functions.add_flags((function.is_static ? kStatic : 0) | (function.is_module ? kModule : 0) |
                        (function.never_inlined ? kNeverInlined : 0));
    if (any_toolchain) functions.add_toolchain(function.toolchain);
    functions.add_calls(function.calls);
    functions.add_self_calls(function.self_calls);
    functions.add_self_samples(function.self_samples);
    functions.add_child_samples(function.child_samples);
    functions.add_cycle(function.cycle);
    if (has_code) functions.add_code(function.code);
  }
  for (const InlinedCost& inlined : profile.inlined) {
    message.mutable_inlined()->add_function(inlined.function);
    message.mutable_inlined()->add_name(inlined.name);
  }
  v1::ArcCosts& arcs = *message.mutable_arcs();
  for (const ArcCost& arc : profile.arcs) {
    arcs.add_caller(arc.caller);
    arcs.add_callee(arc.callee);
    arcs.add_site_file(arc.site_file);
    arcs.add_site_line(arc.site_line);
    arcs.add_site_offset(arc.site_offset);
    arcs.add_count(arc.count);
    arcs.add_self_samples(arc.self_samples);
    arcs.add_child_samples(arc.child_samples);
  }
  return EncodeMessage(message);
}

absl::StatusOr<ComputedProfile> DecodeComputedProfile(absl::string_view bytes,
                                                      const base::Decoding& decoding) {
  v1::ComputedProfile message;
  const absl::StatusOr<base::DecodingPart> for_message = DecodeMessage(
      bytes, "computed profile",
      {v1::ComputedProfile::kFunctionsFieldNumber, v1::ComputedProfile::kArcsFieldNumber,
       v1::ComputedProfile::kInlinedFieldNumber},
      message, decoding);
  if (!for_message.ok()) return for_message.status();
  absl::StatusOr<base::DecodingPart> for_profile = decoding.Take(SizeOfProfile(message));
  if (!for_profile.ok()) return for_profile.status();
  ComputedProfile profile;
  absl::Status status = DecodeHead(message, profile);
  if (!status.ok()) return status;
  if (status = DecodeFunctions(message.functions(), profile); !status.ok()) return status;
  if (status = DecodeArcs(message.arcs(), profile); !status.ok()) return status;
  if (status = DecodeInlined(message.inlined(), profile); !status.ok()) return status;
  for_profile->Leave(MemoryOf(profile));
  return profile;
}

uint64_t MemoryOf(const ComputedProfile& profile) {
  uint64_t memory = profile.functions.size() * sizeof(FunctionCost) +
                    profile.arcs.size() * sizeof(ArcCost) +
                    profile.inlined.size() * sizeof(InlinedCost);
  for (const auto* texts : {&profile.strings, &profile.warnings}) {
    for (const std::string& text : *texts) memory += sizeof(std::string) + text.size() + kHeapBytes;
  }
  return memory;
}

}  // namespace gprofhub::profile
