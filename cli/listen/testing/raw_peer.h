// A peer of an HTTP port that says what it likes, for tests.
#pragma once

#include <cstdint>
#include <string>

namespace gprofhub::cli {

// A connection to 127.0.0.1 that says `text` and no more. Fails the test if it does not come about.
int ConnectAndSay(uint16_t port, const std::string& text);

// All that the other side says until it ends the connection, which this closes.
std::string ReadAll(int fd);

}  // namespace gprofhub::cli
