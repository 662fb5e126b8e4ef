// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// RMPP in both directions. The first byte selects: a sender with receivers that send arbitrary
// acknowledgements, stops and aborts; a receiver of arbitrary segments; or both, connected by a
// wire that drops, duplicates and reorders MADs. Memory is bounded, one MAD causes at most one
// burst, the received payload is the sent payload, and every transfer ends, even if the peer never
// stops sending acknowledgements.
#include "sa/rmpp.h"
#include "fuzz_target.h"

#include <cstdlib>
#include <map>

#include "bytes.h"

namespace {

using namespace weft;

constexpr RmppOptions kOptions{.burst = 8,
                               .sending_max = 64 << 10,
                               .head_max = 4 << 10,
                               .piece = 1 << 10,
                               .sources_of_port = 2,
                               .transfers_of_port = 6,
                               .receiving_max = 8,
                               .request_max = 4096};
constexpr std::size_t kPayloadMax = 16 << 10;
constexpr unsigned kPorts = 4;

void demand(bool holds) {
  if (!holds) std::abort();
}

std::byte byte_of(std::uint64_t transaction, std::size_t at) {
  return static_cast<std::byte>(at * 7 + at / 256 + transaction * 31);
}

/// Generates byte_of() in pieces.
class GeneratedPayload final : public RmppSource {
 public:
  GeneratedPayload(std::uint64_t transaction, std::size_t size, std::uint64_t generation)
      : transaction_(transaction), size_(size), generation_(generation) {}
  bool append(std::vector<std::byte>& payload, std::size_t bytes) override {
    for (; bytes > 0 && at_ < size_; --bytes, ++at_) payload.push_back(byte_of(transaction_, at_));
    return at_ < size_;
  }
  std::uint64_t generation() const override { return generation_; }

 private:
  const std::uint64_t transaction_;
  const std::size_t size_;
  const std::uint64_t generation_;
  std::size_t at_ = 0;
};

Gmp header_of(std::uint8_t peer) {
  Gmp gmp;
  gmp.method = sa_method::kGetTableResp;
  gmp.class_version = kSaClassVersion;
  gmp.transaction_id = peer / kPorts % 8;
  gmp.peer.lid = Lid(static_cast<std::uint16_t>(1 + peer % kPorts));
  set_sa_header(gmp, {SmKey(0), 1, 0});
  return gmp;
}

Gmp control(std::uint8_t peer, RmppType type, std::uint32_t segment, std::uint32_t window,
            std::uint8_t status = 0, std::uint8_t version = kRmppVersion) {
  Gmp gmp = header_of(peer);
  gmp.method = sa_method::kGetTable;
  RmppHeader header;
  header.version = version;
  header.type = type;
  header.active = true;
  header.segment = segment;
  header.length = window;
  header.status = status;
  set_rmpp_header(gmp, header);
  return gmp;
}

/// A sender, its expected payload sizes, and the MADs that it sent.
struct Sending {
  RmppSender sender{kOptions};
  std::map<TransferKey, std::size_t> sizes;
  std::size_t sent = 0;
  std::vector<Gmp>* wire = nullptr;
  GmpSink out = [this](const Gmp& gmp) { check(gmp); };

