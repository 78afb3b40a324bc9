// `gprof` alone, for comparison with the installed one: the conformance test
// need not build the whole of gprofhub.
#include "cli/gprof/command.h"
#include "cli/static_calls/static_calls.h"

int main(int argc, char** argv) {
  static char name[] = "gprof";
  argv[0] = name;
  return gprofhub::cli::GprofMain(argc, argv, gprofhub::cli::ReadStaticCalls);
}
