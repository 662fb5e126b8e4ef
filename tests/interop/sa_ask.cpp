// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends raw SA requests, one per line of standard input, all in hex:
//   METHOD ATTRIBUTE MODIFIER COMPONENT_MASK SM_KEY RECORD
// and prints for each a line "METHOD STATUS OFFSET LENGTH DATA", or "silence" if no response
// arrives. OFFSET is the attribute offset of the SA header, in units of 8 bytes, LENGTH the payload
// length of the RMPP header (0 without RMPP), DATA the received data, all in hex. The RMPP receiver
// is a separate implementation, independent of Weft. It acknowledges segments, so that tables of
// many segments are complete. OpenSM relies on the kernel for segmentation; start it with the
// library umad_kernel, otherwise only the first segment arrives, without a length. The last 32
// bytes of each segment are printed as 0, because ibsim's library does not deliver them. After the
// line "reports", which must be the last line, the program acknowledges Reports until the end of
// the input, and prints "report NOTICE ISSUER_GID" for each Report. ibsim delivers requests only to
// clients that have set IsSM. The line "issm" sets IsSM, without output.
//   sa_ask [-t MILLISECONDS] [-w WINDOW]
// -t: timeout of a request (default 2000); -w: RMPP window of the receiver in segments (default 4)
#include <arpa/inet.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "raw_mad.h"

namespace {

using namespace raw_mad;

constexpr int kDeliveredBytes = 224;  // bytes of a MAD that ibsim's library delivers
constexpr std::uint8_t kSmInfo = 0x20, kDirected = 0x81, kReturns = 0x80;
constexpr int kNotice = 64, kGid = 16;  // bytes

class Requester {
 public:
  Requester(int port, int agent, int lid)
      : port_(port), agent_(agent), lid_(lid), buffer_(umad_size() + kMad) {}

  void send(const Mad& mad, int timeout) {
    std::memset(buffer_.data(), 0, buffer_.size());
    std::memcpy(umad_get_mad(buffer_.data()), mad.data(), mad.size());
    umad_set_addr(buffer_.data(), lid_, 1, 0, kQkey);
    if (umad_send(port_, agent_, buffer_.data(), kMad, timeout, 0) < 0) std::perror("umad_send");
  }
  bool receive(Mad& mad, int timeout) {
    do {
      int length = kMad;
      const int agent = umad_recv(port_, buffer_.data(), &length, timeout);
      if (agent < 0 || umad_status(buffer_.data()) != 0) return false;
      std::memcpy(mad.data(), umad_get_mad(buffer_.data()), mad.size());
      std::fill(mad.begin() + kDeliveredBytes, mad.end(), std::uint8_t{0});
      if (mad[1] != kSaClass) answer_as_manager(agent);
    } while (mad[1] != kSaClass);
    return true;
  }

 private:
  /// Answers SMInfo queries with the state NOTACTIVE: other managers query a port with IsSM, and
  /// OpenSM waits for the response.
  void answer_as_manager(int agent) {
    auto* mad = static_cast<std::uint8_t*>(umad_get_mad(buffer_.data()));
    if (mad[kMethodAt] != kGet || mad[17] != kSmInfo) return;
    mad[kMethodAt] = kGet | kResponse;
    if (mad[1] == kDirected) mad[4] |= kReturns;
    std::memset(mad + 64, 0, 64);
    mad[64 + 7] = 1;  // a GUID
    umad_send(port_, agent, buffer_.data(), kMad, 0, 0);
  }

