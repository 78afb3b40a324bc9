// The program as the process that analyses for a server (analyzer/worker/child/analysis_child.h).
#pragma once

namespace gprofhub::cli {

// The first argument of such a process. Internal, not a command for users.
inline constexpr char kAnalysisProcess[] = "analysis-process";

// Analyses until the server closes the connection. Returns, with an exit code, only if the
// arguments are wrong.
int RunAnalysisProcess(int argc, char** argv);

}  // namespace gprofhub::cli
