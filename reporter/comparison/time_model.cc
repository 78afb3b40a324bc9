// The standard error of a function's effect depends on sampling and on the variation of its runs
// (run_variation.cc).
//
// The effect log(after / before) is tested against a minimum effect δ, not against zero (McCarthy
// and Smyth, "TREAT", 2009):
//
//   p = P(error > |effect| - δ) / part
//
// So a tiny change of a well-sampled function is not a finding, however significant it is. Small
// systematic errors, such as a machine speed that is half a percent wrong, raise no alarms. `part`
// splits the false discovery budget between slower and faster functions. Authors usually know when
// they made a function faster, so slower functions get most of it.
//
// Two builds differ in the memory layout of code and data, which is invisible between runs of one
// build. So a function's time may differ between the sides by more than runs vary. Functions with
// the same code and calls show by how much (build_variance.cc). That is added to everyone's error.
// If it is known, a function with changed code is tested against a smaller minimum: the larger one
// only covers effects that are not modelled.
//
// Significance is decided over all functions of all targets (discoveries.cc).
#include "reporter/comparison/time_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/median.h"

namespace gprofhub::reporter {

// A slow machine slows all functions. A run's factor is the median over functions of log(self time
// in this run / mean self time on this side).
//
// Other processes that saturate memory slow some functions only. A common factor would add noise to
// the others. So the factor is shrunk to the fraction λ for which the runs of a side agree best,
// and omitted unless they agree clearly better with it.
//
// Between the sides the factor is the weighted median of the functions' changes. It is applied if
// it exceeds its own standard error. A function's weight is the inverse of its change's variance,
//
//   1 / (1 / samples before + 1 / samples after)
//
// so that one that became much slower does not weigh more for it. It is capped at an eighth of the
// total, and at most half of the functions may disagree with the factor, so that a true change does
// not pass for a slow machine. With few functions the two cannot be separated, and there is no
// factor. Functions with too few samples are pooled until they have enough: each pool is one
// function. Otherwise a short test would have no factor, while the sum of its library time is
// judged.

namespace {

// Maximum weight of one function, as a part of the total.
constexpr double kLargestWeight = 1.0 / 8;
// Runs agree clearly better with a factor if their variance falls by this part.
constexpr double kClearGain = 0.2;
constexpr double kErrorsOfFactor = 2;
// A function disagrees with a factor if its change differs by this part of it, and by this many of
// its own standard errors.
constexpr double kPartOfDisagreement = 0.5;
constexpr double kErrorsOfDisagreement = 2;

double WeightedMedian(std::vector<std::pair<double, double>>& values) {
  std::sort(values.begin(), values.end());
  double total = 0;
  for (const auto& [value, weight] : values) total += weight;
  double sum = 0;
  for (const auto& [value, weight] : values) {
    sum += weight;
    if (sum >= total / 2) return value;
  }
  return values.empty() ? 0 : values.back().first;
}

// A function, or a pool of short ones, with enough samples to measure machine speed.
struct SpeakingFunction {
  double samples = 0;            // over all runs
  std::vector<double> residual;  // log time in each run, minus the mean of its side
  double change = 0;             // of the sides' means; 0 without a base
  double change_weight = 0;      // inverse of its sampling variance
};

SpeakingFunction Describe(const RunExposures& runs, absl::Span<const double> samples) {
  SpeakingFunction function;
  function.samples = std::accumulate(samples.begin(), samples.end(), 0.0);
  double mean[2] = {0, 0}, sum[2] = {0, 0};
  for (size_t run = 0; run < samples.size(); ++run) {
    function.residual.push_back(std::log(samples[run] / runs.exposure[run]));
    mean[run >= runs.before] += function.residual.back();
    sum[run >= runs.before] += samples[run];
  }
  mean[0] /= std::max(1.0, static_cast<double>(runs.before));
  mean[1] /= static_cast<double>(samples.size() - runs.before);
  for (size_t run = 0; run < samples.size(); ++run) {
    function.residual[run] -= mean[run >= runs.before];
  }
  if (runs.before > 0) {
    function.change = mean[1] - mean[0];
    function.change_weight = 1 / (1 / sum[0] + 1 / sum[1]);
  }
  return function;
}

bool HasEnoughSamples(absl::Span<const double> samples) {
  const double total = std::accumulate(samples.begin(), samples.end(), 0.0);
  return total >= kEnoughSamples * static_cast<double>(samples.size()) &&
         *std::min_element(samples.begin(), samples.end()) > 0;
}

// Logarithm of each run's slowdown relative to the mean of its side.
std::vector<double> FactorsOfRuns(const std::vector<SpeakingFunction>& functions, size_t runs) {
  std::vector<double> factors(runs, 0);
  for (size_t run = 0; run < runs; ++run) {
    std::vector<double> residuals;
    for (const SpeakingFunction& function : functions) residuals.push_back(function.residual[run]);
    factors[run] = base::Median(std::move(residuals));
  }
  double variance = 0, product = 0, squares = 0;
  for (const SpeakingFunction& function : functions) {
    for (size_t run = 0; run < runs; ++run) {
      const double residual = function.residual[run];
      variance += function.samples * residual * residual;
      product += function.samples * residual * factors[run];
      squares += function.samples * factors[run] * factors[run];
    }
  }
  const double part = squares > 0 ? std::clamp(product / squares, 0.0, 1.0) : 0;
  const double gain = part * (2 * product - part * squares);
  const bool clear = gain >= kClearGain * variance;
  for (double& factor : factors) factor = clear ? part * factor : 0;
  return factors;
}

// Logarithm of the slowdown of the head's machines.
double FactorBetweenSides(const std::vector<SpeakingFunction>& functions) {
  double all = 0;
  for (const SpeakingFunction& function : functions) all += function.change_weight;
  std::vector<std::pair<double, double>> changes, distances;
  double weights = 0, squares = 0;
  for (const SpeakingFunction& function : functions) {
    const double weight = std::min(function.change_weight, all * kLargestWeight);
    changes.emplace_back(function.change, weight);
    weights += weight;
    squares += weight * weight;
  }
  const double middle = WeightedMedian(changes);
  for (const auto& [change, weight] : changes) {
    distances.emplace_back(std::fabs(change - middle), weight);
  }
  // The median's standard error, from the median absolute deviation. 1.48 converts the deviation to
  // a standard deviation; 1.25 is the ratio of the median's error to the mean's.
  const double error = 1.48 * 1.25 * WeightedMedian(distances) * std::sqrt(squares) / weights;
  const auto disagrees = [middle](const SpeakingFunction& function) {
    return std::fabs(function.change - middle) >
           kPartOfDisagreement * std::fabs(middle) +
               kErrorsOfDisagreement / std::sqrt(function.change_weight);
  };
  const auto disagreeing = std::count_if(functions.begin(), functions.end(), disagrees);
  const bool clear = std::fabs(middle) > kErrorsOfFactor * error &&
                     static_cast<size_t>(disagreeing) <= functions.size() / 2;
  return clear ? middle : 0;
}

// The functions with enough samples, and pools of the others.
std::vector<SpeakingFunction> SpeakingFunctions(
    const RunExposures& runs, absl::Span<const absl::Span<const double>> samples) {
  std::vector<SpeakingFunction> speaking;
  std::vector<double> pool(runs.exposure.size(), 0);
  for (const absl::Span<const double> function : samples) {
    const auto is_unknown = [](double value) { return std::isnan(value); };
    if (std::any_of(function.begin(), function.end(), is_unknown)) continue;
    if (HasEnoughSamples(function)) {
      speaking.push_back(Describe(runs, function));
      continue;
    }
    for (size_t run = 0; run < pool.size(); ++run) pool[run] += function[run];
    if (!HasEnoughSamples(pool)) continue;
    speaking.push_back(Describe(runs, pool));
    std::fill(pool.begin(), pool.end(), 0);
  }
  return speaking;
}

}  // namespace

std::vector<double> EstimateSpeedFactors(const RunExposures& runs,
                                         absl::Span<const absl::Span<const double>> same,
                                         absl::Span<const absl::Span<const double>> others) {
  const size_t count = runs.exposure.size();
  std::vector<SpeakingFunction> speaking = SpeakingFunctions(runs, same);
  const double between = speaking.size() < kEnoughFunctions ? 0 : FactorBetweenSides(speaking);
  // The runs of a side have the same code: their differences concern every function.
  for (SpeakingFunction& other : SpeakingFunctions(runs, others)) {
    speaking.push_back(std::move(other));
  }
  std::vector<double> factors(count, 0);
  if (speaking.size() >= kEnoughFunctions) factors = FactorsOfRuns(speaking, count);
  for (size_t run = 0; run < count; ++run) {
    factors[run] = std::exp(factors[run] + (run < runs.before ? 0 : between));
  }
  return factors;
}

// Another build places functions and data at other addresses. Then loops hit other cache lines and
// branch slots, and take some percent longer or shorter, in all runs of that build. Runs of one
// build never show that. Functions with the same code and calls on both sides do: this is their
// only true change, except for a few that work on other data. So
//
//   effect ~ N(0, standard error² + τ²)
//
// and τ² is chosen so that the median of effect² / (standard error² + τ²) is that of a squared
// normal variable. The median is robust against the few true changes. This is the empirical null of
// Efron ("Large-scale simultaneous hypothesis testing: the choice of a null hypothesis", 2004), as
// one number.

namespace {

// Median of the square of a standard normal variable.
constexpr double kMedianOfSquare = 0.4549;
// Upper bound of τ. Beyond it, something else differs.
constexpr double kMost = 0.2;

// A function whose time can differ only because the builds do.
bool IsControl(const TimeTest& test) {
  const bool is_same =
      test.evidence == TimeEvidence::kSame || test.evidence == TimeEvidence::kReached;
  const double runs = static_cast<double>(test.before_runs + test.after_runs);
  return is_same && test.before_samples + test.after_samples >= kEnoughSamples * runs;
}

struct Control {
  double square = 0;    // of the effect
  double variance = 0;  // of its error
};

double MedianSquare(const std::vector<Control>& controls, double variance) {
  std::vector<double> squares;
  squares.reserve(controls.size());
  for (const Control& one : controls) squares.push_back(one.square / (one.variance + variance));
  return base::Median(std::move(squares));
}

}  // namespace

std::optional<double> EstimateBuildVariance(const std::vector<TimeTest*>& tests) {
  std::vector<Control> controls;
  for (const TimeTest* test : tests) {
    if (IsControl(*test)) controls.push_back({test->effect * test->effect, test->error.Variance()});
  }
  if (controls.size() < kEnoughFunctions) return std::nullopt;
  if (MedianSquare(controls, 0) <= kMedianOfSquare) return 0;
  double low = 0, high = kMost * kMost;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (MedianSquare(controls, middle) > kMedianOfSquare ? low : high) = middle;
  }
  return high;
}

