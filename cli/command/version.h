// Which gprofhub this is.

#ifndef GPROFHUB_CLI_VERSION_VERSION_H_
#define GPROFHUB_CLI_VERSION_VERSION_H_

namespace gprofhub::cli {

// Three numbers, such as "0.1.0": the contents of the file VERSION at the top of this repository.
extern const char kVersion[];

}  // namespace gprofhub::cli

#endif  // GPROFHUB_CLI_VERSION_VERSION_H_
