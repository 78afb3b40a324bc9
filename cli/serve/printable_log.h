// The log's one way out.
#pragma once

#include <spdlog/formatter.h>

#include <memory>

namespace gprofhub::cli {

// spdlog's usual line, with the message made printable (base/printable.h): it may quote
// names from anywhere, and none of them may look like a line of its own or command the
// terminal.
std::unique_ptr<spdlog::formatter> PrintableLogLines();

}  // namespace gprofhub::cli