// The step-up procedure of Benjamini and Hochberg decides which p-values are significant. It covers
// all functions of all targets that are long enough. The others are too short for any change to be
// material, and are excluded for two reasons. Hundreds of them would raise the bar for the relevant
// ones (Bourgon, Gentleman and Huber, "Independent filtering increases detection power for
// high-throughput experiments", 2010). And their few samples are not normally distributed.
//
// A function with unchanged code seldom has another time, and an edited one often has. So the
// hypotheses have weights: p / weight replaces p (Genovese, Roeder and Wasserman, "False discovery
// control with p-value weighting", 2006). The rate is controlled as long as the weights do not
// depend on the samples, and are 1 on average or less. Functions with changed code get the budget
// that those with the same code do not use. If no code changed, it stays unused: avoiding false
// alarms is worth more than detecting effects of data or memory.

namespace {

// Part of a 95% interval's error on either side. No weight lowers the bar below it, so the 95%
// interval of a significant change excludes 0.
constexpr double kTail95 = 0.025;

// Weight of functions that are not known to have changed.
double PriorWeight(TimeEvidence evidence) {
  switch (evidence) {
    case TimeEvidence::kSame:
      return 0.05;
    case TimeEvidence::kReached:
      return 0.2;
    default:
      return 1;
  }
}

// Weight of functions whose code changed: the remaining budget.
double WeightOfChanged(const std::vector<TimeTest*>& tests) {
  double left = 0;
  size_t changed = 0;
  for (const TimeTest* test : tests) {
    if (test->evidence == TimeEvidence::kChanged) {
      ++changed;
      left += 1;
    } else {
      left += 1 - PriorWeight(test->evidence);
    }
  }
  return changed > 0 ? left / static_cast<double>(changed) : 1;
}

}  // namespace

