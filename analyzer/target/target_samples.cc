#include "analyzer/target/target_samples.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "analyzer/functions/assign_samples.h"

namespace gprofhub::analyzer {
namespace {

// Adds the samples of one module to `samples`. Returns their numbers.
struct ModuleSamples {
  double total = 0;
  double attributed = 0;  // to functions
};
ModuleSamples AddModule(const TargetModule& module, size_t m, const FunctionSpace& functions,
                        const CommonRate& rate, std::vector<double>& samples) {
  ModuleSamples sum;
  // Histograms of one dimension and rate are adjacent.
  for (size_t begin = 0; begin < module.histograms.size();) {
    const profile::Histogram& first = module.histograms[begin];
    size_t end = begin;
    std::vector<profile::Histogram> alike;
    while (end < module.histograms.size() && module.histograms[end].dimension == first.dimension &&
           module.histograms[end].rate == first.rate) {
      alike.push_back(module.histograms[end++]);
    }
    begin = end;
    const double weight = rate.Weight(first.dimension, first.rate);
    const AssignedSamples assigned =
        AssignSamples(functions.TableOf(m), alike, SymbolPolicy::kExact);
    sum.total += weight * assigned.total;
    for (uint32_t row = 0; row < assigned.by_function.size(); ++row) {
      samples[functions.FirstOf(m) + row] += weight * assigned.by_function[row];
      sum.attributed += weight * assigned.by_function[row];
    }
    if (module.symbols == nullptr) {
      samples[functions.FirstOf(m)] += weight * assigned.total;
      sum.attributed += weight * assigned.total;
    }
  }
  return sum;
}

}  // namespace

std::vector<double> SamplesOfFunctions(const TargetProfile& target, const FunctionSpace& functions,
                                       const CommonRate& rate, profile::ComputedProfile& profile) {
  profile.sample_rate = rate.rate;
  profile.dimension = rate.dimension;
  std::vector<double> samples(functions.size() + 1, 0.0);
  for (size_t m = 0; m < target.modules.size(); ++m) {
    const TargetModule& module = target.modules[m];
    const ModuleSamples sum = AddModule(module, m, functions, rate, samples);
    profile.total_samples += sum.total;
    // Less than a millionth is rounding.
    if (sum.total - sum.attributed <= sum.total * 1e-6) continue;
    profile.unattributed_samples += sum.total - sum.attributed;
    profile.warnings.push_back(
        absl::StrFormat("%s: %.0f of %.0f samples lie in no function of the image", module.name,
                        sum.total - sum.attributed, sum.total));
  }
  for (const auto& [key, sampling] : target.sampling) {
    const double weight = rate.Weight(key.first, key.second);
    profile.overhead_samples += weight * sampling.overhead;
    profile.total_samples += weight * sampling.nowhere;
    profile.unattributed_samples += weight * sampling.nowhere;
  }
  if (rate.left_out > 0) {
    profile.warnings.push_back(absl::StrFormat(
        "%.0f samples that do not count %s are left out: record all profiles of a target in one "
        "dimension",
        rate.left_out, rate.dimension));
  }
  return samples;
}

}  // namespace gprofhub::analyzer
