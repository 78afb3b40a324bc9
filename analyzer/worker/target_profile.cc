#include "analyzer/worker/target_profile.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/graph/function_table.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/string_interner.h"

namespace gprofhub::analyzer {

namespace {

std::string BaseName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

double Periods(const std::vector<profile::Histogram>& histograms) {
  double sum = 0;
  for (const profile::Histogram& histogram : histograms) {
    for (const uint64_t bin : histogram.bins) sum += static_cast<double>(bin);
  }
  return sum;
}

absl::Status AddBins(const profile::Histogram& part, profile::Histogram& sum) {
  for (size_t i = 0; i < part.bins.size(); ++i) {
    if (__builtin_add_overflow(sum.bins[i], part.bins[i], &sum.bins[i])) {
      return absl::OutOfRangeError(absl::StrCat("the sum of bin ", i, " of the histogram at ",
                                                absl::Hex(part.low_pc), " exceeds 64 bits"));
    }
  }
  return absl::OkStatus();
}

// `module`'s arcs, without those from other modules, which the input contains as spontaneous ones.
std::vector<profile::RawArc> ArcsWithin(const profile::Recording& recording, uint32_t module) {
  absl::flat_hash_map<uint64_t, uint64_t> cross;  // by callee
  for (const profile::CrossArc& arc : recording.cross_arcs) {
    if (arc.to_module == module) cross[arc.self_pc] += arc.count;
  }
  std::vector<profile::RawArc> arcs = recording.modules[module].profile.arcs;
  for (profile::RawArc& arc : arcs) {
    if (arc.from_pc != 0) continue;
    const auto found = cross.find(arc.self_pc);
    if (found != cross.end()) arc.count -= std::min(arc.count, found->second);
  }
  arcs.erase(std::remove_if(arcs.begin(), arcs.end(),
                            [](const profile::RawArc& arc) { return arc.count == 0; }),
             arcs.end());
  return arcs;
}

}  // namespace

uint32_t TargetSum::ModuleOf(const std::string& name, const std::string& build_id,
                             const profile::SymbolTable* symbols) {
  const std::string& key = build_id.empty() ? name : build_id;
  const auto [row, is_new] = rows_.try_emplace(key, static_cast<uint32_t>(modules_.size()));
  if (is_new) {
    Module& module = modules_.emplace_back();
    module.name = symbols != nullptr ? symbols->image_name : name;
    module.build_id = build_id;
    module.symbols = symbols;
  } else if (modules_[row->second].symbols == nullptr) {
    modules_[row->second].symbols = symbols;
  }
  return row->second;
}

absl::Status TargetSum::AddData(profile::RawProfile profile, Module& module) {
  for (profile::Histogram& part : profile.histograms) {
    const auto [sum, is_new] = module.histograms.try_emplace(
        {part.dimension, part.rate, part.low_pc, part.high_pc, part.bins.size()},
        profile::Histogram());
    if (is_new) {
      sum->second = std::move(part);
    } else {
      RETURN_IF_ERROR(AddBins(part, sum->second));
    }
  }
  profile::RawProfile arcs;
  arcs.arcs = std::move(profile.arcs);
  return module.arcs.Add(std::move(arcs));
}

absl::Status TargetSum::AddProfile(const profile::SymbolTable& symbols,
                                   profile::RawProfile profile) {
  if (!profile.histograms.empty()) {
    // All of one file were sampled in the same way.
    const profile::Histogram& first = profile.histograms.front();
    Sampling& sampling = sum_.sampling[{first.dimension, first.rate}];
    const double periods = Periods(profile.histograms);
    sampling.periods += periods;
    sampling.samples += periods;
  }
  const uint32_t module = ModuleOf(symbols.image_name, symbols.build_id, &symbols);
  return AddData(std::move(profile), modules_[module]);
}

absl::Status TargetSum::AddRecording(
    const profile::Recording& recording,
    const std::function<const profile::SymbolTable*(absl::string_view)>& symbols_of) {
  std::vector<uint32_t> rows;  // by the recording's module
  for (const profile::RecordedModule& module : recording.modules) {
    rows.push_back(ModuleOf(BaseName(module.path), module.build_id, symbols_of(module.build_id)));
  }
  std::pair<std::string, uint32_t> sampled{recording.dimension, recording.rate};
  double periods = 0;
  for (uint32_t m = 0; m < rows.size(); ++m) {
    profile::RawProfile part;
    part.histograms = recording.modules[m].profile.histograms;
    part.arcs = ArcsWithin(recording, m);
    periods += Periods(part.histograms);
    if (absl::Status status = AddData(std::move(part), modules_[rows[m]]); !status.ok()) {
      return base::WithContext(status, modules_[rows[m]].name);
    }
  }
  for (const profile::CrossArc& arc : recording.cross_arcs) {
    cross_[{rows[arc.from_module], arc.from_pc, rows[arc.to_module], arc.self_pc}] += arc.count;
  }
  Sampling& sampling = sum_.sampling[sampled];
  const double overhead = static_cast<double>(recording.overhead_samples);
  const double nowhere = static_cast<double>(recording.unattributed_samples);
  periods += overhead + nowhere;
  sampling.periods += periods;
  // If a signal stands for several periods, there were fewer samples. If the number of periods
  // varies, the distribution over functions is unknown: a function may have had only the heaviest
  // signals.
  const double of_one = static_cast<double>(recording.periods) /
                        std::max(static_cast<double>(recording.samples), 1.0);
  sampling.samples +=
      periods / std::max({of_one, static_cast<double>(recording.most_periods), 1.0});
  sampling.overhead += overhead;
  sampling.nowhere += nowhere;
  sum_.calls_nowhere += recording.unattributed_calls;
  if (!profile::MissingCalls(recording).empty()) ++sum_.incomplete;
  profile::AddEnvironment(recording.environment, sum_.environments);
  if (!recording.stacks.empty()) {
    ProcessStacks stacks{sampled.first, sampled.second, recording.stacks};
    for (profile::ModuleFrame& frame : stacks.frames) {
      frame.module = frame.module < rows.size() ? rows[frame.module] : UINT32_MAX;
    }
    sum_.stacks.push_back(std::move(stacks));
  }
  return absl::OkStatus();
}

TargetProfile TargetSum::Take() {
  std::vector<uint32_t> order(modules_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
    return std::tie(modules_[a].name, modules_[a].build_id) <
           std::tie(modules_[b].name, modules_[b].build_id);
  });
  std::vector<uint32_t> places(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    places[order[i]] = i;
    Module& module = modules_[order[i]];
    TargetModule& taken = sum_.modules.emplace_back();
    taken.name = std::move(module.name);
    taken.build_id = std::move(module.build_id);
    taken.symbols = module.symbols;
    for (auto& [key, histogram] : module.histograms) {
      taken.histograms.push_back(std::move(histogram));
    }
    taken.arcs = module.arcs.Take().arcs;
  }
  for (const auto& [key, count] : cross_) {
    const auto [from, from_pc, to, self_pc] = key;
    sum_.cross_arcs.push_back({places[from], from_pc, places[to], self_pc, count});
  }
  std::sort(sum_.cross_arcs.begin(), sum_.cross_arcs.end(),
            [](const profile::CrossArc& a, const profile::CrossArc& b) {
              return std::tie(a.from_module, a.from_pc, a.to_module, a.self_pc) <
                     std::tie(b.from_module, b.from_pc, b.to_module, b.self_pc);
            });
  const uint32_t nowhere = static_cast<uint32_t>(places.size());
  for (ProcessStacks& stacks : sum_.stacks) {
    for (profile::ModuleFrame& frame : stacks.frames) {
      frame.module = frame.module < places.size() ? places[frame.module] : nowhere;
    }
  }
  TargetProfile taken = std::move(sum_);
  *this = TargetSum();
  return taken;
}