void ControlFalseDiscoveries(const std::vector<TimeTest*>& tests, double rate) {
  std::vector<TimeTest*> matter;
  std::copy_if(tests.begin(), tests.end(), std::back_inserter(matter),
               [](const TimeTest* test) { return test->matters; });
  const double of_changed = WeightOfChanged(matter);
  const auto weight = [of_changed](const TimeTest& test) {
    return test.evidence == TimeEvidence::kChanged ? of_changed : PriorWeight(test.evidence);
  };
  std::vector<std::pair<double, TimeTest*>> by_p;
  by_p.reserve(matter.size());
  for (TimeTest* test : matter) by_p.emplace_back(test->p / weight(*test), test);
  std::stable_sort(by_p.begin(), by_p.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < matter.size(); ++i) matter[i] = by_p[i].second;
  const double m = static_cast<double>(std::max<size_t>(1, matter.size()));
  size_t found = 0;
  for (size_t i = 0; i < matter.size(); ++i) {
    const double bar = rate * weight(*matter[i]) * static_cast<double>(i + 1) / m;
    if (matter[i]->p <= std::min(kTail95, bar)) found = i + 1;
  }
  for (size_t i = 0; i < found; ++i) matter[i]->changed = matter[i]->p <= kTail95;
  for (TimeTest* test : tests) {
    test->p_needed = std::min(kTail95, rate * weight(*test) * static_cast<double>(found + 1) / m);
  }
}

