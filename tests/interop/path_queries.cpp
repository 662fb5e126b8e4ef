// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends a new PathRecord query every few milliseconds and repeats each query until it is answered,
// as clients do. The destination is the MasterSMLID that the client's port has at that time.
//   path_queries SGID DGID INTERVAL_MS REPEAT_MS   (GIDs: 32 hex digits)
// At the end of standard input, sends no new queries and waits up to a minute for the answers.
// Prints a line for each query: "SENT_MS ANSWERED_MS TRIES STATUS DLID", or "SENT_MS lost TRIES".
// Times are of the monotonic clock. A response with status BUSY does not count as an answer.
#include <infiniband/umad.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "raw_mad.h"

namespace {

using namespace raw_mad;
using Clock = std::chrono::steady_clock;

constexpr unsigned kDirected = 0x81, kPath = 0x35, kPortInfo = 0x15, kBusy = 1;
constexpr std::uint64_t kGids = 0xC;     // component mask of both GIDs
constexpr int kMasterLidAt = 64 + 18;    // offset of MasterSMLID in PortInfo
constexpr int kDlidAt = kRecordAt + 40;  // offset in a PathRecord
constexpr int kRefreshMs = 20, kLastAnswersMs = 60000;

struct Query {
  double sent, last;
  int tries;
};

class Client {
 public:
  Client(int port, int lid, const Mad& query)
      : port_(port), lid_(lid), query_(query), buffer_(umad_size() + kMad) {}

  bool register_agents() {
    // ibsim's library crashes on a request of a class that the program has not registered.
    directed_ = umad_register(port_, kDirected, 1, 0, nullptr);
    agent_ = umad_register(port_, kSaClass, kSaVersion, 0, nullptr);
    return directed_ >= 0 && agent_ >= 0 && umad_register(port_, 1, 1, 0, nullptr) >= 0;
  }

  void run(double interval, double repeat) {
    double next = 0, refreshed = 0, ended = 0;
    while (ended == 0 || (!open_.empty() && now() < ended + kLastAnswersMs)) {
      if (ended == 0 && has_ended()) ended = now();
      if (now() >= refreshed + kRefreshMs) {
        request_port_info();
        refreshed = now();
      }
      if (ended == 0 && now() >= next) {
        next = now() + interval;
        open_[++id_] = {now(), 0, 0};
      }
      for (auto& [id, query] : open_)
        if (query.tries == 0 || now() >= query.last + repeat) send(id, query);
      receive();
    }
    for (const auto& [id, query] : open_) std::printf("%.1f lost %d\n", query.sent, query.tries);
  }

 private:
  static double now() {
    return std::chrono::duration<double, std::milli>(Clock::now().time_since_epoch()).count();
  }
  static bool has_ended() {
    pollfd state{STDIN_FILENO, POLLIN, 0};
    return poll(&state, 1, 0) > 0;
  }
  void send(std::uint32_t id, Query& query) {
    Mad mad = query_;
    put(mad, kTransactionAt, 8, id);
    query.last = now();
    ++query.tries;
    put_on_wire(mad, agent_, lid_, 1, kQkey);
  }
  void put_on_wire(const Mad& mad, int agent, int lid, int queue_pair, int key) {
    std::memset(buffer_.data(), 0, buffer_.size());
    std::memcpy(umad_get_mad(buffer_.data()), mad.data(), mad.size());
    umad_set_addr(buffer_.data(), lid, queue_pair, 0, key);
    umad_send(port_, agent, buffer_.data(), kMad, 1000, 0);
  }
  /// Requests PortInfo of the port of this client. The kernel of a host reads the LID of the master
  /// from PortInfo, too.
  void request_port_info() {
    Mad mad{};
    put(mad, 0, 4, 0x01u << 24 | kDirected << 16 | 0x01u << 8 | kGet);
    put(mad, kTransactionAt, 8, 1);
    put(mad, kAttributeAt, 2, kPortInfo);
    put(mad, 32, 4, 0xFFFFFFFF);  // the whole path is directed
    put_on_wire(mad, directed_, 0xFFFF, 0, 0);
  }
  void receive() {
    int length = kMad;
    const int agent = umad_recv(port_, buffer_.data(), &length, 2);
    if (agent < 0 || umad_status(buffer_.data()) != 0) return;
    Mad mad{};
    std::memcpy(mad.data(), umad_get_mad(buffer_.data()), mad.size());
    if ((mad[kMethodAt] & kResponse) == 0) return;
    if (mad[1] == kDirected) {
      const auto lid = static_cast<int>(get(mad, kMasterLidAt, 2));
      if (lid != 0) lid_ = lid;
      return;
    }
    const auto found = open_.find(static_cast<std::uint32_t>(get(mad, kTransactionAt, 8)));
    if (mad[1] != kSaClass || found == open_.end()) return;
    const auto status = static_cast<unsigned>(get(mad, kStatusAt, 2));
    if (status == kBusy) return;
    const Query& query = found->second;
    std::printf("%.1f %.1f %d %x %x\n", query.sent, now(), query.tries, status,
                static_cast<unsigned>(get(mad, kDlidAt, 2)));
    open_.erase(found);
  }

  int port_, agent_ = -1, directed_ = -1, lid_;
  Mad query_;
  std::vector<std::uint8_t> buffer_;
  std::map<std::uint32_t, Query> open_;
  std::uint32_t id_ = 0;
};

/// Writes a GID of 32 hex digits; false if `digits` is no GID.
bool put_gid(Mad& mad, int at, const std::string& digits) {
  if (digits.size() != 32 || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
    return false;
  put(mad, at, 8, std::stoull(digits.substr(0, 16), nullptr, 16));
  put(mad, at + 8, 8, std::stoull(digits.substr(16), nullptr, 16));
  return true;
}

int fail(int status, const char* message) {
  std::fprintf(stderr, "path_queries: %s\n", message);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  Mad query = request(kGet, kPath, 0, kGids);
  if (argc != 5 || !put_gid(query, kRecordAt + 24, argv[1]) ||
      !put_gid(query, kRecordAt + 8, argv[2]))
    return fail(2, "usage: path_queries SGID DGID INTERVAL_MS REPEAT_MS (GIDs: 32 hex digits)");
  umad_port_t where{};
  if (umad_init() < 0 || umad_get_port(nullptr, 0, &where) < 0)
    return fail(3, "no local port to send queries from");
  const int port = umad_open_port(where.ca_name, where.portnum);
  if (port < 0) return fail(3, "cannot open the local port");
  Client client(port, static_cast<int>(where.sm_lid), query);
  if (!client.register_agents()) return fail(3, "cannot register the agents at the local port");
  client.run(std::atof(argv[3]), std::atof(argv[4]));
  umad_close_port(port);
  umad_release_port(&where);
  return 0;
}