// A profile's samples at several rates can be summed in two ways, for two uses.
//
// A listing prints gmon histograms, whose bins are integers, and GNU gprof must read the same
// seconds from them. So every bin is scaled to a common multiple of all rates (ExactRate). Times
// are exact, but the number of samples is then no longer the number of received signals.
//
// A statistical test needs that number: √N is the expected error of N samples. n samples that stand
// for s each have the variance n s^2 (they are Poisson counts), where s is 1/r at rate r, or w/r if
// a late signal stands for w periods. A total time T of variance V is as precise as N = T^2 / V
// samples of one kind (Kish's effective sample size). Their rate is N / T = T / V (ChooseRate).
// Counts at that rate are fractions, which a histogram cannot hold.
//
// With a single rate and no late signals both results equal that rate.

absl::StatusOr<uint32_t> ExactRate(const std::set<uint32_t>& rates) {
  uint64_t common = 1;
  for (const uint32_t rate : rates) {
    common = std::lcm(common, uint64_t{std::max(rate, 1u)});
    if (common > UINT32_MAX) {
      return absl::InvalidArgumentError(
          "cannot sum the profiles of this target: too many different sampling rates");
    }
  }
  return static_cast<uint32_t>(common);
}

double CommonRate::Weight(const std::string& dimension_of_histogram,
                          uint32_t rate_of_histogram) const {
  if (dimension_of_histogram != dimension) return 0;
  return rate / std::max(rate_of_histogram, 1u);
}