double EffectError::Variance() const {
  double variance = 0;
  for (const Part& part : parts_) variance += part.weight * part.variance;
  return variance;
}

EffectError EffectError::With(double variance) const {
  EffectError both = *this;
  for (Part& part : both.parts_) part.variance += variance;
  return both;
}

double EffectError::UpperTail(double value) const {
  double tail = 0;
  for (const Part& part : parts_) {
    if (part.weight <= 0) continue;
    // Without any error every value is out of reach.
    const double errors = part.variance > 0 ? value / std::sqrt(2 * part.variance) : INFINITY;
    tail += part.weight * std::erfc(value == 0 ? 0 : errors) / 2;
  }
  return tail;
}

// The logarithm of the tail is nearly a decreasing parabola. So the secant through two values on
// either side of the target crosses close to it. If one side stays twice, its distance is halved:
// the Illinois variant of the false position method (Dowell and Jarratt, 1971), which takes a sixth
// of the time of bisection.
double EffectError::UpperQuantile(double tail) const {
  const double wanted = std::log(tail);
  const auto distance = [&](double value) { return std::log(UpperTail(value)) - wanted; };
  double low = 0, high = std::sqrt(Variance());
  if (high <= 0) return 0;
  double at_low = std::log(0.5) - wanted, at_high = distance(high);
  while (at_high > 0 && high < 1e9) {
    low = high;
    at_low = at_high;
    high *= 2;
    at_high = distance(high);
  }
  if (!std::isfinite(at_high)) return HalvedQuantile(tail, low, high);
  constexpr int kMostSteps = 100;
  int stayed = 0;  // above 0: the higher side stayed, below: the lower one
  for (int step = 0; step < kMostSteps && high - low > 1e-15 * high; ++step) {
    const double middle = (low * at_high - high * at_low) / (at_high - at_low);
    if (!(middle > low && middle < high)) break;
    const double at_middle = distance(middle);
    if (at_middle == 0) return middle;
    if (at_middle > 0) {
      low = middle;
      at_low = at_middle;
      if (stayed > 0) at_high /= 2;
      stayed = 1;
    } else {
      high = middle;
      at_high = at_middle;
      if (stayed < 0) at_low /= 2;
      stayed = -1;
    }
  }
  return std::fabs(at_low) < std::fabs(at_high) && low > 0 ? low : high;
}

