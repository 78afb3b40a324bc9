#include "collector/calls/method.h"

namespace gprofhub::collector {
namespace {

constexpr size_t kPieceBytes = 64 << 10;

}  // namespace

NextMessage OneMessage(std::string message) {
  return [message = std::optional<std::string>(std::move(message))]() mutable {
    return std::exchange(message, std::nullopt);
  };
}

NextMessage InPieces(std::string text, std::function<std::string(std::string piece)> wrap) {
  return [text = std::move(text), at = size_t{0},
          wrap = std::move(wrap)]() mutable -> std::optional<std::string> {
    if (at >= text.size()) return std::nullopt;
    std::string piece = text.substr(at, kPieceBytes);
    at += piece.size();
    return wrap(std::move(piece));
  };
}

}  // namespace gprofhub::collector
