// Fills a folder with a store for pages: made_store.h.
//
//   make_store FOLDER              the small one, for pictures
//   make_store FOLDER BASE HEAD    with two commits that have source, too
//   make_store FOLDER kinds        findings of every kind
//   make_store FOLDER RUNS         the large one, for speed
#include <spdlog/spdlog.h>

#include <iostream>
#include <string>

#include "absl/strings/numbers.h"
#include "tests/page/made_store.h"

int main(int argc, char** argv) {
  int runs = 0;
  const bool kinds = argc == 3 && std::string(argv[2]) == "kinds";
  if (argc < 2 || argc > 4 || (argc == 3 && !kinds && !absl::SimpleAtoi(argv[2], &runs))) {
    std::cerr << "usage: make_store FOLDER [RUNS | kinds | BASE HEAD]\n";
    return 2;
  }
  spdlog::set_level(spdlog::level::warn);  // not of each analysis
  gprofhub::tests::SourceCommits commits;
  if (argc == 4) commits = {argv[2], argv[3]};
  const absl::Status status = kinds       ? gprofhub::tests::MakeKindsStore(argv[1])
                              : argc == 3 ? gprofhub::tests::MakeLargeStore(argv[1], runs)
                                          : gprofhub::tests::MakeSmallStore(argv[1], commits);
  if (!status.ok()) std::cerr << "make_store: " << status << "\n";
  return status.ok() ? 0 : 1;
}
