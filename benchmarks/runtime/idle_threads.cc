// Starts the given number of threads, which wait for five seconds.
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

int main(int count, char** arguments) {
  std::mutex mutex;
  std::condition_variable over;
  bool is_over = false;
  std::vector<std::thread> threads(count > 1 ? std::atoi(arguments[1]) : 1);
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      std::unique_lock<std::mutex> lock(mutex);
      over.wait(lock, [&] { return is_over; });
    });
  }
  std::this_thread::sleep_for(std::chrono::seconds(5));
  {
    const std::lock_guard<std::mutex> lock(mutex);
    is_over = true;
  }
  over.notify_all();
  for (std::thread& thread : threads) thread.join();
}
