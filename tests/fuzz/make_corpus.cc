// Writes the corpora of our own formats below the folder given, which is tests/fuzz.

#include <zstd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "profile/codec/computed.h"
#include "profile/codec/series.h"
#include "profile/codec/series_chunk.h"
#include "profile/codec/stacks.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/days/summaries.h"
#include "profile/gmon/writer.h"
#include "store/archive/segment_format.h"
#include "store/delta/content_delta.h"

namespace gprofhub::tests {
namespace {

void Write(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) {
    std::cerr << "cannot write " << path << "\n";
    std::exit(1);
  }
}

// The frame, and its content alone.
void WriteBoth(const std::string& path, const std::string& frame) {
  Write(path + ".zst", frame);
  std::string content(ZSTD_getFrameContentSize(frame.data(), frame.size()), '\0');
  ZSTD_decompress(content.data(), content.size(), frame.data(), frame.size());
  Write(path, content);
}

void WriteProfiles(const std::string& folder) {
  profile::RawProfile profile;
  profile.histograms.push_back({0x1000, 0x1040, 100, "seconds", 's', {0, 3, 65535, 7}});
  profile.arcs = {{0x1010, 0x1020, 5}, {0x1030, 0x1020, 4294967295u}};
  profile.blocks = {{0x1008, 12}};
  for (const int size : {4, 8}) {
    for (const bool big_endian : {false, true}) {
      const char* const order = big_endian ? "-big" : "-little";
      Write(absl::StrCat(folder, "/", 8 * size, order),
            profile::WriteGmon(profile, {size, big_endian}).value_or(""));
    }
  }
  // 4.4BSD: low_pc, high_pc, ncnt = 44, version, rate = 250, spare; 2 bins; an arc.
  const std::string bsd = std::string("\0\x10\0\0\0\0\0\0\x08\x10\0\0\0\0\0\0", 16) +
                          std::string("\x2c\0\0\0\x79\x18\5\0\xfa\0\0\0", 12) +
                          std::string(12, '\0') + std::string("\3\0\4\0", 4) +
                          std::string("\4\x10\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\x9\0\0\0\0\0\0\0", 24);
  Write(folder + "/bsd44", bsd);
  Write(folder + "/bsd", bsd.substr(0, 16) + std::string("\x18\0\0\0", 4) + bsd.substr(40));
}

void WriteBundle(const std::string& folder) {
  profile::SymbolTable symbols;
  symbols.build_id = "00ff";
  symbols.architecture = "x86_64";
  symbols.image_name = "program";
  symbols.text_low = 0x1000;
  symbols.text_high = 0x2000;
  symbols.files = {"", "a.c", "b.c"};
  for (const auto& [address, name] :
       {std::pair<uint64_t, const char*>{0x1000, "main"}, {0x1010, "label"}, {0x1010, "_Z1fv"}}) {
    profile::FunctionSymbol function;
    function.address = address;
    function.size = 16;
    function.name = name;
    function.file = 1;
    function.line = 12;
    function.is_function = true;
    symbols.functions.push_back(function);
  }
  symbols.lines = {{0x1000, 1, 12}, {0x1010, 2, 3}, {0x1020, 0, 0}};
  WriteBoth(folder + "/three-functions", profile::EncodeSymbolBundle(symbols));
}

void WriteComputed(const std::string& computed_folder, const std::string& series_folder) {
  profile::ComputedProfile profile;
  profile.strings = {"", "main", "a.c", "program", "helper"};
  profile.sample_rate = 100;
  profile.total_samples = 12.5;
  profile.functions = {{1, 2, 10, 3, 64, false, false, 0, 0, 2, 10, 0},
                       {4, 2, 20, 3, 32, true, false, 7, 1, 9.25, 0.75, 1}};
  profile.arcs = {{0, 1, 2, 12, 20, 7, 9.25, 0.75}, {2, 0, 0, 0, 0, 1, 0, 0}};
  profile.warnings = {"samples were lost"};
  WriteBoth(computed_folder + "/two-functions", profile::EncodeComputedProfile(profile));
  const std::vector<std::string> segments = profile::EncodeSeries(profile);
  for (const size_t bucket : {8, 13}) {
    Write(series_folder + "/bucket-" + std::to_string(bucket), segments[bucket]);
  }
  // Many functions: several points in a segment.
  for (int i = 0; i < 100; ++i) {
    profile::FunctionCost function = profile.functions[1];
    function.name = static_cast<uint32_t>(profile.strings.size());
    function.calls = i;
    profile.strings.push_back("f" + std::to_string(i));
    profile.functions.push_back(function);
  }
  Write(series_folder + "/several-points", profile::EncodeSeries(profile)[0]);
}

// Runs of a series, packed.
void WriteChunks(const std::string& folder) {
  std::vector<profile::RunSegment> runs;
  for (int64_t run = 0; run < 100; ++run) {
    profile::RunSegment& of_run = runs.emplace_back();
    of_run.run_id = 1 + 3 * run;
    of_run.segment.sample_rate = 2000;
    of_run.segment.points.push_back({5, run < 60 ? 100u : 120u, 40.0 + run % 7, 60.5});
    if (run % 3 == 0) of_run.segment.points.push_back({9, static_cast<uint64_t>(run), 0, 0});
  }
  const profile::SeriesChunk chunk = profile::EncodeSeriesChunk(runs);
  Write(folder + "/runs", chunk.runs);
  Write(folder + "/no-run", profile::EncodeChunkRuns({}));
  // The target reads a function's points behind the number of runs.
  for (const profile::FunctionColumns& function : chunk.functions) {
    Write(folder + "/function-" + std::to_string(function.function_hash),
          static_cast<char>(runs.size()) + function.bytes);
  }
}

// Days of a history, summarised.
void WriteSummaries(const std::string& folder) {
  std::vector<profile::SummaryDay> days;
  std::vector<profile::DayPoint> points;
  for (uint32_t day = 0; day < 28; day += 3) {
    days.push_back({day, 15, 100 + 15 * int64_t{day}});
    points.push_back({{100, 100, 120}, {0.04, 0.05, 0.07}, {0.1, 0.1, 0.2 + 0.01 * day}});
  }
  Write(folder + "/days", profile::EncodeSummaryDays(days));
  Write(folder + "/no-day", profile::EncodeSummaryDays({}));
  // The target reads points behind the number of days.
  const char count = static_cast<char>(days.size());
  Write(folder + "/points", count + profile::EncodeDayPoints(points));
  points[0].calls.median = 100.5;
  Write(folder + "/calls-of-repetitions", count + profile::EncodeDayPoints(points));
}

// Of functions that the target's program has.
void WriteStacks(const std::string& folder) {
  profile::ImageStacks stacks;
  stacks.functions = {0, 1, 0x41, 0xff};
  stacks.frames = {{1, 7}, {3, 0}, {1, 7}, {0, 0}, {2, 0x1234}, {4, 0}, {2, 0}};
  stacks.stacks = {{2, 12}, {4, 1}, {1, uint64_t{1} << 39}};
  WriteBoth(folder + "/three-stacks", profile::EncodeStacks(stacks));
}

// A base after its length, and a delta against it.
void WriteDelta(const std::string& folder) {
  std::string base = "_ZN4base4HashERKSs _ZN4base5CrcERKSs _ZN5query4PlanEv";
  const std::string content = base + " _ZN5query7ExplainEv";
  const std::string delta = store::EncodeDelta(content, base);
  Write(folder + "/delta", static_cast<char>(base.size()) + base + delta);
  Write(folder + "/without-base", '\0' + delta);
  Write(folder + "/frame", store::FrameOf(content));
}

void WriteSegments(const std::string& folder) {
  store::SegmentWriter writer;
  Write(folder + "/empty", store::SegmentWriter().Finish());
  for (const std::string bytes : {"symbols of a test", "", "calls of a test"}) {
    writer.Add(base::Sha256Hex(bytes), bytes);
  }
  Write(folder + "/three", writer.Finish());
}

}  // namespace
}  // namespace gprofhub::tests

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " FUZZ_FOLDER\n";
    return 2;
  }
  const std::string folder = argv[1] + std::string("/corpus");
  const std::string series = argv[1] + std::string("/series/corpus");
  gprofhub::tests::WriteProfiles(folder + "/gmon_reader");
  gprofhub::tests::WriteBundle(folder + "/symbol_bundle");
  gprofhub::tests::WriteComputed(folder + "/computed_codec", series + "/series_codec");
  gprofhub::tests::WriteChunks(series + "/series_chunk");
  gprofhub::tests::WriteSummaries(series + "/summaries");
  gprofhub::tests::WriteDelta(argv[1] + std::string("/delta/corpus/content_delta"));
  gprofhub::tests::WriteSegments(argv[1] + std::string("/archive/corpus/segment_index"));
  gprofhub::tests::WriteStacks(folder + "/stacks_codec");
  return 0;
}
