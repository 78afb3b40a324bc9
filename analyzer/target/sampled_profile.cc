#include "analyzer/target/sampled_profile.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analyzer/functions/line_finder.h"
#include "analyzer/target/describe_code.h"
#include "base/string_interner.h"

namespace gprofhub::analyzer {
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
