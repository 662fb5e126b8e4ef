// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests over the unreliable transport: each request ends with an answer or, after all retries,
// with a timeout. Bounds the number of outstanding SMPs, and queues traps and requests of other
// managers.
//
// Every try has its own transaction ID: the kernel refuses a second request with the ID of an
// outstanding request (ib_umad: EINVAL). The answer to any try completes the request.
//
// VL15 has no flow control: a device with a full queue drops SMPs. So each device, identified by
// the directed path or LID of the request, has its own window within the total. A timeout halves
// the window; answers enlarge it. Within the window, the number of requests with vendor-
// specific attributes has a limit of its own. Requests beyond the window wait in order; requests to
// other devices overtake them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/memory/stable_map.h"
#include "ib/fair_queue.h"
#include "ib/transport.h"
#include "sm/discovery/held_requests.h"
#include "sm/discovery/smp_work.h"
#include "sm/keys/known_keys.h"

namespace weft {

struct SmpClientOptions {
  unsigned on_wire_max = 64;  // 0: kNoLimit
  unsigned device_max = 4;    // outstanding SMPs to one device; 0: no limit per device
  unsigned vendor_max = 2;    // of these, with attributes 0xFF00 and above; 0: device_max
  TimeNs timeout = std::chrono::milliseconds(200);
  unsigned retries = 3;
};

struct SmpCounts {
  std::uint64_t sent = 0;  // tries; retries and tries that the transport did not send included
  std::uint64_t answered = 0;
  std::uint64_t retried = 0;
  std::uint64_t retried_sets = 0;  // retries of requests with method Set
  std::uint64_t timed_out = 0;     // requests that failed: not answered, or not sent
  std::uint64_t refused = 0;       // tries that the transport did not send
  std::uint64_t bad_status = 0;    // answers with an error status
  std::uint64_t busy = 0;          // answers with BUSY after which the request was repeated
  std::uint64_t stray = 0;         // answers without an outstanding request: late or duplicate
  std::uint64_t stray_sets = 0;    // stray answers to requests with method Set
  std::uint64_t unsolicited = 0;   // traps and requests received
  std::uint64_t overrun = 0;      // dropped traps and requests: too many from one source, or in all
  std::uint64_t window_cuts = 0;  // windows of devices halved after a timeout

  friend SmpCounts operator-(const SmpCounts& now, const SmpCounts& before);
  bool operator==(const SmpCounts&) const = default;
};

class SmpClient {
 public:
  static constexpr unsigned kNoLimit = 4096;                 // limit if on_wire_max is 0
  static constexpr QueueLimits kUnsolicited{1024, 2, 4096};  // limits of waiting traps and requests
  static constexpr std::size_t kHeldMax = 2048;     // limit of requests that wait for a window
  static constexpr std::size_t kDevicesMax = 4096;  // idle devices with a stored window

  /// Every SMP of a stage gets its M_Key from `keys`, which must outlive the client. If `keys` is
  /// null, the SMP is sent with the M_Key that it contains.
  SmpClient(SmpTransport& transport, const Clock& clock, const SmpClientOptions& options,
            const KnownKeys* keys = nullptr);

  /// Sends requests of `work` as the windows permit, then waits for arrivals, at most until
  /// `deadline`, and dispatches them. True while requests are outstanding; false once `work` has no
  /// more requests and all have ended.
  bool step(SmpWork& work, TimeNs deadline);

  /// Waits for traps and requests until `deadline`, without sending.
  void wait(TimeNs deadline);

  /// The next request or trap received, round-robin by source LID; none if no more wait.
  std::optional<Smp> take_unsolicited();
  bool has_unsolicited() const { return !unsolicited_.empty(); }

  /// Sends without waiting for an answer: responses of the manager, and TrapRepress.
  Status send(const Smp& smp) { return transport_.send(smp); }

  bool take_link_change() { return transport_.take_link_change(); }

