// Log sink with one line for each message, safe against injection by quoted text.
//
// A message may quote untrusted names. None of them may look like a line of its own, end a line's
// JSON, or contain terminal escapes.
#pragma once

#include <spdlog/formatter.h>

#include <memory>

namespace gprofhub::server {

enum class LogFormat {
  kText,  // "[time] [gprofhub] [level] message {request=…}", for people
  kJson,  // an object a line, for programs
};

// A message's bytes; what is longer is cut.
inline constexpr size_t kMaxLogMessage = 16 << 10;

// Lines with the fields of base/log_fields.h.
//
// Of kText, what does not print is shown (base/text.h). Of kJson, the members are "time" (RFC
// 3339, UTC), "level", "logger", "message", and the fields; all is ASCII, and bytes that are not
// UTF-8 become U+FFFD.
std::unique_ptr<spdlog::formatter> LogLines(LogFormat format);

// Configures the server's log.

// Sends all logs of this process to stderr, in lines of this format, including those of gRPC and
// libprotobuf, which are limited to a few lines a minute. To be called once, before other threads
// exist.
void LogToStderr(LogFormat format);

}  // namespace gprofhub::server