// Bisection, for tails too small for a logarithm.
double EffectError::HalvedQuantile(double tail, double low, double high) const {
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (UpperTail(middle) > tail ? low : high) = middle;
  }
  return high;
}

// A function's samples in a run are a Poisson count: n samples have the standard deviation √n. Its
// true time varies between runs as well, by a coefficient of variation φ, because of memory layout,
// other processes and temperature. So, for n runs with N samples in total,
//
//   Var(log N) = 1 / N + φ² / n
//
// Most functions vary by a percent, some by a tenth. A handful of runs is little evidence for one
// function: Pearson's statistic of d runs about their side's mean is (1 + φ² N / n) χ²(d). But all
// functions together show how often each φ occurs on this machine. That is empirical Bayes with a
// prior on a grid (Kiefer and Wolfowitz, "Consistency of the maximum likelihood estimator in the
// presence of infinitely many incidental parameters", 1956), fitted by expectation maximisation. A
// hyperprior for programs in general has the weight of a few functions, so that it also works with
// few functions. A function's own runs update this to a posterior over φ.
//
// φ belongs to the function, and 1 / N does not: a function with few samples cannot hide its
// variation behind its sampling error. A prior on the ratio of both would confuse them.
//
// An effect's error is then normal with an uncertain variance: a mixture, with heavier tails than
// the normal distribution's (effect_error.h).

namespace {

// A degree of variation, its weight in the hyperprior, in functions, and its probability if no
// function has several runs. The figures come from recordings of benchmarks/verdicts, rounded up:
// functions that wait for memory vary by a quarter if other processes use it, and two runs may be
// hours apart.
struct Degree {
  double variation;
  double assumed;
  double unseen;
};
constexpr Degree kDegrees[EffectError::kParts] = {{0.005, 1, 0},    {0.01, 2, 0},   {0.02, 2, 0.1},
                                                  {0.04, 2, 0.2},   {0.08, 1, 0.2}, {0.16, 1, 0.25},
                                                  {0.32, 0.3, 0.25}};
constexpr int kFitRounds = 50;

using Shares = RunVariation::Shares;

// Likelihood of the test's runs under each degree, up to a factor.
Shares Likelihood(const TimeTest& test) {
  const double runs = static_cast<double>(std::max<size_t>(1, test.before_runs + test.after_runs));
  const double samples = (test.before_samples + test.after_samples) / runs;
  Shares likelihood;
  if (test.spread_df == 0) {  // one run per side, as most often, shows nothing
    likelihood.fill(1);
    return likelihood;
  }
  for (size_t k = 0; k < likelihood.size(); ++k) {
    const double ratio = 1 + samples * kDegrees[k].variation * kDegrees[k].variation;
    likelihood[k] =
        -static_cast<double>(test.spread_df) / 2 * std::log(ratio) - test.spread / (2 * ratio);
  }
  const double most = *std::max_element(likelihood.begin(), likelihood.end());
  for (double& value : likelihood) value = std::exp(value - most);
  return likelihood;
}

Shares Posterior(const Shares& shares, const Shares& likelihood) {
  Shares posterior;
  double sum = 0;
  for (size_t k = 0; k < shares.size(); ++k) sum += posterior[k] = shares[k] * likelihood[k];
  for (double& value : posterior) value /= sum;
  return posterior;
}

bool Tells(const TimeTest& test) {
  const double runs = static_cast<double>(test.before_runs + test.after_runs);
  return test.spread_df > 0 && test.before_samples + test.after_samples >= kEnoughSamples * runs;
}

}  // namespace

