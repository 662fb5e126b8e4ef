// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A managed subnet on the emulator, its SA, and a client on another port. The client sends GMPs
// that the emulated switches forward, and has its own RMPP receiver.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ib/sa_records.h"
#include "sa/server.h"
#include "support/managed_subnet.h"

namespace weft {

struct SaReply {
  Gmp first;
  std::uint16_t status = 0;
  std::size_t offset = 0;            // distance between records in bytes
  std::vector<std::byte> payload{};  // complete payload

  std::size_t count() const { return offset == 0 ? 0 : payload.size() / offset; }
  template <class Record>
  RecordView<Record> at(std::size_t index) const {
    return std::span(payload).subspan(index * offset).template first<Record::kSize>();
  }
};

/// Sends requests to the SA at a LID and collects replies. `step` delivers packets and runs the SA
/// once.
class SaClient {
 public:
  SaClient(GmpTransport& transport, const Clock& clock, Lid sa, std::function<void()> step)
      : transport_(transport), clock_(clock), sa_(sa), step_(std::move(step)) {}

  /// A request with a new transaction id.
  Gmp request(Method method, SaAttribute attribute, std::uint64_t mask = 0,
              std::uint64_t sm_key = 0);
  template <class Record>
  requires requires { Record::kSize; }
  Gmp request(Method method, SaAttribute attribute, std::uint64_t mask, const Record& record,
              std::uint64_t sm_key = 0) {
    Gmp gmp = request(method, attribute, mask, sm_key);
    std::ranges::copy(encode(record), sa_data(gmp).begin());
    return gmp;
  }

  /// Sends the request. Empty if no complete answer arrives within 20 s of virtual time.
  std::optional<SaReply> query(const Gmp& gmp, std::uint32_t window = 8);
  GmpTransport& transport() { return transport_; }

 private:
  GmpTransport& transport_;
  const Clock& clock_;
  const Lid sa_;
  const std::function<void()> step_;
  std::uint64_t transaction_ = 100;
};

class SaSubnet {
 public:
  explicit SaSubnet(Fabric fabric, SaOptions sa_options = {}, const EmulatorOptions& emulator = {})
      : managed(std::move(fabric), emulator), options(std::move(sa_options)) {}

  /// Brings the subnet up, starts the SA on the manager's port and a client on the last host.
  void start();
  const Snapshot& snapshot() const { return *snapshot_; }
  /// The client's endport in the emulated fabric and in the snapshot.
  EndportId emulated_client_endport();
  EndportId client_endport();

  /// Delivers packets in flight, runs one step of the server, and delivers the packets that the
  /// server sent.
  void step_network();
  GmpTransport& queries() { return *queries_; }

  ManagedSubnet managed;
  SaOptions options;
  std::optional<SaServer> server;
  std::optional<SaClient> client;  // empty until start()

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  EndportId manager_endport_;
  GmpTransport* queries_ = nullptr;
};

}  // namespace weft