CommonRate ChooseRate(const std::map<std::pair<std::string, uint32_t>, Sampling>& sampling) {
  CommonRate common;
  std::map<std::string, double> by_dimension;
  for (const auto& [key, one] : sampling) by_dimension[key.first] += one.samples;
  double most = -1;
  double all = 0;
  for (const auto& [dimension, samples] : by_dimension) {
    all += samples;
    if (samples <= most) continue;
    most = samples;
    common.dimension = dimension;
  }
  common.left_out = by_dimension.empty() ? 0 : all - most;

  double time = 0;
  double variance = 0;
  bool is_uniform = true;
  double rate_sampled = 0;  // of profiles with samples
  for (const auto& [key, one] : sampling) {
    if (key.first != common.dimension) continue;
    const double rate = std::max(key.second, 1u);
    common.rate = std::max(common.rate, rate);
    if (one.periods <= 0) continue;
    if (rate_sampled != 0) is_uniform = false;
    rate_sampled = rate;
    const double samples = std::clamp(one.samples, 1.0, one.periods);
    if (samples < one.periods) is_uniform = false;
    time += one.periods / rate;
    variance += one.periods / rate * (one.periods / rate) / samples;
  }
  if (rate_sampled != 0) common.rate = is_uniform ? rate_sampled : time / variance;
  return common;
}

uint32_t DescribeCode(const TableFunction& function, LineFinder& lines,
                      profile::FunctionCost& cost) {
  const profile::FunctionSymbol& symbol = *function.symbol;
  const profile::LineRow* line = lines.Find(function.address);
  cost.line = symbol.line != 0 ? symbol.line : line != nullptr ? line->line : 0;
  cost.size = function.end - function.address;
  cost.is_static = symbol.is_local;
  cost.code = symbol.code;
  cost.asks = symbol.asks;
  if (symbol.file != 0) return symbol.file;
  return line != nullptr ? line->file : 0;
}

