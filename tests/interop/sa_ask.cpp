// Raw questions to the subnet administration, one a line of standard input, all in hex:
//   METHOD ATTRIBUTE MODIFIER COMPONENT_MASK SM_KEY RECORD
// and for each a line of standard output: "METHOD STATUS OFFSET LENGTH DATA", or "silence". LENGTH
// is what the RMPP header promises (0 without RMPP), DATA what came. The receiver side of RMPP is
// written here once more, so that the judge is not ours: it acknowledges, so tables of many
// segments come whole. OpenSM leaves segments to the kernel, and under ibsim there is none: of its
// tables only the first 168 bytes come. The line "reports MILLISECONDS" acknowledges Reports for so
// long and writes "report NOTICE ISSUER_GID" for each, then "end".
// ibsim brings what is no answer only to who has set IsSM, as does "issm", a line without output.
//   sa_ask [-t MILLISECONDS] [-w WINDOW]
#include <arpa/inet.h>
#include <fcntl.h>
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

namespace {

constexpr int kMad = 256;
constexpr int kSaHeader = 56;
constexpr int kSentByOpenSm = 224;  // bytes of the first MAD of a table that arrive under ibsim
constexpr unsigned kSaClass = 3;
constexpr unsigned kSaVersion = 2;
constexpr unsigned kQkey = 0x80010000;
constexpr std::uint8_t kResponse = 0x80;
constexpr std::uint8_t kGet = 0x01, kReport = 0x06;
constexpr std::uint8_t kSmInfo = 0x20, kDirected = 0x81, kReturns = 0x80;
constexpr int kNotice = 64, kGid = 16;  // bytes
constexpr std::uint8_t kActive = 1, kFirst = 2, kLast = 4;
constexpr std::uint8_t kData = 1, kAck = 2;

using Mad = std::array<std::uint8_t, kMad>;

void put(Mad& mad, int at, int bytes, std::uint64_t value) {
  for (int i = bytes; i-- > 0; value >>= 8)
    mad[static_cast<std::size_t>(at + i)] = static_cast<std::uint8_t>(value);
}
std::uint64_t get(const Mad& mad, int at, int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value = value << 8 | mad[static_cast<std::size_t>(at + i)];
  return value;
}

class Asker {
 public:
  Asker(int port, int agent, int lid)
      : port_(port), agent_(agent), lid_(lid), buffer_(umad_size() + kMad) {}

  void send(const Mad& mad, int timeout) {
    std::memset(buffer_.data(), 0, buffer_.size());
    std::memcpy(umad_get_mad(buffer_.data()), mad.data(), mad.size());
    umad_set_addr(buffer_.data(), lid_, 1, 0, static_cast<int>(kQkey));
    if (umad_send(port_, agent_, buffer_.data(), kMad, timeout, 0) < 0) std::perror("umad_send");
  }
  bool receive(Mad& mad, int timeout) {
    do {
      int length = kMad;
      const int agent = umad_recv(port_, buffer_.data(), &length, timeout);
      if (agent < 0 || umad_status(buffer_.data()) != 0) return false;
      std::memcpy(mad.data(), umad_get_mad(buffer_.data()), mad.size());
      if (mad[1] != kSaClass) answer_as_manager(agent);
    } while (mad[1] != kSaClass);
    return true;
  }

