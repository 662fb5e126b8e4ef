// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Load generator for the subnet administration, used by bench/sa.py. It sends the next query when a
// query is answered, and prints the result as one JSON object.
//   sa_load gets COUNT WINDOW    Get(PathRecord) between random ports; standard input lists their
//                                GUIDs; WINDOW queries are outstanding. A query without an answer
//                                is counted, and sent again after two seconds
//   sa_load nodes|paths COUNT    GetTable of all NodeRecords, or of all PathRecords from the first
//                                port of the list; each query ends with its last segment
//   sa_load answer               server: returns every Get as its answer, until the program is
//                                killed. This measures the minimum time of simulator and
//                                client, which is included in the time of every server.
#include <arpa/inet.h>
#include <fcntl.h>
#include <infiniband/umad.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "../tests/interop/raw_mad.h"

namespace {

using namespace raw_mad;

constexpr int kSmClass = 0x01, kDirectedClass = 0x81;
constexpr unsigned kNodeRecord = 0x11, kPathRecord = 0x35;
constexpr std::uint64_t kDgidBit = 1 << 2, kSgidBit = 1 << 3;
constexpr std::uint64_t kPrefix = 0xFE80000000000000;
constexpr std::uint32_t kWindow = 64;  // segments permitted by each acknowledgement
constexpr int kTimeoutMs = 2000;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Mad path_request(unsigned method, std::uint32_t transaction, std::uint64_t from, std::uint64_t to) {
  Mad mad = request(method, kPathRecord, transaction, kSgidBit | (to == 0 ? 0 : kDgidBit));
  put(mad, kRecordAt + 8, 8, kPrefix);
  put(mad, kRecordAt + 16, 8, to);
  put(mad, kRecordAt + 24, 8, kPrefix);
  put(mad, kRecordAt + 32, 8, from);
  return mad;
}

class Port {
 public:
  /// Opens the default port, and registers for received Gets if `serves`. False on an error.
  bool open(bool serves) {
    umad_port_t where{};
    if (umad_init() < 0 || umad_get_port(nullptr, 0, &where) < 0) return false;
    lid_ = static_cast<int>(where.sm_lid);
    port_ = umad_open_port(where.ca_name, where.portnum);
    if (port_ < 0) return false;
    std::array<long, 16 / sizeof(long)> methods{};
    if (serves) methods[0] = 1L << kGet;
    agent_ = umad_register(port_, kSaClass, kSaVersion, 0, methods.data());
    // ibsim delivers requests to the port with IsSM, and crashes on a request of an unregistered
    // class.
    std::array<char, 256> path{};
    if (serves && (umad_register(port_, kSmClass, 1, 0, methods.data()) < 0 ||
                   umad_register(port_, kDirectedClass, 1, 0, methods.data()) < 0 ||
                   umad_get_issm_path(where.ca_name, where.portnum, path.data(), path.size()) < 0 ||
                   ::open(path.data(), O_NONBLOCK) < 0))
      return false;
    umad_release_port(&where);
    buffer_.resize(umad_size() + kMad);
    return agent_ >= 0;
  }
  /// Returns every request to its sender as an answer.
  void answer() {
    for (;;) {
      int length = kMad;
      if (umad_recv(port_, buffer_.data(), &length, -1) != agent_) continue;
      auto* mad = static_cast<std::uint8_t*>(umad_get_mad(buffer_.data()));
      ib_mad_addr_t* from = umad_get_mad_addr(buffer_.data());
      umad_set_addr_net(buffer_.data(), from->lid, from->qpn, from->sl,
                        htonl(static_cast<std::uint32_t>(kQkey)));
      mad[kMethodAt] |= kResponse;
      umad_send(port_, agent_, buffer_.data(), kMad, 0, 0);
    }
  }
  void send(const Mad& mad, int timeout_ms) {
    std::memset(buffer_.data(), 0, buffer_.size());
    std::memcpy(umad_get_mad(buffer_.data()), mad.data(), mad.size());
    umad_set_addr(buffer_.data(), lid_, 1, 0, kQkey);
    if (umad_send(port_, agent_, buffer_.data(), kMad, timeout_ms, 0) < 0) std::perror("umad_send");
  }
  bool receive(Mad& mad, int timeout_ms) {
    int length = kMad;
    if (umad_recv(port_, buffer_.data(), &length, timeout_ms) < 0) return false;
    if (umad_status(buffer_.data()) != 0) return false;
    std::memcpy(mad.data(), umad_get_mad(buffer_.data()), mad.size());
    return true;
  }

