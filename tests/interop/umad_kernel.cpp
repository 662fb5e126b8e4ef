// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A library to preload after ibsim's. It emulates the functions of the kernel (ib_umad) that ibsim
// lacks, so that programs that need these functions (Weft, OpenSM, osmtest, saquery) can be tested
// on ibsim as on a device. For all classes:
// * a second request with the agent and the lower half of the transaction id of a pending request
//   is refused (EINVAL);
// * a request without a response is returned after its timeout and retries, with the status
//   ETIMEDOUT and only its MAD header; a response without a pending request is dropped;
// * the receive queue has a limit.
// For the SA class:
// * MADs are complete (ibsim 0.10 loses the last 32 of their 256 bytes);
// * an agent that registers with RMPP sends and receives messages of any length, in segments on the
//   wire. Segments are never lost, so there is no retransmission.
// The environment variable UMAD_KERNEL sets limits and faults, such as "lose=20,send_max=16":
//   lose=N         drops every N-th SMP request
//   receive_max=N  size of the receive queue; further MADs are dropped (default 200000)
//   send_max=N     maximum number of pending requests; further requests are refused with EAGAIN
//                  and ENOSPC alternately
// UMAD_KERNEL_COUNTS: file for the numbers of requests, of lost, refused, timed out and dropped
// MADs, as JSON. LD_PRELOAD must name ibsim's library first.
#include <dlfcn.h>
#include <infiniband/umad.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Bytes = std::vector<unsigned char>;

constexpr std::size_t kMad = 256;
constexpr std::size_t kHeaders = 56;  // bytes of the headers of MAD, RMPP and SA
constexpr std::size_t kData = kMad - kHeaders;
constexpr std::size_t kSaHeader = 20;         // bytes, which count as payload of a segment
constexpr std::size_t kSimHead = 32;          // bytes of a datagram of ibsim before the MAD
constexpr std::size_t kDeliveredBytes = 224;  // bytes of a MAD that ibsim's library delivers
constexpr std::size_t kStoredMads = 4096;     // stored complete MADs
constexpr std::size_t kMadHeader = 24;
constexpr unsigned kSaClass = 3;
constexpr unsigned kSmpClass = 1, kDirectedSmpClass = 0x81;
constexpr unsigned kWindow = 64;
constexpr unsigned char kResponse = 0x80;
constexpr unsigned char kActive = 1, kFirst = 2, kLast = 4;
enum RmppType : unsigned char { kDataType = 1, kAck = 2, kStop = 3, kAbort = 4 };

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

unsigned get(const unsigned char* at) {
  return static_cast<unsigned>(at[0]) << 24 | static_cast<unsigned>(at[1]) << 16 |
         static_cast<unsigned>(at[2]) << 8 | at[3];
}
void put(unsigned char* at, std::size_t value) {
  for (int i = 4; i-- > 0; value >>= 8) at[i] = static_cast<unsigned char>(value & 0xFF);
}

/// A umad: the header of the library, then a MAD or a longer message.
struct Message {
  Bytes bytes;
  int port = -1;
  int agent = -1;
  explicit Message(std::size_t mad_size = kMad) : bytes(umad_size() + mad_size) {}
  void* umad() { return bytes.data(); }
  unsigned char* mad() { return static_cast<unsigned char*>(umad_get_mad(bytes.data())); }
  std::size_t size() const { return bytes.size() - umad_size(); }
};

/// Key of a transaction: port, agent, and the lower half of the transaction id.
struct Key {
  int port;
  int agent;
  unsigned transaction;
  auto operator<=>(const Key&) const = default;
};
Key key_of(Message& message) { return {message.port, message.agent, get(message.mad() + 12)}; }

struct Request {
  Message message;
  Clock::time_point due;
  std::chrono::milliseconds timeout;
  int retries;
};
struct Outgoing {  // a message sent in segments
  Message message;
  std::size_t sent = 0;
  std::size_t segments = 1;
};

std::size_t limit(const char* name, std::size_t default_value) {
  const char* text = std::getenv("UMAD_KERNEL");
  const std::string all = std::string(",") + (text != nullptr ? text : "");
  const std::size_t at = all.find(std::string(",") + name + "=");
  if (at == std::string::npos) return default_value;
  return std::strtoul(all.c_str() + all.find('=', at) + 1, nullptr, 10);
}
const std::size_t lose = limit("lose", 0);
const std::size_t receive_max = limit("receive_max", 200000);
const std::size_t send_max = limit("send_max", 0);