  int port_, agent_, lid_;
  std::vector<std::uint8_t> buffer_;
};

struct Answer {
  Mad first{};
  std::vector<std::uint8_t> data;
  std::uint64_t payload_length = 0;
};

/// Collects a response; false if a segment does not arrive.
bool collect(Requester& requester, std::uint32_t transaction, int timeout, std::uint64_t window,
             Answer& answer) {
  Mad mad{};
  std::uint64_t segment = 0;
  while (requester.receive(mad, segment == 0 ? timeout : timeout / 4 + 1)) {
    if ((get(mad, kTransactionAt, 8) & 0xFFFFFFFF) != transaction ||
        (mad[kMethodAt] & kResponse) == 0)
      continue;
    const std::uint8_t flags = mad[kRmppFlagsAt] & 7;
    if ((flags & kActive) == 0) {
      answer.first = mad;
      answer.data.assign(mad.begin() + kRecordAt, mad.end());
      return true;
    }
    if (mad[kRmppTypeAt] == 0) {  // the sender relies on the kernel for RMPP, which ibsim lacks
      answer.first = mad;
      answer.data.assign(mad.begin() + kRecordAt, mad.end());
      return true;
    }
    if (mad[kRmppTypeAt] != kData || get(mad, kSegmentAt, 4) != segment + 1) continue;
    if (++segment == 1) {
      answer.first = mad;
      answer.payload_length = get(mad, kLengthAt, 4);
    }
    std::size_t length = kMad - kRecordAt;
    if ((flags & kLast) != 0 && get(mad, kLengthAt, 4) >= kSaHeader)
      length = std::min<std::size_t>(length, get(mad, kLengthAt, 4) - kSaHeader);
    answer.data.insert(answer.data.end(), mad.begin() + kRecordAt,
                       mad.begin() + kRecordAt + static_cast<long>(length));
    const bool last = (flags & kLast) != 0;
    if (last || segment % window == 0 || segment == 1)
      requester.send(acknowledgement(mad, segment, window), 0);
    if (last) return true;
  }
  return false;
}

/// Registers for incoming requests of a method.
int register_for(int port, int mgmt_class, int version, unsigned method) {
  std::array<long, 16 / sizeof(long)> methods{};
  methods[0] = 1L << method;
  return umad_register(port, mgmt_class, version, 0, methods.data());
}

std::string hex_of(const std::uint8_t* bytes, std::size_t count) {
  std::string hex(count * 2, '0');
  for (std::size_t i = 0; i < count; ++i) std::snprintf(&hex[2 * i], 3, "%02x", bytes[i]);
  return hex;
}

bool has_ended(int file) {
  pollfd state{file, POLLIN, 0};
  return poll(&state, 1, 0) > 0;
}

void listen(Requester& requester) {
  while (!has_ended(STDIN_FILENO)) {
    Mad mad{};
    if (!requester.receive(mad, 100) || mad[kMethodAt] != kReport) continue;
    std::cout << "report " << hex_of(&mad[kRecordAt], kNotice) << ' '
              << hex_of(&mad[kRecordAt + kNotice], kGid) << std::endl;
    mad[kMethodAt] = kReport | kResponse;
    requester.send(mad, 0);
  }
}

bool parse(const std::string& line, std::uint32_t transaction, Mad& mad) {
  std::istringstream words(line);
  std::uint64_t method, attribute, modifier, mask, key;
  std::string record;
  if (!(words >> std::hex >> method >> attribute >> modifier >> mask >> key)) return false;
  words >> record;
  if (record.find_first_not_of("0123456789abcdef") != std::string::npos) return false;
  mad = request(static_cast<unsigned>(method), static_cast<unsigned>(attribute), transaction, mask);
  put(mad, kModifierAt, 4, modifier);
  put(mad, kSmKeyAt, 8, key);
  if (method == kGetMulti) {  // the request is one RMPP segment
    put(mad, kRmppTypeAt, 1, kData);
    put(mad, kRmppFlagsAt, 1, kActive | kFirst | kLast);
    put(mad, kSegmentAt, 4, 1);
    put(mad, kLengthAt, 4, kSaHeader + record.size() / 2);
  }
  for (std::size_t i = 0; i + 1 < record.size() && i / 2 < kMad - kRecordAt; i += 2)
    mad[kRecordAt + i / 2] =
        static_cast<std::uint8_t>(std::stoul(record.substr(i, 2), nullptr, 16));
  return true;
}

void print(const Answer& answer) {
  const std::string hex = hex_of(answer.data.data(), answer.data.size());
  std::cout << std::hex << get(answer.first, kMethodAt, 1) << ' ' << get(answer.first, kStatusAt, 2)
            << ' ' << get(answer.first, kOffsetAt, 2) << ' ' << answer.payload_length << ' ' << hex
            << std::endl;
}

int fail(int status, const std::string& message) {
  std::cerr << "sa_ask: " << message << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  int timeout = 2000;
  std::uint64_t window = 4;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "-t") timeout = std::atoi(argv[i + 1]);
    if (std::string(argv[i]) == "-w") window = std::strtoull(argv[i + 1], nullptr, 10);
  }
  umad_port_t where{};
  if (window == 0) return fail(2, "-w: found 0, expected a number above 0");
  if (umad_init() < 0 || umad_get_port(nullptr, 0, &where) < 0)
    return fail(3, "no local port to send requests from");
  const int port = umad_open_port(where.ca_name, where.portnum);
  if (port < 0) return fail(3, "cannot open the local port");
  // ibsim's library crashes on a request of a class that the program has not registered.
  for (const int smp_class : {int{kDirected}, 0x01}) register_for(port, smp_class, 1, kGet);
  const int agent = register_for(port, kSaClass, kSaVersion, kReport);
  if (agent < 0) return fail(3, "cannot register an agent of the SA class at the local port");
  Requester requester(port, agent, static_cast<int>(where.sm_lid));
  std::string line;
  // A late response to a request of an earlier run must not match a request of this run.
  const auto first_transaction = static_cast<std::uint32_t>(getpid()) << 16 | 1;
  for (std::uint32_t transaction = first_transaction; std::getline(std::cin, line); ++transaction) {
    if (line == "issm") {
      std::array<char, 256> path{};
      if (umad_get_issm_path(where.ca_name, where.portnum, path.data(), path.size()) < 0 ||
          open(path.data(), O_NONBLOCK) < 0)
        return fail(3, "cannot set IsSM at the local port");
      continue;
    }
    if (line == "reports") {
      listen(requester);
      break;
    }
    Mad mad{};
    if (!parse(line, transaction, mad))
      return fail(2,
                  "found the line '" + line +
                      "', expected METHOD ATTRIBUTE MODIFIER COMPONENT_MASK SM_KEY RECORD in hex");
    requester.send(mad, timeout);
    Answer answer;
    if (collect(requester, transaction, timeout, window, answer)) {
      print(answer);
    } else {
      std::cout << "silence" << std::endl;
    }
  }
  umad_unregister(port, agent);
  umad_close_port(port);
  umad_release_port(&where);
  return 0;
}
