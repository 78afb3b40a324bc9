// The token of the command line, or that of the CI job that the command runs in.
#pragma once

#include "ci/upload/token_source.h"
#include "cli/command/command.h"

namespace gprofhub::cli {

// The options' token if there is one. Else, in a job of GitHub Actions that may have ID tokens and
// where GPROFHUB_ID_TOKEN_AUDIENCE is set, the job's. Else none.
ci::TokenSource TokenSourceOf(const ServerOptions& options);

}  // namespace gprofhub::cli