RunVariation::RunVariation(const std::vector<TimeTest*>& tests) {
  std::vector<Shares> likelihoods;
  for (const TimeTest* test : tests) {
    if (Tells(*test)) likelihoods.push_back(Likelihood(*test));
  }
  if (likelihoods.empty()) {
    for (size_t k = 0; k < shares_.size(); ++k) shares_[k] = kDegrees[k].unseen;
    return;
  }
  double functions = static_cast<double>(likelihoods.size());
  for (const Degree& degree : kDegrees) functions += degree.assumed;
  shares_.fill(1.0 / static_cast<double>(shares_.size()));
  for (int round = 0; round < kFitRounds; ++round) {
    Shares sums;
    for (size_t k = 0; k < sums.size(); ++k) sums[k] = kDegrees[k].assumed;
    for (const Shares& likelihood : likelihoods) {
      const Shares posterior = Posterior(shares_, likelihood);
      for (size_t k = 0; k < sums.size(); ++k) sums[k] += posterior[k];
    }
    for (size_t k = 0; k < sums.size(); ++k) shares_[k] = sums[k] / functions;
  }
}

EffectError RunVariation::ErrorOf(const TimeTest& test) const {
  const Shares posterior = Posterior(shares_, Likelihood(test));
  // Half a sample is added to avoid a division by zero.
  const double of_sampling = 1 / (test.before_samples + 0.5) + 1 / (test.after_samples + 0.5);
  const double of_runs = 1 / static_cast<double>(std::max<size_t>(1, test.before_runs)) +
                         1 / static_cast<double>(std::max<size_t>(1, test.after_runs));
  std::array<EffectError::Part, EffectError::kParts> parts;
  for (size_t k = 0; k < parts.size(); ++k) {
    const double variation = kDegrees[k].variation;
    parts[k] = {posterior[k], of_sampling + variation * variation * of_runs};
  }
  return EffectError(parts);
}

namespace {

constexpr double kPower = 0.8416;  // normal quantile for a power of 80%
// Part of the false positive probability that is assigned to slower functions.
constexpr double kPartOfSlower = 0.9;

// Half a sample is added to avoid the logarithm of zero.
double Effect(const TimeTest& test) {
  return std::log((test.after_samples + 0.5) / test.after_exposure) -
         std::log((test.before_samples + 0.5) / test.before_exposure);
}

double LogEffect(double percent) { return std::log1p(percent / 100); }

// The tail probability that a slowdown must reach to be significant.
double TailNeeded(const TimeTest& test) {
  return std::clamp(test.p_needed * kPartOfSlower, 1e-300, 0.5);
}

// Distance from the minimum, in standard errors, of the slowdown that is detected with a power of
// 80%.
double ErrorsNeeded(const TimeTest& test) {
  const double errors = StandardError(test);
  if (errors <= 0) return 0;
  return test.error.With(test.build_variance).UpperQuantile(TailNeeded(test)) / errors + kPower;
}

// An effect's variance. Each side's part is assumed to be inversely proportional to its exposure.
struct Variances {
  double of_head = 0;  // reduced by more runs of the head
  double rest = 0;
};

Variances VariancesOf(const TimeTest& test) {
  const double before = 1 / (test.before_samples + 0.5), after = 1 / (test.after_samples + 0.5);
  const double of_runs = test.error.Variance();
  const double of_head = of_runs * after / (before + after);
  return {of_head, of_runs - of_head + test.build_variance};
}

// The variance at which an effect of `percent` is detected with a power of 80%; 0 if it never is.
double AllowedVariance(const TimeTest& test, double percent) {
  const double room = LogEffect(percent) - test.minimum;
  if (room <= 0) return 0;
  const double errors = ErrorsNeeded(test);
  return errors > 0 ? room * room / (errors * errors) : std::numeric_limits<double>::infinity();
}

}  // namespace