 private:
  /// With IsSM other managers ask us who we are, and OpenSM waits for ever: one that is not active.
  void answer_as_manager(int agent) {
    auto* mad = static_cast<std::uint8_t*>(umad_get_mad(buffer_.data()));
    if (mad[3] != kGet || mad[17] != kSmInfo) return;
    mad[3] = kGet | kResponse;
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
  std::uint64_t promised = 0;
};

/// Acknowledges up to `segment` and opens the window behind it.
void acknowledge(Asker& asker, const Mad& data, std::uint64_t segment, std::uint64_t window) {
  Mad ack = data;
  put(ack, 3, 1, get(data, 3, 1) ^ kResponse);
  put(ack, 25, 1, kAck);
  put(ack, 26, 1, kActive);
  put(ack, 28, 4, segment);
  put(ack, 32, 4, segment + window);
  std::memset(ack.data() + 36, 0, kMad - 36);
  asker.send(ack, 0);
}

/// False without an answer.
bool collect(Asker& asker, std::uint32_t transaction, int timeout, std::uint64_t window,
             Answer& answer) {
  Mad mad{};
  std::uint64_t segment = 0;
  while (asker.receive(mad, segment == 0 ? timeout : timeout / 4 + 1)) {
    if ((get(mad, 8, 8) & 0xFFFFFFFF) != transaction || (mad[3] & kResponse) == 0) continue;
    const std::uint8_t flags = mad[26] & 7;
    if ((flags & kActive) == 0) {
      answer.first = mad;
      answer.data.assign(mad.begin() + kSaHeader, mad.end());
      return true;
    }
    if (mad[25] == 0) {  // left to a kernel that is not there
      answer.first = mad;
      answer.data.assign(mad.begin() + kSaHeader, mad.begin() + kSentByOpenSm);
      return true;
    }
    if (mad[25] != kData || get(mad, 28, 4) != segment + 1) continue;
    if (++segment == 1) {
      answer.first = mad;
      answer.promised = get(mad, 32, 4);
    }
    std::size_t length = kMad - kSaHeader;
    if ((flags & kLast) != 0 && get(mad, 32, 4) >= 20)
      length = std::min<std::size_t>(length, get(mad, 32, 4) - 20);
    answer.data.insert(answer.data.end(), mad.begin() + kSaHeader,
                       mad.begin() + kSaHeader + static_cast<long>(length));
    const bool last = (flags & kLast) != 0;
    if (last || segment % window == 0 || segment == 1) acknowledge(asker, mad, segment, window);
    if (last) return true;
  }
  return segment > 0;
}

/// Requests of one method come to us, too.
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

void listen(Asker& asker, std::chrono::milliseconds span) {
  const auto end = std::chrono::steady_clock::now() + span;
  while (std::chrono::steady_clock::now() < end) {
    Mad mad{};
    if (!asker.receive(mad, 100) || mad[3] != kReport) continue;
    std::cout << "report " << hex_of(&mad[kSaHeader], kNotice) << ' '
              << hex_of(&mad[kSaHeader + kNotice], kGid) << std::endl;
    mad[3] = kReport | kResponse;
    asker.send(mad, 0);
  }
  std::cout << "end" << std::endl;
}

bool parse(const std::string& line, std::uint32_t transaction, Mad& mad) {
  std::istringstream words(line);
  std::uint64_t method, attribute, modifier, mask, key;
  std::string record;
  if (!(words >> std::hex >> method >> attribute >> modifier >> mask >> key)) return false;
  words >> record;
  if (record.find_first_not_of("0123456789abcdef") != std::string::npos) return false;
  put(mad, 0, 1, 1);
  put(mad, 1, 1, kSaClass);
  put(mad, 2, 1, kSaVersion);
  put(mad, 3, 1, method);
  put(mad, 8, 8, transaction);
  put(mad, 16, 2, attribute);
  put(mad, 20, 4, modifier);
  put(mad, 24, 1, 1);
  put(mad, 36, 8, key);
  put(mad, 48, 8, mask);
  if (method == 0x14) {  // GetMulti is one segment of RMPP
    put(mad, 25, 1, kData);
    put(mad, 26, 1, kActive | kFirst | kLast);
    put(mad, 28, 4, 1);
    put(mad, 32, 4, 20 + record.size() / 2);
  }
  for (std::size_t i = 0; i + 1 < record.size() && i / 2 < kMad - kSaHeader; i += 2)
    mad[kSaHeader + i / 2] =
        static_cast<std::uint8_t>(std::stoul(record.substr(i, 2), nullptr, 16));
  return true;
}

void print(const Answer& answer) {
  const std::string hex = hex_of(answer.data.data(), answer.data.size());
  std::cout << std::hex << get(answer.first, 3, 1) << ' ' << get(answer.first, 4, 2) << ' '
            << get(answer.first, 44, 2) << ' ' << answer.promised << ' ' << hex << std::endl;
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
  if (window == 0 || umad_init() < 0 || umad_get_port(nullptr, 0, &where) < 0) return 3;
  const int port = umad_open_port(where.ca_name, where.portnum);
  if (port < 0) return 3;
  // ibsim's library dies of a request to a class that its program has not registered for.
  for (const int smp_class : {int{kDirected}, 0x01}) register_for(port, smp_class, 1, kGet);
  const int agent = register_for(port, kSaClass, kSaVersion, kReport);
  if (agent < 0) return 3;
  Asker asker(port, agent, static_cast<int>(where.sm_lid));
  std::string line;
  for (std::uint32_t transaction = 1; std::getline(std::cin, line); ++transaction) {
    if (line == "issm") {
      std::array<char, 256> path{};
      if (umad_get_issm_path(where.ca_name, where.portnum, path.data(), path.size()) < 0 ||
          open(path.data(), O_NONBLOCK) < 0)
        return 3;
      continue;
    }
    if (line.rfind("reports ", 0) == 0) {
      listen(asker, std::chrono::milliseconds(std::atoi(line.c_str() + 8)));
      continue;
    }
    Mad mad{};
    if (!parse(line, transaction, mad)) return 2;
    asker.send(mad, timeout);
    Answer answer;
    if (collect(asker, transaction, timeout, window, answer)) {
      print(answer);
    } else {
      std::cout << "silence" << std::endl;
    }
  }
  umad_unregister(port, agent);
  umad_close_port(port);
  return 0;
}