 private:
  int port_ = -1, agent_ = -1, lid_ = 0;
  std::vector<std::uint8_t> buffer_;
};

/// Random numbers, equal in each run.
class RandomNumbers {
 public:
  std::size_t below(std::size_t count) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>((state_ >> 33) % count);
  }

 private:
  std::uint64_t state_ = 1;
};

// ---- Gets

struct Query {
  std::uint32_t transaction = 0;
  std::uint64_t from = 0, to = 0;
  Clock::time_point since, first;
};

class Gets {
 public:
  Gets(Port& port, const std::vector<std::uint64_t>& guids, std::uint32_t count, std::size_t window)
      : port_(port), guids_(guids), count_(count), slots_(window) {}

  int run() {
    const auto begin = Clock::now();
    for (Query& slot : slots_) start(slot);
    while (answered_ < count_) {
      Mad mad{};
      if (port_.receive(mad, kTimeoutMs / 4))
        receive(mad);
      else
        retry_lost();
      if (lost_ > count_) {
        std::fprintf(stderr,
                     "sa_load: %u of %u queries without an answer, ended after %u answers\n", lost_,
                     count_, answered_);
        return 1;
      }
    }
    const double seconds = seconds_since(begin);
    std::ranges::sort(micros_);
    std::printf(
        "{\"count\": %u, \"seconds\": %.6f, \"median_us\": %.1f, \"p99_us\": %.1f, \"lost\": %u, "
        "\"refused\": %u}\n",
        answered_, seconds, micros_[micros_.size() / 2], micros_[micros_.size() * 99 / 100], lost_,
        refused_);
    return 0;
  }

 private:
  void start(Query& slot) {
    if (started_ == count_) {
      slot = {};
      return;
    }
    slot.transaction = ++started_;
    slot.from = guids_[random_.below(guids_.size())];
    slot.to = guids_[random_.below(guids_.size())];
    slot.first = Clock::now();
    send(slot);
  }
  void send(Query& slot) {
    slot.since = Clock::now();
    port_.send(path_request(kGet, slot.transaction, slot.from, slot.to), kTimeoutMs);
  }
  void receive(const Mad& mad) {
    const auto slot = std::ranges::find(
        slots_, static_cast<std::uint32_t>(get(mad, kTransactionAt + 4, 4)), &Query::transaction);
    if (slot == slots_.end() || slot->transaction == 0 || (mad[kMethodAt] & kResponse) == 0) return;
    ++answered_;
    if (get(mad, kStatusAt, 2) != 0 || get(mad, kRecordAt + 16, 8) != slot->to) ++refused_;
    if (micros_.size() < 1'000'000) micros_.push_back(seconds_since(slot->first) * 1e6);
    start(*slot);
  }
  void retry_lost() {
    for (Query& slot : slots_)
      if (slot.transaction != 0 && seconds_since(slot.since) > kTimeoutMs / 1e3) {
        ++lost_;
        send(slot);
      }
  }

  Port& port_;
  const std::vector<std::uint64_t>& guids_;
  const std::uint32_t count_;
  std::vector<Query> slots_;
  RandomNumbers random_;
  std::uint32_t started_ = 0, answered_ = 0, lost_ = 0, refused_ = 0;
  std::vector<double> micros_;
};

