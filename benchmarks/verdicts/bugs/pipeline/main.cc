// Messages go through stages in worker threads: parsed, checked, transformed, stored. The argument
// is the number of thousands of messages.
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <thread>
#include <unordered_map>

#include "message.h"
#include "store.h"

namespace {

const bool kIsVerbose = std::getenv("PIPELINE_VERBOSE") != nullptr;

void Log(const std::string& text) {
  if (kIsVerbose) std::fputs(text.c_str(), stderr);
}

void AddOne(Message& message) {
  for (int& value : message.values) value += 1;
}

void Reverse(Message& message) {
  for (size_t i = 0, j = message.values.size(); i + 1 < j; ++i)
    std::swap(message.values[i], message.values[--j]);
}

std::string TextOf(int number) {
  std::string text = "key" + std::to_string(number % 97) + ":";
  for (int i = 0; i < 12; ++i) text += std::to_string((number * 31 + i * 17) % 5000) + ",";
  text.pop_back();
  return number % 8 == 0 ? text + ",x" : text;
}

// Where messages of a key go: by a sum of its letters, kept.
class Router {
 public:
  int RouteOf(const std::string& key);

 private:
  std::unordered_map<std::string, int> known_;
};

int Router::RouteOf(const std::string& key) {
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  uint32_t sum = 0;
  for (int round = 0; round < 100; ++round) {
    for (char c : key) sum = sum * 31 + c + round;
  }
  return known_[key] = static_cast<int>(sum % 7);
}

class Worker {
 public:
  explicit Worker(Store& store)
      : store_(store), checks_(ChecksOf("length range")), transforms_{AddOne, Reverse} {}
  void Run(int first, int last);

 private:
  void Handle(const std::string& text, int number);
  void Flush();
  Store& store_;
  Checks checks_;
  std::vector<Transform> transforms_;
  Router router_;
  Batch batch_;
  std::deque<std::string> waiting_;
};

void Worker::Flush() {
  store_.AddAll(batch_);
  batch_.clear();
}

void Worker::Handle(const std::string& text, int number) {
  std::optional<Message> message = Parse(text);
  if (!message.has_value()) return;
  if (!AcceptsAll(checks_, *message)) return;
  ApplyAll(transforms_, *message);
  if (kIsVerbose) Log(std::to_string(number) + ": " + Describe(*message));
  batch_.emplace_back(message->key, Digest(*message) + router_.RouteOf(message->key));
  if (batch_.size() >= 64) Flush();
}

void Worker::Run(int first, int last) {
  for (int i = first; i < last;) {
    for (int end = std::min(last, i + 4000); i < end; ++i) waiting_.push_back(TextOf(i));
    for (int number = i; !waiting_.empty(); ++number) {
      Handle(waiting_.front(), number);
      waiting_.pop_front();
    }
  }
  Flush();
}

}  // namespace

int main(int argc, char** argv) {
  const int messages = 1000 * (argc > 1 ? std::atoi(argv[1]) : 40);
  Store store;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(
        [&store, i, messages] { Worker(store).Run(messages / 4 * i, messages / 4 * (i + 1)); });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%llu\n", static_cast<unsigned long long>(store.Sum()));
  return 0;
}
