#include "cli/serve/process/analysis_process.h"

#include <cstdint>

#include "analyzer/worker/analyze_target.h"
#include "analyzer/worker/child/analysis_child.h"
#include "analyzer/worker/child/serve_analyses.h"

namespace gprofhub::cli {

int RunAnalysisProcess(int argc, char** argv) {
  int parent = 0;
  uint64_t memory = 0;
  if (!analyzer::ArgumentsOf(argc, argv, parent, memory)) return 2;
  analyzer::ServeAnalyses(parent, memory, analyzer::AnalyzeTarget);
}

}  // namespace gprofhub::cli
