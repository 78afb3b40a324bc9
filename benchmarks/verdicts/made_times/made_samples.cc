// Assumptions on programs and machines. The figures are of recordings of benchmarks/verdicts,
// rounded to the worse side:
// - A test takes 3 to 6 s of CPU. Of its 60 functions the k-th longest takes a share like 1/k. The
//   edited one is any of those with 2% or more.
// - A run's machine is slower or faster by 3%. Besides, seven of ten functions vary by 1% between
//   runs, two by 4%, and one, which waits for memory, by 12%.
// - Another build makes each function longer or shorter by 1.5%.
// - Code changed in the edited function and in two others, whose time is unchanged. A third of the
//   others call or are called by changed code. Or no code changed at all.
#include "benchmarks/verdicts/made_times/made_samples.h"

#include <algorithm>
#include <cmath>

#include "absl/types/span.h"
#include "benchmarks/verdicts/made_graphs/random.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/time_model.h"

namespace gprofhub::benchmarks {
namespace {

using reporter::TimeEvidence;

constexpr size_t kFunctions = 60;
constexpr double kLeastShare = 0.02;
constexpr double kSpeedVariation = 0.03;
constexpr double kBuildVariation = 0.015;

class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}
  uint64_t Below(uint64_t limit) { return random_.Below(limit); }
  double Between(double low, double high) { return low + (high - low) * random_.Unit(); }
  double Normal() {
    // The polar half of Box and Muller's transform.
    return std::sqrt(-2 * std::log(1 - random_.Unit())) *
           std::cos(6.283185307179586 * random_.Unit());
  }
  double Poisson(double mean) {
    if (mean > 100) return std::max(0.0, std::round(mean + std::sqrt(mean) * Normal()));
    double count = -1, waited = 0;
    while (waited < mean) {
      waited -= std::log(1 - random_.Unit());
      ++count;
    }
    return std::max(count, 0.0);
  }

 private:
  Random random_;
};

struct MadeFunction {
  double seconds = 0;
  double head = 1;  // by which factor its time at the head is longer
  double variation = 0;
  TimeEvidence evidence = TimeEvidence::kUnknown;
};

double VariationOf(size_t drawn) { return drawn < 7 ? 0.01 : drawn < 9 ? 0.04 : 0.12; }

// Edited function first.
std::vector<MadeFunction> MakeFunctions(Draw& draw, double effect, Code code) {
  double all = 0;
  for (size_t i = 1; i <= kFunctions; ++i) all += 1 / static_cast<double>(i);
  const double seconds = draw.Between(3, 6);
  std::vector<MadeFunction> functions;
  size_t long_enough = 0;
  for (size_t i = 1; i <= kFunctions; ++i) {
    const double share = 1 / static_cast<double>(i) / all;
    if (share >= kLeastShare) long_enough = i;
    MadeFunction function;
    function.seconds = share * seconds;
    function.head = std::exp(kBuildVariation * draw.Normal());
    function.variation = VariationOf(draw.Below(10));
    const TimeEvidence same = draw.Below(3) == 0 ? TimeEvidence::kReached : TimeEvidence::kSame;
    if (code == Code::kChanged) function.evidence = same;
    if (code == Code::kSame) function.evidence = TimeEvidence::kSame;
    functions.push_back(function);
  }
  std::swap(functions[0], functions[draw.Below(long_enough)]);
  functions[0].head *= 1 + effect;
  for (const size_t i : {size_t{0}, 1 + draw.Below(20), 1 + draw.Below(20)}) {
    if (code == Code::kChanged) functions[i].evidence = TimeEvidence::kChanged;
  }
  return functions;
}

reporter::TargetTimes Sample(Draw& draw, const std::vector<MadeFunction>& functions,
                             const Design& design) {
  reporter::RunExposures runs;
  runs.before = design.base_runs;
  runs.exposure.assign(design.base_runs + design.head_runs, design.rate);
  std::vector<double> speed;
  for (size_t run = 0; run < runs.exposure.size(); ++run) {
    speed.push_back(std::exp(kSpeedVariation * draw.Normal()));
  }
  std::vector<std::vector<double>> samples;
  std::vector<absl::Span<const double>> same, others;
  for (const MadeFunction& function : functions) {
    samples.emplace_back();
    for (size_t run = 0; run < runs.exposure.size(); ++run) {
      const double seconds = function.seconds * speed[run] *
                             (run < runs.before ? 1 : function.head) *
                             std::exp(function.variation * draw.Normal());
      samples.back().push_back(draw.Poisson(seconds * design.rate));
    }
  }
  for (size_t i = 0; i < functions.size(); ++i) {
    (functions[i].evidence == TimeEvidence::kChanged ? others : same).push_back(samples[i]);
  }
  const std::vector<double> factors = reporter::EstimateSpeedFactors(runs, same, others);
  reporter::TargetTimes times;
  double total = 0;
  for (const MadeFunction& function : functions) total += function.seconds;
  const reporter::TimeOptions options;
  for (uint32_t i = 0; i < functions.size(); ++i) {
    reporter::TimeTest test = reporter::MakeTimeTest(runs, factors, samples[i]);
    test.evidence = functions[i].evidence;
    test.matters =
        reporter::TimeBefore(test) + reporter::TimeAfter(test) >= options.minimum_impact * total;
    if (test.before_samples + test.after_samples < options.minimum_samples) continue;
    times.self.push_back({i, v1::Finding::SELF_TIME, test, ""});
  }
  return times;
}

// Variance of the function's effect: of its samples, its runs and its build.
double VarianceOf(const MadeFunction& function, const Design& design) {
  const double runs =
      1 / static_cast<double>(design.base_runs) + 1 / static_cast<double>(design.head_runs);
  const double samples = function.seconds * design.rate;
  return runs * (1 / samples + function.variation * function.variation) +
         kBuildVariation * kBuildVariation;
}

}  // namespace

void MakeTimes(uint64_t seed, double effect, const Design& design, MadeTimes& made) {
  made.names.clear();
  double precision = 0;
  for (size_t i = 0; i < design.targets; ++i) made.names.push_back("edited");
  for (size_t i = 0; i < design.targets; ++i) {
    Draw draw(Mix(seed, i));
    const std::vector<MadeFunction> functions = MakeFunctions(draw, effect, design.code);
    made.targets.push_back(Sample(draw, functions, design));
    reporter::FunctionTime& edited = made.targets.back().self.front();
    if (design.targets > 1) edited.name = made.names[i];
    made.samples += functions[0].seconds * design.rate / static_cast<double>(design.targets);
    precision += 1 / VarianceOf(functions[0], design);
  }
  made.least_error = 1 / std::sqrt(precision);
}

}  // namespace gprofhub::benchmarks
