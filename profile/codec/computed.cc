#include "profile/codec/computed.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "profile/codec/message.h"
#include "proto/computed.pb.h"

namespace gprofhub::profile {
namespace {

constexpr uint32_t kStatic = 1;
constexpr uint32_t kModule = 2;
constexpr uint32_t kNeverInlined = 4;

}  // namespace

std::string EncodeComputedProfile(const ComputedProfile& profile) {
  v1::ComputedProfile message;
  for (const absl::string_view text : profile.strings) {
    message.add_strings(text.data(), text.size());
  }
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

}  // namespace gprofhub::profile