  void check(const Gmp& gmp) {
    ++sent;
    const RmppHeader header = rmpp_header(gmp);
    if (wire != nullptr && wire->size() < 4096) wire->push_back(gmp);
    if (header.type != RmppType::kData) return;
    const std::size_t size = sizes.at(transfer_key(gmp));
    const std::size_t segments = std::max<std::size_t>(1, (size + kSaDataSize - 1) / kSaDataSize);
    demand(header.segment >= 1 && header.segment <= segments);
    demand(header.first == (header.segment == 1));
    demand(header.last == (header.segment == segments));
    const std::size_t from = (header.segment - 1) * kSaDataSize;
    for (std::size_t i = 0; i < kSaDataSize && from + i < size; ++i)
      demand(sa_data(gmp)[i] == byte_of(gmp.transaction_id, from + i));
  }
  void begin(std::uint8_t peer, std::size_t size, bool source, std::uint64_t generation,
             TimeNs now) {
    const Gmp first = header_of(peer);
    const TransferKey key = transfer_key(first);
    const auto old = sizes.find(key);
    const std::size_t before = old == sizes.end() ? 0 : old->second;
    sizes[key] = size;
    std::vector<std::byte> payload;
    for (std::size_t i = 0; !source && i < size; ++i)
      payload.push_back(byte_of(first.transaction_id, i));
    const bool begun =
        source
            ? sender.begin(
                  first, std::make_unique<GeneratedPayload>(first.transaction_id, size, generation),
                  now, out)
            : sender.begin(first, std::move(payload), now, out);
    if (!begun) sizes[key] = before;
    bound();
  }
  void bound() const {
    // A piece is added to the head of a source before it is counted.
    demand(sender.bytes() <= kOptions.sending_max + 8 * (kOptions.head_max + kOptions.piece));
    demand(sender.under_way() <= kPorts * kOptions.transfers_of_port);
    demand(sender.under_way() > 0 || sender.bytes() == 0);
  }
};

void hostile_receivers(Bytes script) {
  Sending side;
  TimeNs now{0};
  std::uint64_t generation = 1;
  while (!script.empty()) {
    const std::size_t before = side.sent;
    const std::uint8_t op = script.u8();
    const std::uint8_t peer = script.u8();
    switch (op % 8) {
      case 0:
        side.begin(peer, script.u16() % kPayloadMax, false, generation, now);
        break;
      case 1:
        side.begin(peer, script.u16() % kPayloadMax, true, generation, now);
        break;
      case 2:
      case 3: {
        const std::uint32_t segment = script.number(), window = script.number();
        side.sender.on_gmp(control(peer, RmppType::kAck, segment, window), now, side.out);
        demand(side.sent - before <= kOptions.burst + 1);
        break;
      }
      case 4: {
        const auto type = static_cast<RmppType>(script.u8());
        const std::uint32_t segment = script.number(), window = script.number();
        const std::uint8_t status = script.u8(), version = script.u8();
        side.sender.on_gmp(control(peer, type, segment, window, status, version), now, side.out);
        demand(side.sent - before <= kOptions.burst + 1);
        break;
      }
      case 5:
        side.sender.step(now += std::chrono::milliseconds(10 * script.u8()), side.out);
        break;
      case 6:
        side.sender.end_unacknowledged(header_of(peer).peer.lid, now);
        break;
      default:
        ++generation;
        side.sender.abort_older(generation - peer % 4 % generation, side.out);
    }
    side.bound();
  }
  // Receivers that repeatedly open their windows, but receive no further segments.
  constexpr unsigned kRounds = 6 * (kPayloadMax / kSaDataSize + 8);
  for (unsigned round = 0; side.sender.under_way() > 0; ++round) {
    demand(round < kRounds);
    now += std::chrono::milliseconds(900);
    side.sender.step(now, side.out);
    for (unsigned peer = 0; peer < kPorts * 8; ++peer)
      for (const std::uint32_t segment : {0u, 1u})
        side.sender.on_gmp(
            control(static_cast<std::uint8_t>(peer), RmppType::kAck, segment, 1'000'000 + round),
            now, side.out);
    side.bound();
  }
  demand(side.sender.bytes() == 0);
}

/// All bytes of segment n are n, so that the order of the segments of a payload can be checked.
void hostile_senders(Bytes script) {
  RmppReceiver receiver(kOptions);
  std::size_t answers = 0;
  const GmpSink out = [&](const Gmp& gmp) {
    ++answers;
    demand(rmpp_header(gmp).type != RmppType::kData);
  };
  TimeNs now{0};
  while (!script.empty()) {
    const std::uint8_t op = script.u8();
    const std::uint8_t peer = script.u8();
    Gmp gmp = control(peer, RmppType::kData, 0, 0);
    RmppHeader header = rmpp_header(gmp);
    header.segment = script.number();
    header.first = (op & 1) != 0 ? header.segment == 1 : (op & 2) != 0;
    header.last = (op & 4) != 0;
    header.length = (op & 8) != 0 ? script.u32() : script.u8();
    if ((op & 0xF0) == 0x10) header.version = script.u8();
    if ((op & 0xF0) == 0x20) header.status = script.u8();
    set_rmpp_header(gmp, header);
    for (std::byte& byte : sa_data(gmp)) byte = static_cast<std::byte>(header.segment);
    if ((op & 0xF0) == 0x30) receiver.forget(gmp);
    if ((op & 0xF0) == 0x40) receiver.step(now += std::chrono::milliseconds(10 * script.u8()), out);
    const std::size_t before = answers;
    const auto whole = receiver.on_data(gmp, now, out);
    demand(answers - before <= 1);
    demand(receiver.under_way() <= kOptions.receiving_max);
    if (!whole) continue;
    demand(whole->payload.size() <= kOptions.request_max);
    for (std::size_t i = 0; i < whole->payload.size(); ++i)
      demand(whole->payload[i] == static_cast<std::byte>(1 + i / kSaDataSize));
  }
  for (unsigned round = 0; receiver.under_way() > 0; ++round) {
    demand(round < 64);
    receiver.step(now += std::chrono::seconds(1), out);
  }
  demand(receiver.next_event() == TimeNs::max());
}

/// The received payload is the sent payload if the wire drops, duplicates or reorders MADs.
void bad_wire(Bytes script) {
  Sending side;
  RmppOptions taking = kOptions;
  taking.request_max = kPayloadMax;
  taking.window = 1 + script.u8() % 32;
  RmppReceiver receiver(taking);
  std::vector<Gmp> there, back;
  side.wire = &there;
  const GmpSink acks = [&](const Gmp& gmp) {
    if (back.size() < 4096) back.push_back(gmp);
  };
  TimeNs now{0};
  side.begin(0, script.u16() % kPayloadMax, false, 1, now);
  side.begin(1, script.u16() % kPayloadMax, true, 1, now);
  const auto take = [&](std::vector<Gmp>& wire, std::uint8_t how) {
    const std::size_t at = (how >> 4) % wire.size();
    const Gmp gmp = wire[at];
    if ((how & 3) != 1) wire.erase(wire.begin() + static_cast<std::ptrdiff_t>(at));
    return gmp;
  };
  for (unsigned step_count = 0; side.sender.under_way() + receiver.under_way() > 0; ++step_count) {
    demand(step_count < 100'000);
    // After the end of the script the wire delivers in order.
    const std::uint8_t how = script.u8();
    if ((how & 4) != 0 || (there.empty() && back.empty())) {
      now = std::max(now, std::min(side.sender.next_event(), receiver.next_event()));
      side.sender.step(now, side.out);
      receiver.step(now, acks);
    }
    if (!there.empty()) {
      const Gmp gmp = take(there, how);
      if ((how & 3) == 2) continue;  // lost
      if (rmpp_header(gmp).type != RmppType::kData) {
        receiver.forget(gmp);
      } else if (const auto whole = receiver.on_data(gmp, now, acks)) {
        demand(whole->payload.size() == side.sizes.at(transfer_key(gmp)));
        for (std::size_t i = 0; i < whole->payload.size(); ++i)
          demand(whole->payload[i] == byte_of(gmp.transaction_id, i));
      }
    }
    if (!back.empty()) {
      const Gmp gmp = take(back, how);
      if ((how & 3) != 3) side.sender.on_gmp(gmp, now, side.out);
    }
    side.bound();
  }
}

}  // namespace

WEFT_FUZZ_TARGET(rmpp, data, size) {
  Bytes script(data, std::min<std::size_t>(size, 2048));
  switch (script.u8() % 3) {
    case 0:
      hostile_receivers(script);
      break;
    case 1:
      hostile_senders(script);
      break;
    default:
      bad_wire(script);
  }
  return 0;
}