struct Counts {
  unsigned long requests = 0, lost = 0, duplicates = 0, refused = 0;
  unsigned long timed_out = 0, unmatched = 0, overflowed = 0;
  ~Counts() {
    const char* path = std::getenv("UMAD_KERNEL_COUNTS");
    std::FILE* file = path != nullptr && requests > 0 ? std::fopen(path, "w") : nullptr;
    if (file == nullptr) return;
    std::fprintf(file,
                 "{\"requests\": %lu, \"lost\": %lu, \"duplicates\": %lu, \"refused\": %lu, "
                 "\"timed_out\": %lu, \"unmatched\": %lu, \"overflowed\": %lu}\n",
                 requests, lost, duplicates, refused, timed_out, unmatched, overflowed);
    std::fclose(file);
  }
};

Counts counts;
unsigned long smp_requests = 0;
std::mutex mutex;
std::deque<std::array<unsigned char, kMad>> complete_mads;  // complete MADs as received
std::map<std::pair<int, int>, unsigned> rmpp_of;  // registered RMPP version by port and agent
std::map<Key, Request> waiting;
std::map<Key, Outgoing> outgoing;
std::map<Key, Message> incoming;
std::deque<Message> ready;

bool has_rmpp(const Message& message) {
  const auto at = rmpp_of.find({message.port, message.agent});
  return at != rmpp_of.end() && at->second != 0;
}

int send_now(Message& message) {
  static const auto send = next<int (*)(int, int, void*, int, int, int)>("umad_send");
  return send(message.port, message.agent, message.umad(), static_cast<int>(message.size()), 0, 0);
}

void send_segments(Outgoing& transfer, std::size_t up_to) {
  for (; transfer.sent < std::min(up_to, transfer.segments); ++transfer.sent) {
    Message segment;
    segment.port = transfer.message.port;
    segment.agent = transfer.message.agent;
    const std::size_t data = transfer.message.size() - kHeaders;
    const std::size_t from = transfer.sent * kData;
    const std::size_t length = std::min(kData, data - from);
    std::memcpy(segment.umad(), transfer.message.umad(), umad_size());
    std::memcpy(segment.mad(), transfer.message.mad(), kHeaders);
    std::memcpy(segment.mad() + kHeaders, transfer.message.mad() + kHeaders + from, length);
    const bool first = transfer.sent == 0, last = transfer.sent + 1 == transfer.segments;
    segment.mad()[25] = kDataType;
    segment.mad()[26] = static_cast<unsigned char>((segment.mad()[26] & 0xF8) | kActive |
                                                   (first ? kFirst : 0) | (last ? kLast : 0));
    put(segment.mad() + 28, transfer.sent + 1);
    put(segment.mad() + 32, first  ? data + transfer.segments * kSaHeader
                            : last ? length + kSaHeader
                                   : 0);
    send_now(segment);
  }
}

void acknowledge(Message& data, unsigned segment) {
  Message ack;
  ack.port = data.port;
  ack.agent = data.agent;
  std::memcpy(ack.umad(), data.umad(), umad_size());
  std::memcpy(ack.mad(), data.mad(), kHeaders);
  ack.mad()[3] ^= kResponse;
  ack.mad()[25] = kAck;
  ack.mad()[26] = kActive;
  put(ack.mad() + 28, segment);
  put(ack.mad() + 32, segment + kWindow);
  send_now(ack);
}

/// Adds a segment for an agent with kernel RMPP. Returns the message once the message is complete;
/// empty before.
std::optional<Message> collect(Message& segment) {
  const unsigned number = get(segment.mad() + 28);
  const bool last = (segment.mad()[26] & kLast) != 0;
  const Key key = key_of(segment);
  if (number == 1) incoming.insert_or_assign(key, segment);
  const auto at = incoming.find(key);
  if (at == incoming.end()) return std::nullopt;
  const std::size_t before = number == 0 ? 0 : (number - 1) * kData;
  Message& message = at->second;
  if (number != 1) {
    if (message.size() != kHeaders + before) return std::nullopt;
    message.bytes.insert(message.bytes.end(), segment.mad() + kHeaders, segment.mad() + kMad);
  }
  if (last) {
    const std::size_t stated_length = get(segment.mad() + 32);
    const std::size_t length =
        stated_length >= kSaHeader ? std::min(stated_length - kSaHeader, kData) : kData;
    message.bytes.resize(umad_size() + kHeaders + before + length);
  }
  if (last || number == 1 || number % kWindow == 1) acknowledge(segment, number);
  if (!last) return std::nullopt;
  Message done = std::move(message);
  incoming.erase(at);
  return done;
}

