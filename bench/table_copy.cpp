// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Measures T, the unit of bench/figures.py: the time of one memcpy of all forwarding tables of a
// subnet, with two threads that copy half of them each. Prints one JSON object with the seconds of
// every sample.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kThreads = 2;

double copy_seconds(const std::vector<unsigned char>& from, std::vector<unsigned char>& to) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      const std::size_t first = from.size() * t / kThreads;
      std::memcpy(to.data() + first, from.data() + first, from.size() * (t + 1) / kThreads - first);
    });
  for (std::thread& thread : threads) thread.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i) { return argc == 4 ? std::strtoul(argv[i], nullptr, 10) : 0; };
  const std::size_t bytes = number(1) * number(2), samples = number(3);
  if (bytes == 0 || samples == 0) {
    fmt::print(
        stderr,
        "usage: table_copy LIDS SWITCHES SAMPLES (three numbers above 0), found {} arguments\n",
        argc - 1);
    return 2;
  }
  const std::vector<unsigned char> from(bytes, 1);
  std::vector<unsigned char> to(bytes, 2);
  copy_seconds(from, to);  // the first copy maps pages and starts threads
  std::string seconds;
  for (std::size_t i = 0; i < samples; ++i)
    seconds += fmt::format("{}{}", i == 0 ? "" : ", ", copy_seconds(from, to));
  if (to != from) return 1;
  fmt::print("{{\"bytes\": {}, \"threads\": {}, \"seconds\": [{}]}}\n", bytes, kThreads, seconds);
  return 0;
}
