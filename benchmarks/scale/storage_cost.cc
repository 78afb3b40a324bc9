// Size of a target and run in a store, whole and delta-encoded (store/delta/delta_encoding.h), and
// the time to encode blobs and to read them again.
//
//   storage_cost FOLDER RUNS FUNCTIONS     on SQLite
//
// Runs of 20 targets are made by rule. Each run changes the size of one function in a hundred, so
// that all code after it moves, and the counts of as many. Samples are random. Symbols, profiles
// and results have the forms that clients and workers send. The time to read deltas is compared
// with that of whole data.
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmarks/scale/filled_store.h"
#include "benchmarks/scale/measuring.h"
#include "profile/codec/computed.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/gmon/writer.h"
#include "store/testing/temp_store.h"

namespace gprofhub::scale {
namespace {

constexpr int kTargets = 20;
constexpr int kArcsOfFunction = 3;
constexpr int kLinesOfFunction = 12;
constexpr uint64_t kText = 0x401000;

// A test's program and its work, as of one commit.
struct Program {
  std::vector<uint64_t> sizes;   // of its functions, in bytes
  std::vector<uint64_t> counts;  // of calls

  Program(int functions, std::mt19937_64& random) {
    std::uniform_int_distribution<uint64_t> size(16, 600), count(1, 100'000);
    for (int i = 0; i < functions; ++i) {
      sizes.push_back(size(random));
      counts.push_back(count(random));
    }
  }

  // The next commit's.
  void Change(std::mt19937_64& random) {
    std::uniform_int_distribution<size_t> which(0, sizes.size() - 1);
    const size_t changes = std::max<size_t>(1, sizes.size() / 100);
    for (size_t i = 0; i < changes; ++i) {
      sizes[which(random)] += 16;
      counts[which(random)] += 1;
    }
  }

  std::vector<uint64_t> Addresses() const {
    std::vector<uint64_t> addresses = {kText};
    for (const uint64_t size : sizes) addresses.push_back(addresses.back() + size);
    return addresses;
  }
};

std::string NameOf(int target, size_t function) {
  const std::string name = absl::StrCat("function", function);
  const std::string space = absl::StrCat("test", target);
  return absl::StrCat("_ZN", space.size(), space, name.size(), name, "ERKSt6vectorIiSaIiEEi");
}

std::string BundleOf(const Program& program, int target) {
  profile::SymbolTable table;
  table.build_id = "b1d1";
  table.architecture = "x86_64";
  table.image_name = absl::StrCat("test", target);
  for (int i = 0; i < 20; ++i) table.files.push_back(absl::StrCat("library/part", i, ".cc"));
  const std::vector<uint64_t> addresses = program.Addresses();
  table.text_low = kText;
  table.text_high = addresses.back();
  for (size_t i = 0; i < program.sizes.size(); ++i) {
    profile::FunctionSymbol function;
    function.address = addresses[i];
    function.size = program.sizes[i];
    function.name = NameOf(target, i);
    function.file = 1 + i % 20;
    function.line = 10 + 30 * (i / 20);
    function.table_index = i;
    function.is_function = true;
    function.code = static_cast<uint32_t>(program.sizes[i] * 2654435761u + i);
    table.functions.push_back(function);
    for (int k = 0; k < kLinesOfFunction; ++k) {
      table.lines.push_back({addresses[i] + k * program.sizes[i] / kLinesOfFunction, function.file,
                             function.line + static_cast<uint32_t>(2 * k)});
    }
  }
  return profile::EncodeSymbolBundle(table);
}

std::string ProfileOf(const Program& program, std::mt19937_64& random) {
  const std::vector<uint64_t> addresses = program.Addresses();
  profile::RawProfile raw;
  profile::Histogram histogram = {kText, addresses.back(), 1000, "seconds", 's', {}};
  histogram.bins.resize((addresses.back() - kText + 3) / 4);
  std::discrete_distribution<size_t> where(program.counts.begin(), program.counts.end());
  for (int i = 0; i < 2000; ++i) {
    const size_t function = where(random);
    std::uniform_int_distribution<uint64_t> at(0, program.sizes[function] - 1);
    ++histogram.bins[(addresses[function] - kText + at(random)) / 4];
  }
  raw.histograms.push_back(std::move(histogram));
  const size_t functions = program.sizes.size();
  for (size_t i = 0; i < functions; ++i) {
    for (int k = 1; k <= kArcsOfFunction; ++k) {
      raw.arcs.push_back({addresses[i] + program.sizes[i] / (k + 1),
                          addresses[(7 * i + k) % functions], program.counts[i] * k});
    }
  }
  // As clients compress it.
  const std::string gmon = OrDie(profile::WriteGmon(raw));
  std::string frame(ZSTD_compressBound(gmon.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), gmon.data(), gmon.size(), 6));
  return frame;
}

std::string ResultOf(const Program& program, int target, std::mt19937_64& random) {
  profile::ComputedProfile profile;
  profile.sample_rate = 1000;
  profile.strings = {"", absl::StrCat("test", target)};
  for (int i = 0; i < 20; ++i) profile.strings.push_back(absl::StrCat("library/part", i, ".cc"));
  const uint32_t functions = static_cast<uint32_t>(program.sizes.size());
  std::vector<double> self(functions);
  std::discrete_distribution<uint32_t> where(program.counts.begin(), program.counts.end());
  for (int i = 0; i < 2000; ++i) ++self[where(random)];
  for (uint32_t i = 0; i < functions; ++i) {
    profile::FunctionCost function;
    function.name = static_cast<uint32_t>(profile.strings.size());
    profile.strings.push_back(NameOf(target, i));
    function.file = 2 + i % 20;
    function.line = 10 + 30 * (i / 20);
    function.image = 1;
    function.size = program.sizes[i];
    function.code = static_cast<uint32_t>(program.sizes[i] * 2654435761u + i);
    function.calls = program.counts[i] * 6;
    function.self_samples = self[i];
    function.child_samples = self[(7 * i + 1) % functions] / 3;
    profile.total_samples += function.self_samples;
    profile.functions.push_back(function);
  }
  for (uint32_t caller = 0; caller < functions; ++caller) {
    for (uint32_t k = 1; k <= kArcsOfFunction; ++k) {
      const uint32_t callee = (caller * 7 + k) % functions;
      profile.arcs.push_back({caller, callee, 2 + caller % 20, caller + k, 16 * k,
                              program.counts[caller] * k, self[callee] / kArcsOfFunction, 0});
    }
  }
  return profile::EncodeComputedProfile(profile);
}

// Time to read all results and profiles of a run, in milliseconds.
double ReadRun(const store::Store& store, int64_t run) {
  return MillisecondsOf([&] {
    for (const store::TargetRecord& target : OrDie(store.reading.ListTargets(run))) {
      OrDie(store.blobs.Read(target.computed));
      for (const auto& profile : OrDie(store.reading.ReadTargetData(run, target.label)).profiles) {
        OrDie(store.blobs.Read(profile.profile.data));
        OrDie(store.blobs.Read(profile.bundle));
      }
    }
  });
}

double ReadRuns(const store::Store& store, int runs) {
  std::vector<double> times;
  for (int i = 0; i < 20; ++i) times.push_back(ReadRun(store, 1 + i * (runs - 1) / 20));
  return Quantile(times, 0.5) / (3 * kTargets);
}

void Run(const std::string& folder, int runs, int functions) {
  std::filesystem::create_directories(folder);
  const OpenedStore opened = OpenAt(folder);
  if (!opened.is_empty) Die(folder + " is not empty");
  std::mt19937_64 random(1);
  std::vector<Program> programs;
  for (int target = 0; target < kTargets; ++target) programs.emplace_back(functions, random);
  for (int run = 0; run < runs; ++run) {
    for (int target = 0; target < kTargets; ++target) {
      Program& program = programs[target];
      program.Change(random);
      store::NewExecution execution = ExecutionOf(run, absl::StrCat("//test:t", target));
      const store::Blob bundle = store::MakeBlob(BundleOf(program, target));
      const store::Blob gmon = store::MakeBlob(ProfileOf(program, random));
      execution.profiles[0].data = gmon.name;
      execution.images[0].bundle = bundle.name;
      execution.blobs = {gmon, bundle};
      store::AnalysisResult result;
      result.computed = store::MakeBlob(ResultOf(program, target, random));
      AddAnalyzed(opened.store, execution, std::move(result));
    }
  }
  const double targets = static_cast<double>(runs) * kTargets;
  std::cout << MachineNow() << "\n";
  const double whole_read = ReadRuns(opened.store, runs);
  store::DeltaOptions options;
  options.now = [] { return absl::InfiniteFuture(); };
  store::DeltaResult encoded;
  const double took =
      MillisecondsOf([&] { encoded = OrDie(opened.upkeep.delta_encoding.Encode(options)); });
  const double delta_read = ReadRuns(opened.store, runs);
  std::cout << absl::StrFormat(
      "%d runs, %d functions: %.0f bytes a target and run whole, %.0f as deltas; encoding %.2f ms "
      "a "
      "target; reading a blob %.3f ms whole, %.3f a delta (%.1f times)\n",
      runs, functions, (encoded.bytes_before) / targets, encoded.bytes_after / targets,
      took / targets, whole_read, delta_read, delta_read / whole_read);
  std::cout << absl::StrFormat("%d of %.0f blobs are deltas; the folder has %d bytes\n",
                               encoded.blobs, 3 * targets, BytesIn(folder));
}

}  // namespace
}  // namespace gprofhub::scale

int main(int argc, char** argv) {
  int runs = 0;
  int functions = 0;
  if (argc != 4 || !absl::SimpleAtoi(argv[2], &runs) || runs < 1 ||
      !absl::SimpleAtoi(argv[3], &functions) || functions < 1) {
    std::cerr << "usage: storage_cost FOLDER RUNS FUNCTIONS\n";
    return 2;
  }
  gprofhub::scale::Run(argv[1], runs, functions);
}