void continue_transfer(Message& control) {
  const auto at = outgoing.find(key_of(control));
  if (at == outgoing.end()) return;
  const auto type = control.mad()[25];
  const std::size_t acknowledged = get(control.mad() + 28);
  if (type == kAck && acknowledged < at->second.segments)
    return send_segments(at->second, get(control.mad() + 32));
  if (type == kAck || type == kStop || type == kAbort) outgoing.erase(at);
}

/// Restores the end of a MAD that ibsim's library has truncated.
void complete(unsigned char* mad) {
  for (auto at = complete_mads.begin(); at != complete_mads.end(); ++at) {
    if (!std::equal(at->begin(), at->begin() + kDeliveredBytes, mad)) continue;
    std::copy(at->begin() + kDeliveredBytes, at->end(), mad + kDeliveredBytes);
    complete_mads.erase(at);
    return;
  }
}

bool is_request(const unsigned char* mad) {
  constexpr unsigned char kSend = 3, kTrap = 5, kTrapRepress = 7;
  const unsigned char method = mad[3];
  return (method & kResponse) == 0 && method != kSend && method != kTrap && method != kTrapRepress;
}

/// Queues a MAD for the program, or drops it if the queue is full.
void make_ready(Message message) {
  if (ready.size() < receive_max)
    ready.push_back(std::move(message));
  else
    ++counts.overflowed;
}

/// Processes a received MAD; drops a response without a pending request.
void process_mad(Message message) {
  if (message.mad()[1] == kSaClass) complete(message.mad());
  const bool segments = has_rmpp(message) && (message.mad()[26] & kActive) != 0;
  if (segments && message.mad()[25] != kDataType) return continue_transfer(message);
  const bool answer = (message.mad()[3] & kResponse) != 0;
  const Key key = key_of(message);
  if (answer && waiting.count(key) == 0) {
    ++counts.unmatched;
    return;
  }
  if (segments) {
    if (answer) waiting.at(key).due = Clock::now() + waiting.at(key).timeout;
    auto all = collect(message);
    if (!all) return;
    message = std::move(*all);
  }
  if (answer) waiting.erase(key);
  make_ready(std::move(message));
}

/// Returns 0, or the errno with which the kernel refuses this request.
int refusal(const Key& key) {
  ++counts.requests;
  if (waiting.count(key) != 0) {
    ++counts.duplicates;
    return EINVAL;
  }
  if (send_max == 0 || waiting.size() < send_max) return 0;
  return ++counts.refused % 2 == 0 ? ENOSPC : EAGAIN;
}

bool is_lost(const unsigned char* mad) {
  if (lose == 0 || (mad[1] != kSmpClass && mad[1] != kDirectedSmpClass)) return false;
  if (++smp_requests % lose != 0) return false;
  ++counts.lost;
  return true;
}

/// Repeats the requests with an expired timeout, or returns them after their last retry.
void expire_requests() {
  const auto now = Clock::now();
  for (auto at = waiting.begin(); at != waiting.end();) {
    Request& request = at->second;
    if (request.due > now) {
      ++at;
    } else if (request.retries-- > 0) {
      request.due = now + request.timeout;
      send_now(request.message);
      ++at;
    } else {
      static_cast<ib_user_mad_t*>(request.message.umad())->status = ETIMEDOUT;
      request.message.bytes.resize(umad_size() + kMadHeader);
      ++counts.timed_out;
      make_ready(std::move(request.message));
      at = waiting.erase(at);
    }
  }
}

