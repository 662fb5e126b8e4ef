// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends raw SMPs to the subnet manager from an ordinary host of ibsim, one per line of standard
// input, all in hex:
//   METHOD ATTRIBUTE MODIFIER M_KEY TRANSACTION DATA     by LID, to the LID of the manager
//   wait MILLISECONDS (decimal)                          receives for this time
// and prints each MAD received as "METHOD ATTRIBUTE STATUS M_KEY DATA". "ready" is printed first.
//   raw_mads [SECONDS]     sends nothing after this time (default 600), since ibsim blocks if a
//                          manager is busy
#include <infiniband/umad.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "../interop/raw_mad.h"

namespace {

using namespace raw_mad;

constexpr int kSmClass = 0x01, kDirectedClass = 0x81;
constexpr int kKeyAt = 24, kDataAt = 64, kData = 64;
constexpr unsigned kTrap = 0x05, kSet = 0x02;

class Sender {
 public:
  bool open() {
    umad_port_t where{};
    if (umad_init() < 0 || umad_get_port(nullptr, 0, &where) < 0) return false;
    manager_ = static_cast<int>(where.sm_lid);
    port_ = umad_open_port(where.ca_name, where.portnum);
    if (port_ < 0) return false;
    // ibsim's library crashes on a request of a class that the program has not registered.
    std::array<long, 16 / sizeof(long)> methods{};
    methods[0] = 1L << kGet | 1L << kSet | 1L << kTrap;
    umad_register(port_, kDirectedClass, 1, 0, methods.data());
    agent_ = umad_register(port_, kSmClass, 1, 0, methods.data());
    return agent_ >= 0;
  }

  void send(const Mad& mad) {
    std::vector<std::uint8_t> buffer(umad_size() + kMad);
    std::memcpy(umad_get_mad(buffer.data()), mad.data(), mad.size());
    umad_set_addr(buffer.data(), manager_, 0, 0, 0);
    if (umad_send(port_, agent_, buffer.data(), kMad, 0, 0) < 0) std::perror("umad_send");
  }

  /// Receives and prints MADs for this time. If MADs are not received, ibsim's sockets fill and its
  /// server blocks.
  void receive_for(int milliseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    do {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      std::vector<std::uint8_t> buffer(umad_size() + kMad);
      int length = kMad;
      const int wait = left.count() > 0 ? static_cast<int>(left.count()) : 0;
      if (umad_recv(port_, buffer.data(), &length, wait) < 0) continue;
      Mad mad{};
      std::memcpy(mad.data(), umad_get_mad(buffer.data()), mad.size());
      print(mad);
    } while (std::chrono::steady_clock::now() < end);
  }

 private:
  static void print(const Mad& mad) {
    std::cout << std::hex << get(mad, kMethodAt, 1) << ' ' << get(mad, kAttributeAt, 2) << ' '
              << get(mad, kStatusAt, 2) << ' ' << get(mad, kKeyAt, 8) << ' ';
    for (int i = 0; i < kData; ++i) {
      std::array<char, 3> hex{};
      std::snprintf(hex.data(), hex.size(), "%02x", mad[static_cast<std::size_t>(kDataAt + i)]);
      std::cout << hex.data();
    }
    std::cout << std::endl;
  }

  int port_ = -1, agent_ = -1, manager_ = 0;
};

bool parse(const std::string& line, Mad& mad) {
  std::istringstream words(line);
  std::uint64_t method, attribute, modifier, key, transaction;
  std::string data;
  if (!(words >> std::hex >> method >> attribute >> modifier >> key >> transaction)) return false;
  words >> data;
  if (data.find_first_not_of("0123456789abcdef") != std::string::npos) return false;
  put(mad, 0, 1, 1);
  put(mad, 1, 1, kSmClass);
  put(mad, 2, 1, 1);
  put(mad, kMethodAt, 1, method);
  put(mad, kTransactionAt, 8, transaction);
  put(mad, kAttributeAt, 2, attribute);
  put(mad, kModifierAt, 4, modifier);
  put(mad, kKeyAt, 8, key);
  for (std::size_t i = 0; i + 1 < data.size() && i / 2 < std::size_t{kData}; i += 2)
    mad[kDataAt + i / 2] = static_cast<std::uint8_t>(std::stoul(data.substr(i, 2), nullptr, 16));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Sender sender;
  if (!sender.open()) return 3;
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(argc > 1 ? std::atoi(argv[1]) : 600);
  std::cout << "ready" << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.rfind("wait ", 0) == 0) {
      sender.receive_for(std::atoi(line.c_str() + 5));
      continue;
    }
    Mad mad{};
    if (!parse(line, mad)) return 2;
    if (std::chrono::steady_clock::now() > end) continue;
    sender.send(mad);
    sender.receive_for(0);
  }
  return 0;
}
