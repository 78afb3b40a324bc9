// A peer of an HTTP port that sends arbitrary bytes, for tests.
#pragma once

#include <cstdint>
#include <string>

namespace gprofhub::server {

// A connection to 127.0.0.1 that sends `text` and then nothing. Fails the test if it cannot
// connect.
int ConnectAndSay(uint16_t port, const std::string& text);

// All bytes received until the other end closes the connection, which this closes, too.
std::string ReadAll(int fd);

}  // namespace gprofhub::server
