// Turns the unreliable transport into requests that end: answered, or given up after retries. Keeps
// a bounded number of SMPs on the wire, and hands traps and other managers' requests to its owner.
//
// Every try has a transaction id of its own: the kernel refuses a second request with the id of one
// that it waits for (ib_umad: EINVAL). The answer to any try is the answer to the request.
//
// VL15 has no flow control: a device whose queue is full drops what comes. So each device, named by
// the directed path or the LID of the request, has a window of its own under the total. A timeout
// halves it, and answers let it grow again. Requests that the window has no room for wait, in
// order, and those for other devices pass them.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "ib/transport.h"
#include "sm/known_keys.h"

namespace weft {

/// A stage's requests, pulled as places on the wire become free, so that millions of them need no
/// queue.
class SmpWork {
 public:
  virtual ~SmpWork() = default;
  /// The next request to send and a cookie of the stage's own; false when there is none at the
  /// moment.
  virtual bool next(Smp& request, std::uint64_t& cookie) = 0;
  /// An answer came; its status may be bad.
  virtual void answered(std::uint64_t cookie, const Smp& answer) = 0;
  /// Given up: no answer to any try (kTimeout), or the transport would not send the last of them
  /// (its own error).
  virtual void failed(std::uint64_t cookie, const Error& why) = 0;
};

struct SmpClientOptions {
  unsigned on_wire_max = 64;  // 0: no limit but kNoLimit
  unsigned device_max = 4;    // of them to one device; 0: no limit of its own
  TimeNs timeout = std::chrono::milliseconds(200);
  unsigned retries = 3;
};

struct SmpCounts {
  std::uint64_t sent = 0;  // retries included
  std::uint64_t answered = 0;
  std::uint64_t retried = 0;
  std::uint64_t retried_sets = 0;  // of those
  std::uint64_t timed_out = 0;     // given up
  std::uint64_t refused = 0;       // tries that the transport would not send
  std::uint64_t bad_status = 0;
  std::uint64_t busy = 0;         // of those, BUSY, after which the request was sent again
  std::uint64_t stray = 0;        // answers that nobody waited for: late or doubled
  std::uint64_t stray_sets = 0;   // of those
  std::uint64_t unsolicited = 0;  // traps and requests of others
  std::uint64_t overrun = 0;      // of those, lost because nobody took them in time
  std::uint64_t window_cuts = 0;  // windows of devices halved after a timeout

  /// Sets of which a copy may have taken effect late, and undone a newer one.
  std::uint64_t doubtful_sets() const { return retried_sets + stray_sets; }
  friend SmpCounts operator-(const SmpCounts& now, const SmpCounts& before);
  bool operator==(const SmpCounts&) const = default;
};

class SmpClient {
 public:
  static constexpr unsigned kNoLimit = 4096;  // what "no limit" means
  static constexpr std::size_t kUnsolicitedMax = 1024;
  static constexpr std::size_t kHeldMax = 2048;     // requests that wait for windows
  static constexpr std::size_t kDevicesMax = 4096;  // remembered, beyond those in use

  /// Every SMP of a stage gets its M_Key from `keys`, which must outlive the client; without them
  /// it keeps its own.
  SmpClient(SmpTransport& transport, const Clock& clock, const SmpClientOptions& options,
            const KnownKeys* keys = nullptr);

  /// Sends what `work` has and there is room for, then waits for arrivals until `deadline` at most
  /// and passes them on. True while requests are on the wire; false once `work` has nothing more
  /// and all are done.
  bool step(SmpWork& work, TimeNs deadline);

  /// Waits for anything to arrive until `deadline`, without work of our own.
  void wait(TimeNs deadline);

  /// The next request or trap that somebody sent us.
  std::optional<Smp> take_unsolicited();

  /// Sends without waiting for an answer: our own answers, TrapRepress.
  Status send(const Smp& smp) { return transport_.send(smp); }

  /// Forgets everything on the wire; answers that still come are strays.
  void abandon();
  /// Takes in what is on the wire, sends nothing again, and forgets what is left at the deadline.
  void wind_up(TimeNs deadline);
  bool idle() const { return free_.size() == slots_.size() && held_ == 0; }

  const SmpCounts& counts() const { return counts_; }

 private:
  struct Held {
    Smp request;
    std::uint64_t cookie = 0;
  };
  struct Device {
    unsigned window = 0;  // requests on the wire at a time
    unsigned on_wire = 0;
    unsigned answers = 0;    // since the window last grew
    bool ready = false;      // in ready_
    TimeNs cut_at{-1};       // when the window was last halved
    TimeNs answered_at{-1};  // the last time
    std::list<Held> held;    // in order
  };
  using Devices = std::unordered_map<std::string, Device>;
  struct Slot {
    Smp request;
    std::uint64_t cookie = 0;
    Device* device = nullptr;
    TimeNs sent_at{0};        // the last try
    TimeNs first_sent_at{0};  // the first
    unsigned tries = 0;
    unsigned busy_answers = 0;
    bool busy = false;
    bool refused = false;          // the last try, by the transport
    std::uint32_t generation = 0;  // of the last try
  };
  struct Expiry {
    TimeNs deadline;
    std::uint32_t slot;
    std::uint32_t generation;
  };

  unsigned full_window() const;
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
  std::deque<Device*> ready_;  // those with room in the window and requests that wait
  std::size_t held_ = 0;
  std::deque<Expiry> expiries_;  // in order of deadline, since every try has the same timeout
  std::multimap<TimeNs, Expiry> postponed_;  // after BUSY, by the time of the next try
  std::deque<Smp> unsolicited_;
  Error refusal_;  // the transport's last
  SmpCounts counts_;
};

}  // namespace weft