  /// Drops all outstanding and waiting requests; later answers to outstanding requests count as
  /// stray.
  void abandon();
  /// Drops all outstanding and waiting requests, and reports each request as failed to `work`.
  void abandon(SmpWork& work, const Error& why);
  /// Drops the waiting requests, receives answers to outstanding requests without retries, and
  /// drops the requests without an answer at the deadline.
  void wind_up(TimeNs deadline);
  bool idle() const { return free_.size() == slots_.size() && held_.size() == 0; }

  const SmpCounts& counts() const { return counts_; }

 private:
  struct Device {
    unsigned window = 0;  // largest number of requests on the wire at a time
    unsigned on_wire = 0;
    unsigned vendor_on_wire = 0;  // of these, requests with vendor-specific attributes
    unsigned answers = 0;         // answers since the window last grew
    bool ready = false;           // in ready_
    TimeNs cut_at{-1};            // when the window was last halved
    TimeNs answered_at{-1};       // time of the last answer
    HeldRequests::Queue held;
  };
  /// The directed path or the LID of a device. It is hashed for each request, so it is stored
  /// without dynamic memory.
  struct DeviceName {
    DeviceName() = default;
    explicit DeviceName(const Smp& request);
    bool operator==(const DeviceName& other) const;

    std::array<std::uint64_t, kHopsMax / 8 + 1> words;  // only the first used() words are defined
    unsigned hops = kByLid;
    static constexpr unsigned kByLid = 0xFF;  // words[0] is the LID
    unsigned used() const { return hops == kByLid ? 1 : hops / 8 + 1; }
  };
  struct DeviceNameHash {
    std::size_t operator()(const DeviceName& name) const;
  };
  using Devices = StableMap<DeviceName, Device, DeviceNameHash>;
  struct Slot {
    Smp request;
    std::uint64_t cookie = 0;
    Device* device = nullptr;
    TimeNs sent_at{0};        // time of the last try
    TimeNs first_sent_at{0};  // time of the first try
    unsigned tries = 0;
    unsigned busy_answers = 0;
    bool busy = false;
    bool refused = false;          // the transport refused the last try
    std::uint32_t generation = 0;  // generation of the last try
  };
  struct Expiry {
    TimeNs deadline;
    std::uint32_t slot;
    std::uint32_t generation;
  };

  unsigned full_window() const;
  bool has_room(const Device& device, const Smp& request) const;
  Device& device_of(const Smp& request);
  void fill(SmpWork& work);
  bool send_held();
  void make_ready(Device& device);
  void start(Device& device, const Smp& request, std::uint64_t cookie);
  void forget_held();
  void on_answer(Device& device);
  void on_timeout(const Slot& slot);
  void transmit(std::uint32_t slot);
  void drain(SmpWork* work);
  void keep_unsolicited(const Smp& smp);
  bool is_awaited(const Smp& answer) const;
  bool postpone(std::uint32_t slot);
  void send_postponed();
  void expire(SmpWork& work);
  void give_up(std::uint32_t slot, SmpWork& work);
  void give_up_held(Device& device, const Error& why, SmpWork& work);
  void release(std::uint32_t slot);
  std::uint64_t transaction_id(std::uint32_t slot) const;
  bool is_current(const Expiry& expiry) const;

  SmpTransport& transport_;
  const Clock& clock_;
  const SmpClientOptions options_;
  const KnownKeys* const keys_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  Devices devices_;
  Devices::Element* latest_ = nullptr;  // device of the last request
  std::deque<Device*> ready_;  // devices with waiting requests and a window that is not full
  HeldRequests held_;
  std::deque<Expiry> expiries_;  // in order of deadline, since every try has the same timeout
  std::multimap<TimeNs, Expiry> postponed_;  // requests answered with BUSY, by time of the next try
  FairQueue<Smp> unsolicited_{kUnsolicited};
  Error refusal_;  // last error of the transport
  SmpCounts counts_;
};

}  // namespace weft