/// Copies the first queued MAD for this port to `umad`, and its size to `length`. Returns the
/// agent, or -1 if no MAD is queued. Returns -ENOSPC if the buffer is smaller than the MAD;
/// `length` is then the required size.
int deliver(int port, void* umad, int* length) {
  const auto at = std::find_if(ready.begin(), ready.end(),
                               [&](const Message& message) { return message.port == port; });
  if (at == ready.end()) return -1;
  const int size = static_cast<int>(at->size());
  if (size > *length) {
    *length = size;
    errno = ENOSPC;
    return -ENOSPC;
  }
  std::memcpy(umad, at->bytes.data(), at->bytes.size());
  *length = size;
  const int agent = at->agent;
  ready.erase(at);
  return agent;
}

}  // namespace

extern "C" {

/// Intercepts the datagrams from ibsim to its library.
ssize_t read(int fd, void* buffer, size_t size) {
  static const auto read_on = next<ssize_t (*)(int, void*, size_t)>("read");
  const ssize_t got = read_on(fd, buffer, size);
  const auto* bytes = static_cast<const unsigned char*>(buffer);
  if (got != static_cast<ssize_t>(kSimHead + kMad) || bytes[kSimHead + 1] != kSaClass) return got;
  const std::lock_guard lock(mutex);
  std::array<unsigned char, kMad> mad{};
  std::copy_n(bytes + kSimHead, kMad, mad.begin());
  if (complete_mads.size() >= kStoredMads) complete_mads.pop_front();
  complete_mads.push_back(mad);
  return got;
}

int umad_register(int port, int mgmt_class, int version, uint8_t rmpp_version,
                  long methods[16 / sizeof(long)]) {
  using Register = int (*)(int, int, int, uint8_t, long*);
  static const auto register_on = next<Register>("umad_register");
  const int agent = register_on(port, mgmt_class, version, rmpp_version, methods);
  const std::lock_guard lock(mutex);
  rmpp_of[{port, agent}] = mgmt_class == kSaClass ? rmpp_version : 0;
  return agent;
}

int umad_send(int port, int agent, void* umad, int length, int timeout_ms, int retries) {
  Message message(std::max(static_cast<std::size_t>(length), kHeaders));
  message.port = port;
  message.agent = agent;
  std::memcpy(message.umad(), umad, umad_size() + static_cast<std::size_t>(length));
  const std::lock_guard lock(mutex);
  const bool segments = has_rmpp(message) && (message.mad()[26] & kActive) != 0;
  if (!segments && message.mad()[1] == kSaClass) message.bytes.resize(umad_size() + kMad);
  if (timeout_ms > 0 && is_request(message.mad())) {
    const Key key = key_of(message);
    if (const int error_number = refusal(key); error_number != 0) {
      errno = error_number;
      return -error_number;
    }
    const std::chrono::milliseconds timeout(timeout_ms);
    waiting.emplace(key, Request{message, Clock::now() + timeout, timeout, retries});
    if (is_lost(message.mad())) return 0;
  }
  if (!segments) return send_now(message);
  const std::size_t data = message.size() - kHeaders;
  Outgoing transfer{std::move(message), 0, std::max<std::size_t>(1, (data + kData - 1) / kData)};
  const Key key = key_of(transfer.message);
  send_segments(outgoing.insert_or_assign(key, std::move(transfer)).first->second, 1);
  return 0;
}

int umad_recv(int port, void* umad, int* length, int timeout_ms) {
  static const auto receive = next<int (*)(int, void*, int*, int)>("umad_recv");
  constexpr int kSlice = 10;
  const auto end = Clock::now() + std::chrono::milliseconds(timeout_ms);
  int wait = 0;  // all MADs are received before the first delivery, so that the queue fills
  while (true) {
    Message message;
    message.port = port;
    int received_length = static_cast<int>(kMad);
    const bool empty = wait == 0 && umad_poll(port, 0) < 0;
    message.agent = empty ? -EWOULDBLOCK : receive(port, message.umad(), &received_length, wait);
    const bool has_received_nothing =
        message.agent == -ETIMEDOUT || message.agent == -EWOULDBLOCK || message.agent == -EINTR;
    if (message.agent < 0 && !has_received_nothing) return message.agent;
    if (message.agent >= 0) {
      const std::lock_guard lock(mutex);
      process_mad(std::move(message));
      wait = 0;
      continue;
    }
    {
      const std::lock_guard lock(mutex);
      expire_requests();
      if (const int agent = deliver(port, umad, length); agent != -1) return agent;
    }
    if (timeout_ms >= 0 && Clock::now() >= end) return message.agent;
    wait = kSlice;
  }
}

}  // extern "C"