TimeTest MakeTimeTest(const RunExposures& runs, absl::Span<const double> speed,
                      absl::Span<const double> samples) {
  TimeTest test;
  for (size_t run = 0; run < runs.exposure.size(); ++run) {
    if (std::isnan(samples[run])) continue;
    const bool before = run < runs.before;
    (before ? test.before_samples : test.after_samples) += samples[run];
    (before ? test.before_exposure : test.after_exposure) += runs.exposure[run] * speed[run];
    ++(before ? test.before_runs : test.after_runs);
  }
  for (size_t run = 0; run < runs.exposure.size(); ++run) {
    if (std::isnan(samples[run])) continue;
    const bool before = run < runs.before;
    const double side = before ? test.before_samples : test.after_samples;
    const double exposure = before ? test.before_exposure : test.after_exposure;
    const double expected = side * runs.exposure[run] * speed[run] / exposure;
    if (expected > 0)
      test.spread += (samples[run] - expected) * (samples[run] - expected) / expected;
  }
  test.spread_df = (test.before_runs > 0 ? test.before_runs - 1 : 0) +
                   (test.after_runs > 0 ? test.after_runs - 1 : 0);
  return test;
}

void SetP(TimeTest& test) {
  const EffectError error = test.error.With(test.build_variance);
  const double part = test.effect > 0 ? kPartOfSlower : 1 - kPartOfSlower;
  const double beyond = std::fabs(test.effect) - test.minimum;
  test.p = beyond > 0 ? std::min(1.0, error.UpperTail(beyond) / part) : 1;
}

void MeasureEffects(const std::vector<TimeTest*>& tests, const TimeModelOptions& options) {
  const RunVariation variation(tests);
  for (TimeTest* test : tests) {
    test->effect = Effect(*test);
    test->error = variation.ErrorOf(*test);
  }
  const std::optional<double> of_builds = EstimateBuildVariance(tests);
  for (TimeTest* test : tests) {
    test->build_variance = of_builds.value_or(0);
    const bool is_edited = of_builds.has_value() && test->evidence == TimeEvidence::kChanged;
    test->minimum = LogEffect(is_edited ? options.changed_code_minimum_percent
                                        : options.minimum_effect_percent);
    SetP(*test);
  }
}

void JudgeTimeTests(const std::vector<TimeTest*>& tests, const TimeModelOptions& options) {
  MeasureEffects(tests, options);
  ControlFalseDiscoveries(tests, options.false_discovery_rate);
}

double HalfWidth95(const TimeTest& test) {
  return test.error.With(test.build_variance).UpperQuantile(kTail95);
}

std::pair<double, double> DecisionInterval(const TimeTest& test) {
  const EffectError error = test.error.With(test.build_variance);
  const auto distance = [&](double part) {
    return test.minimum + error.UpperQuantile(std::clamp(test.p_needed * part, 1e-300, 0.5));
  };
  return {test.effect - distance(kPartOfSlower), test.effect + distance(1 - kPartOfSlower)};
}

bool IsWithin95(const TimeTest& test, double least, double most) {
  const double room = std::min(test.effect - least, most - test.effect);
  // Computing a tail is fast; a quantile requires a search.
  return room >= 0 &&
         (room == INFINITY || test.error.With(test.build_variance).UpperTail(room) <= kTail95);
}

double DetectablePercent(const TimeTest& test) {
  const double effect = test.minimum + ErrorsNeeded(test) * StandardError(test);
  return std::expm1(std::min(effect, 50.0)) * 100;
}

double MoreHeadRunsFor(const TimeTest& test, double percent) {
  const double allowed = AllowedVariance(test, percent);
  const Variances variances = VariancesOf(test);
  if (variances.of_head + variances.rest <= allowed) return 0;
  if (allowed <= variances.rest) return std::numeric_limits<double>::infinity();
  return static_cast<double>(test.after_runs) *
         (variances.of_head / (allowed - variances.rest) - 1);
}

bool HeadRunsWouldShow(const TimeTest& test, double percent, double runs) {
  const double room = LogEffect(percent) - test.minimum;
  const double head_runs = static_cast<double>(test.after_runs);
  const Variances variances = VariancesOf(test);
  const double variance = variances.rest + variances.of_head * head_runs / (head_runs + runs);
  if (room <= 0 || variance <= 0) return room > 0;
  const double error = StandardError(test) * (room / std::sqrt(variance) - kPower);
  return error >= 0 && test.error.With(test.build_variance).UpperTail(error) <= TailNeeded(test);
}

}  // namespace gprofhub::reporter