namespace {

template <typename T>
void SortUnique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

SampledProfile::Image& SampledProfile::ImageOf(const profile::SymbolTable& symbols) {
  Image& image = images_[symbols.build_id];
  if (image.symbols == nullptr) {
    image.symbols = &symbols;
    image.table = BuildFunctionTable(symbols, SymbolPolicy::kExact);
  }
  return image;
}

void SampledProfile::Add(const profile::ImageStacks& stacks, const profile::SymbolTable& symbols) {
  Image& image = ImageOf(symbols);
  std::vector<uint32_t> rows = {kNoFunction};  // by ImageStacks::Frame::function
  for (const uint64_t address : stacks.functions) {
    rows.push_back(FindByAddress(image.table, address));
  }
  std::vector<uint32_t> functions;
  std::vector<Arc> arcs;
  size_t next = 0;
  for (const profile::ImageStacks::Stack& stack : stacks.stacks) {
    functions.clear();
    arcs.clear();
    uint32_t caller = kNoFunction;
    uint32_t site = 0;
    for (uint32_t i = 0; i < stack.frames; ++i) {
      const profile::ImageStacks::Frame& frame = stacks.frames[next++];
      const uint32_t callee = rows[frame.function];
      if (callee != kNoFunction) functions.push_back(callee);
      if (caller != kNoFunction && callee != kNoFunction) arcs.push_back({caller, site, callee});
      caller = callee;
      site = frame.offset;
    }
    const uint32_t innermost = caller;
    samples_ += stack.samples;
    if (innermost == kNoFunction) elsewhere_ += stack.samples;
    SortUnique(functions);
    SortUnique(arcs);
    const auto add = [&](Samples& samples, uint32_t function) {
      (function == innermost ? samples.self : samples.child) += stack.samples;
    };
    for (const uint32_t function : functions) add(image.functions[function], function);
    for (const Arc& arc : arcs) add(image.arcs[arc], arc.callee);
  }
}

profile::ComputedProfile SampledProfile::Take() {
  profile::ComputedProfile profile;
  profile.sampled_calls = true;
  profile.sample_rate = 1;
  profile.dimension = "samples";
  profile.total_samples = profile.stack_samples = static_cast<double>(samples_);
  profile.unattributed_samples = static_cast<double>(elsewhere_);
  base::StringInterner strings(profile.strings);
  for (const auto& [build_id, image] : images_) {
    const std::vector<std::string>& files = image.symbols->files;
    const auto index_of_file = [&](uint32_t file) {
      return file < files.size() ? strings.IndexOf(files[file]) : 0;
    };
    LineFinder lines(image.symbols->lines);
    std::map<uint32_t, uint32_t> rows;  // of the table: of the profile
    for (const auto& [row, samples] : image.functions) {
      rows[row] = static_cast<uint32_t>(profile.functions.size());
      const TableFunction& function = image.table.functions[row];
      profile::FunctionCost cost;
      cost.name = strings.IndexOf(function.symbol->name);
      cost.image = strings.IndexOf(image.symbols->image_name);
      cost.self_samples = static_cast<double>(samples.self);
      cost.child_samples = static_cast<double>(samples.child);
      cost.file = index_of_file(DescribeCode(function, lines, cost));
      profile.functions.push_back(cost);
    }
    for (const auto& [arc, samples] : image.arcs) {
      profile::ArcCost cost;
      cost.caller = rows.at(arc.caller);
      cost.callee = rows.at(arc.callee);
      cost.site_offset = arc.site;
      cost.count = samples.self + samples.child;
      cost.self_samples = static_cast<double>(samples.self);
      cost.child_samples = static_cast<double>(samples.child);
      const uint64_t call = image.table.functions[arc.caller].address + arc.site - 1;
      if (const profile::LineRow* line = arc.site != 0 ? lines.Find(call) : nullptr) {
        cost.site_file = index_of_file(line->file);
        cost.site_line = line->line;
      }
      profile.arcs.push_back(cost);
      profile::FunctionCost& callee = profile.functions[cost.callee];
      (cost.caller == cost.callee ? callee.self_calls : callee.calls) += cost.count;
    }
  }
  return profile;
}

}  // namespace gprofhub::analyzer