// ---- tables

struct Table {
  double first_s = 0, whole_s = 0;
  std::uint64_t bytes = 0, offset = 0;
};

/// Returns false if the transfer fails or does not end.
bool fetch(Port& port, const Mad& query, Table& table) {
  const auto begin = Clock::now();
  port.send(query, 60'000);
  std::uint64_t segment = 0;
  Mad mad{};
  while (port.receive(mad, segment == 0 ? 60'000 : kTimeoutMs)) {
    if (get(mad, kTransactionAt + 4, 4) != get(query, kTransactionAt + 4, 4) ||
        (mad[kMethodAt] & kResponse) == 0)
      continue;
    if (get(mad, kStatusAt, 2) != 0) return false;
    if (segment == 0) table.first_s = table.whole_s = seconds_since(begin);
    table.offset = get(mad, kOffsetAt, 2) * 8;
    if (mad[kRmppTypeAt] !=
        kData) {  // not a segment: OpenSM left the segmentation to the kernel, which ibsim lacks
      table.bytes = 168;
      return true;
    }
    if (get(mad, kSegmentAt, 4) != segment + 1) continue;
    ++segment;
    const bool last = (mad[kRmppFlagsAt] & kLast) != 0;
    table.bytes += last ? get(mad, kLengthAt, 4) - kSaHeader : kMad - kRecordAt;
    if (last || segment == 1 || segment % (kWindow / 2) == 0)
      port.send(acknowledgement(mad, segment, kWindow), 0);
    if (last) {
      table.whole_s = seconds_since(begin);
      return true;
    }
  }
  return false;
}

int fetch_tables(Port& port, bool paths, std::uint64_t from, std::uint32_t count) {
  std::vector<double> first, whole;
  Table table;
  for (std::uint32_t i = 1; i <= count; ++i) {
    table = {};
    if (!fetch(port,
               paths ? path_request(kGetTable, i, from, 0) : request(kGetTable, kNodeRecord, i, 0),
               table)) {
      std::fprintf(stderr, "sa_load: GetTable %u of %u: refused, or the last segment is missing\n",
                   i, count);
      return 1;
    }
    first.push_back(table.first_s);
    whole.push_back(table.whole_s);
  }
  std::ranges::sort(first);
  std::ranges::sort(whole);
  std::printf(
      "{\"count\": %u, \"first_s\": %.6f, \"whole_s\": %.6f, \"bytes\": %llu, \"record\": %llu}\n",
      count, first[count / 2], whole[count / 2], static_cast<unsigned long long>(table.bytes),
      static_cast<unsigned long long>(table.offset));
  return 0;
}

int fail(int status, const char* message) {
  std::fprintf(stderr, "sa_load: %s\n", message);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr const char* kNoPort = "cannot open the default port";
  const std::string_view what = argc > 2 ? argv[1] : "";
  const auto number = [&](int at) {
    return argc > at ? static_cast<std::uint32_t>(std::strtoul(argv[at], nullptr, 10)) : 1u;
  };
  if (argc == 2 && std::string_view(argv[1]) == "answer") {
    Port port;
    if (!port.open(true)) return fail(3, kNoPort);
    port.answer();
  }
  std::vector<std::uint64_t> guids;
  for (std::string word; std::cin >> word;) guids.push_back(std::stoull(word, nullptr, 16));
  const bool tables = what == "nodes" || what == "paths";
  if ((!tables && what != "gets") || guids.empty() || number(2) == 0 || number(3) == 0)
    return fail(2,
                "usage: sa_load gets COUNT WINDOW | nodes COUNT | paths COUNT | answer, with the "
                "GUIDs on standard input");
  Port port;
  if (!port.open(false)) return fail(3, kNoPort);
  if (tables) return fetch_tables(port, what == "paths", guids[0], number(2));
  return Gets(port, guids, number(2), number(3)).run();
}
