// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// RMPP sender and receiver: tested against each other, and against peers that violate the protocol.
#include "sa/rmpp.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <utility>

namespace weft {
namespace {

constexpr TimeNs kNow{1000};

Gmp table_header() {
  Gmp gmp;
  gmp.method = sa_method::kGetTableResp;
  gmp.class_version = kSaClassVersion;
  gmp.transaction_id = 42;
  gmp.peer.lid = Lid(9);
  set_sa_header(gmp, {SmKey(0), 8, 0});
  return gmp;
}

std::vector<std::byte> numbered(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
  return bytes;
}

Gmp control(RmppType type, std::uint32_t segment, std::uint32_t window, std::uint8_t status = 0) {
  Gmp gmp = table_header();
  gmp.method = sa_method::kGetTable;
  RmppHeader header;
  header.version = kRmppVersion;
  header.type = type;
  header.active = true;
  header.segment = segment;
  header.length = window;
  header.status = status;
  set_rmpp_header(gmp, header);
  return gmp;
}

class Sending : public ::testing::Test {
 protected:
  std::vector<RmppHeader> begin(std::size_t size) {
    EXPECT_TRUE(sender.begin(table_header(), numbered(size), kNow, out));
    return take_headers();
  }
  std::vector<RmppHeader> take_headers() {
    std::vector<RmppHeader> headers;
    for (const Gmp& gmp : sent) headers.push_back(rmpp_header(gmp));
    sent.clear();
    return headers;
  }
  std::vector<RmppHeader> deliver(const Gmp& gmp, TimeNs now = kNow) {
    sender.on_gmp(gmp, now, out);
    return take_headers();
  }
  RmppSender sender{RmppOptions{}};
  std::vector<Gmp> sent;
  GmpSink out = [this](const Gmp& gmp) { sent.push_back(gmp); };
};

TEST_F(Sending, AnEmptyTableIsOneSegmentOfHeaders) {
  const auto segments = begin(0);
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_TRUE(segments[0].first && segments[0].last);
  EXPECT_EQ(segments[0].length, kSaHeaderSize);
}

TEST_F(Sending, OnlyTheFirstSegmentIsSentBeforeAnAcknowledgement) {
  auto segments = begin(5 * kSaDataSize + 1);
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].length, 5 * kSaDataSize + 1 + 6 * kSaHeaderSize);
  segments = deliver(control(RmppType::kAck, 1, 3));
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[1].segment, 3u);
  segments = deliver(control(RmppType::kAck, 3, 100));
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_TRUE(segments[2].last);
  EXPECT_EQ(segments[2].length, 1 + kSaHeaderSize);
  EXPECT_TRUE(deliver(control(RmppType::kAck, 6, 6)).empty());
  EXPECT_EQ(sender.under_way(), 0u);
  EXPECT_EQ(sender.bytes(), 0u);
}

TEST_F(Sending, UnacknowledgedSegmentsAreRepeatedThenAborted) {
  begin(3 * kSaDataSize);
  EXPECT_EQ(deliver(control(RmppType::kAck, 1, 3)).size(), 2u);
  TimeNs now = kNow;
  for (unsigned i = 0; i < RmppOptions{}.retries; ++i) {
    now = sender.next_event();
    sender.step(now, out);
    const auto again = take_headers();
    ASSERT_EQ(again.size(), 2u);
    EXPECT_EQ(again[0].segment, 2u);
  }
  sender.step(sender.next_event(), out);
  const auto end = take_headers();
  ASSERT_EQ(end.size(), 1u);
  EXPECT_EQ(end[0].type, RmppType::kAbort);
  EXPECT_EQ(end[0].status, rmpp_status::kTooManyRetries);
  EXPECT_EQ(sender.under_way(), 0u);
  EXPECT_EQ(sender.next_event(), TimeNs::max());
}

TEST_F(Sending, InvalidAcksEndTheTransferWithAStatus) {
  const auto reason = [&](const Gmp& gmp) {
    begin(3 * kSaDataSize);
    const auto answer = deliver(gmp);
    EXPECT_EQ(sender.under_way(), 0u);
    return answer.size() == 1 && answer[0].type == RmppType::kAbort ? answer[0].status : 0;
  };
  EXPECT_EQ(reason(control(RmppType::kAck, 2, 3)), rmpp_status::kSegmentTooBig);
  EXPECT_EQ(reason(control(RmppType::kAck, 1, 0)), rmpp_status::kWindowTooSmall);
  EXPECT_EQ(reason(control(RmppType::kAck, 1, 3, 5)), rmpp_status::kIllegalStatus);
  EXPECT_EQ(reason(control(static_cast<RmppType>(9), 1, 3)), rmpp_status::kBadType);
  EXPECT_EQ(reason(control(RmppType::kAbort, 0, 0, 127)), 0);  // ended without an ABORT
}

TEST_F(Sending, AbortsIfAcksOnlyIncreaseTheWindow) {
  begin(3 * kSaDataSize);
  TimeNs now = kNow;
  for (std::uint32_t round = 0; round < 100 && sender.under_way() > 0; ++round) {
    deliver(control(RmppType::kAck, 1, 3 + round), now);
    now += RmppOptions{}.ack_timeout;
    sender.step(now, out);
  }
  EXPECT_EQ(sender.under_way(), 0u);
  EXPECT_EQ(take_headers().back().status, rmpp_status::kTooManyRetries);
}

TEST_F(Sending, UsesAWindowThatIncreasesDuringSending) {
  begin(200 * kSaDataSize);
  EXPECT_EQ(deliver(control(RmppType::kAck, 1, 100)).size(), RmppOptions{}.burst);
  // Further segments are sent by step().
  EXPECT_TRUE(deliver(control(RmppType::kAck, 1, 200)).empty());
  std::size_t segments = 1 + RmppOptions{}.burst;
  while (sender.next_event() <= kNow) {
    sender.step(kNow, out);
    segments += take_headers().size();
  }
  EXPECT_EQ(segments, 200u);
}

TEST_F(Sending, AHugeWindowIsFilledInBursts) {
  begin(1000 * kSaDataSize);
  EXPECT_EQ(deliver(control(RmppType::kAck, 1, 0xFFFFFFFF)).size(), RmppOptions{}.burst);
  EXPECT_LE(sender.next_event(), kNow);
  std::size_t segments = 1 + RmppOptions{}.burst;
  while (sender.next_event() <= kNow) {
    sender.step(kNow, out);
    segments += take_headers().size();
  }
  EXPECT_EQ(segments, 1000u);
}

TEST_F(Sending, AnEndedTransferSendsNoMoreSegments) {
  begin(200 * kSaDataSize);
  deliver(control(RmppType::kAck, 1, 100));
  ASSERT_EQ(sender.next_event(), TimeNs{0}) << "the transfer continues at the next step";
  EXPECT_TRUE(deliver(control(RmppType::kStop, 0, 0)).empty());
  sender.step(kNow, out);
  EXPECT_TRUE(take_headers().empty());
  EXPECT_EQ(sender.next_event(), TimeNs::max());
}

TEST_F(Sending, AnotherRequestEndsUnacknowledgedTransfers) {
  begin(3 * kSaDataSize);
  sender.end_unacknowledged(Lid(9), kNow);
  EXPECT_EQ(sender.under_way(), 1u);  // an acknowledgement may be in flight
  sender.end_unacknowledged(Lid(8), kNow + std::chrono::seconds(1));
  EXPECT_EQ(sender.under_way(), 1u);
  constexpr TimeNs kAckWithin = std::chrono::milliseconds(20);
  sender.end_unacknowledged(Lid(9), kNow + kAckWithin - TimeNs{1});
  EXPECT_EQ(sender.under_way(), 1u);
  sender.end_unacknowledged(Lid(9), kNow + kAckWithin);
  EXPECT_EQ(sender.under_way(), 0u);
}

TEST_F(Sending, NewTransfersReplaceUnacknowledgedTransfersOfTheSamePort) {
  RmppSender small({.transfers_of_port = 2});
  const auto request_table = [&](std::uint64_t transaction, Lid port, TimeNs now) {
    Gmp first = table_header();
    first.transaction_id = transaction;
    first.peer.lid = port;
    return small.begin(first, numbered(900), now, out);
  };
  const TimeNs later = kNow + std::chrono::milliseconds(3);
  EXPECT_TRUE(request_table(1, Lid(9), kNow));
  EXPECT_TRUE(request_table(2, Lid(9), kNow + std::chrono::milliseconds(2)));
  EXPECT_FALSE(request_table(
      3, Lid(9), kNow + std::chrono::milliseconds(1)));  // both may still be acknowledged
  EXPECT_TRUE(request_table(3, Lid(8), later));
  EXPECT_TRUE(request_table(3, Lid(9), later));  // replaces the first transfer
  EXPECT_FALSE(request_table(4, Lid(9), later));
  EXPECT_EQ(small.under_way(), 3u);
}

TEST_F(Sending, OneSegmentIsSentWithoutState) {
  EXPECT_EQ(begin(kSaDataSize).size(), 1u);
  EXPECT_EQ(sender.under_way(), 0u);
}

TEST_F(Sending, MemoryIsLimited) {
  RmppSender small({.sending_max = 1000});
  EXPECT_TRUE(small.begin(table_header(), numbered(900), kNow, out));
  EXPECT_EQ(small.bytes(), 900u);
  Gmp other = table_header();
  other.transaction_id = 43;
  EXPECT_FALSE(small.begin(other, numbered(201), kNow, out));
  EXPECT_TRUE(small.begin(table_header(), numbered(1000), kNow, out));  // replaces the old transfer
}

/// Source of the bytes of numbered(). Counts the produced bytes in `made`.
class Numbers final : public RmppSource {
 public:
  Numbers(std::size_t size, std::size_t& made, std::uint64_t generation = 1)
      : all_(numbered(size)), made_(made), generation_(generation) {}
  bool append(std::vector<std::byte>& payload, std::size_t bytes) override {
    const auto taken = std::min(bytes, all_.size() - made_);
    const auto from = all_.begin() + static_cast<std::ptrdiff_t>(made_);
    payload.insert(payload.end(), from, from + static_cast<std::ptrdiff_t>(taken));
    made_ += taken;
    return made_ < all_.size();
  }
  std::uint64_t generation() const override { return generation_; }

 private:
  const std::vector<std::byte> all_;
  std::size_t& made_;
  const std::uint64_t generation_;
};

class FromSource : public Sending {
 protected:
  static constexpr RmppOptions kOptions{.sending_max = 40'000,
                                        .head_max = 10'000,
                                        .piece = 3'000,
                                        .sources_of_port = 2,
                                        .port_share = 2};
  bool begin(std::size_t size, std::uint64_t transaction = 42, std::uint64_t generation = 1) {
    made = 0;
    Gmp header = table_header();
    header.transaction_id = transaction;
    header.peer.lid = Lid(static_cast<std::uint16_t>(transaction));
    return sender.begin(header, std::make_unique<Numbers>(size, made, generation), kNow, out);
  }
  void settle() {
    while (sender.next_event() <= kNow) sender.step(kNow, out);
  }
  /// Passes segments to the receiver and its ACKs to the sender until there are no more segments.
  /// Returns the received bytes. Expects that the sender has at most `held_max` bytes after each
  /// exchange.
  std::vector<std::byte> receive(std::uint32_t window, std::size_t held_max) {
    RmppReceiver receiver({.request_max = 10'000'000, .window = window});
    std::vector<std::byte> whole;
    for (settle(); !sent.empty(); settle()) {
      std::vector<Gmp> back;
      for (const Gmp& gmp : std::exchange(sent, {}))
        if (auto received =
                receiver.on_data(gmp, kNow, [&](const Gmp& ack) { back.push_back(ack); }))
          whole = std::move(received->payload);
      for (const Gmp& ack : back) sender.on_gmp(ack, kNow, out);
      EXPECT_LE(sender.bytes(), held_max);
    }
    return whole;
  }
  RmppSender sender{kOptions};
  std::size_t made = 0;
};

TEST_F(FromSource, ALargeTableIsProducedAsTheWindowAdvances) {
  constexpr std::size_t kSize = 1'000'001;
  ASSERT_TRUE(begin(kSize));
  settle();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(rmpp_header(sent[0]).first);
  EXPECT_EQ(rmpp_header(sent[0]).length, 0u);  // the length is not known yet
  EXPECT_LE(made, kOptions.head_max + kOptions.piece);
  EXPECT_EQ(receive(8, 2 * kOptions.head_max), numbered(kSize));
  EXPECT_EQ(sender.under_way(), 0u);
  EXPECT_EQ(sender.bytes(), 0u);
}

TEST_F(FromSource, ASmallPayloadEqualsAPayloadSentAtOnce) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kSaDataSize, kSaDataSize + 1,
                                 15 * kSaDataSize, std::size_t{9'999}}) {
    ASSERT_TRUE(begin(size));
    settle();
    ASSERT_EQ(sent.size(), 1u);
    const std::size_t segments = std::max<std::size_t>(1, (size + kSaDataSize - 1) / kSaDataSize);
    EXPECT_EQ(rmpp_header(sent[0]).length, size + segments * kSaHeaderSize) << size;
    EXPECT_EQ(sa_header(sent[0]).attribute_offset, size == 0 ? 0 : 8);
    if (segments == 1) {
      EXPECT_EQ(sender.under_way(), 0u);
      sent.clear();
      continue;
    }
    EXPECT_EQ(receive(3, kOptions.head_max), numbered(size));
    EXPECT_EQ(sender.under_way(), 0u);
  }
}

TEST_F(FromSource, TransfersAreLimitedByMemory) {
  EXPECT_TRUE(begin(50'000, 1));
  EXPECT_TRUE(begin(50'000, 2));
  EXPECT_TRUE(begin(50'000, 3));
  EXPECT_TRUE(begin(50'000, 4));
  EXPECT_FALSE(begin(50'000, 5));
  EXPECT_LE(sender.bytes(), kOptions.sending_max);
  EXPECT_TRUE(begin(50'000, 4));  // replaces the old transfer
}

TEST_F(FromSource, SourcesOfOnePortAreLimited) {
  Gmp header = table_header();
  for (std::uint64_t transaction = 1; transaction <= 3; ++transaction) {
    header.transaction_id = transaction;
    std::size_t own = 0;
    EXPECT_TRUE(sender.begin(header, std::make_unique<Numbers>(0, own), kNow, out));
  }
  std::array<std::size_t, 3> own{};
  for (std::size_t i = 0; i < own.size(); ++i) {
    header.transaction_id = 10 + i;
    EXPECT_EQ(sender.begin(header, std::make_unique<Numbers>(50'000, own[i]), kNow, out), i < 2);
  }
}

TEST_F(FromSource, OnePortIsLimitedToAShareOfTheMemory) {
  Gmp header = table_header();
  const auto begins = [&](std::uint64_t transaction, std::size_t bytes) {
    header.transaction_id = transaction;
    return sender.begin(header, std::vector<std::byte>(bytes), kNow, out);
  };
  EXPECT_TRUE(begins(1, 15'000));
  EXPECT_FALSE(begins(2, 6'000));
  EXPECT_TRUE(begins(3, 5'000));
  header.peer.lid = Lid(static_cast<std::uint16_t>(header.peer.lid.value() + 1));
  EXPECT_TRUE(begins(4, 20'000));  // the other port may use all remaining memory
  EXPECT_FALSE(begins(5, 201));
}

TEST_F(FromSource, TransfersOfOldSnapshotsAreStopped) {
  ASSERT_TRUE(begin(50'000, 42, 3));
  settle();
  sent.clear();
  sender.abort_older(3, out);
  EXPECT_EQ(sender.under_way(), 1u);
  sender.abort_older(4, out);
  EXPECT_EQ(sender.under_way(), 0u);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(rmpp_header(sent[0]).type, RmppType::kStop);
}

class Receiving : public Sending {
 protected:
  std::optional<RmppReceiver::Received> data(std::uint32_t segment, bool first, bool last,
                                             std::uint32_t length, std::uint8_t version = 1) {
    Gmp gmp = table_header();
    gmp.method = sa_method::kGetMulti;
    RmppHeader header;
    header.version = version;
    header.type = RmppType::kData;
    header.active = true;
    header.first = first;
    header.last = last;
    header.segment = segment;
    header.length = length;
    set_rmpp_header(gmp, header);
    return receiver.on_data(gmp, kNow, out);
  }
  RmppReceiver receiver{RmppOptions{}};
};

TEST_F(Receiving, AssemblesSegmentsInOrder) {
  EXPECT_FALSE(data(1, true, false, 0));
  EXPECT_FALSE(data(1, true, false, 0));   // a repeated segment
  EXPECT_FALSE(data(3, false, true, 30));  // out of order
  EXPECT_FALSE(data(2, false, false, 0));
  const auto whole = data(3, false, true, 30);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->payload.size(), 2 * kSaDataSize + 10);
  const auto acks = take_headers();
  ASSERT_EQ(acks.size(), 5u);
  EXPECT_EQ(acks[2].segment, 1u);
  EXPECT_EQ(acks[4].segment, 3u);
  EXPECT_EQ(acks[4].length, 3u);
  EXPECT_EQ(receiver.under_way(), 0u);
}

TEST_F(Receiving, RefusesInvalidSegments) {
  const auto reason = [&](std::uint32_t segment, bool first, bool last, std::uint32_t length,
                          std::uint8_t version) {
    EXPECT_FALSE(data(segment, first, last, length, version));
    EXPECT_EQ(receiver.under_way(), 0u);
    const auto answer = take_headers();
    return answer.empty() ? 0 : answer.back().status;
  };
  EXPECT_EQ(reason(1, true, true, 20, 2), rmpp_status::kUnsupportedVersion);
  EXPECT_EQ(reason(2, true, false, 0, 1), rmpp_status::kInconsistentFirst);
  EXPECT_EQ(reason(1, false, false, 0, 1), rmpp_status::kInconsistentFirst);
  data(1, true, false, 0);
  EXPECT_EQ(reason(2, false, true, 900, 1), rmpp_status::kInconsistentLast);
  data(1, true, false, 0);
  EXPECT_EQ(reason(100, false, false, 0, 1), rmpp_status::kSegmentTooBig);
  EXPECT_EQ(reason(5, false, false, 0, 1), 0);  // a segment of an unknown transfer is not answered
}

TEST_F(Receiving, StopsAnEndlessRequest) {
  EXPECT_FALSE(data(1, true, false, 0));
  for (std::uint32_t segment = 2; receiver.under_way() > 0; ++segment) {
    ASSERT_LT(segment, 1000u);
    EXPECT_FALSE(data(segment, false, false, 0));
  }
  EXPECT_EQ(take_headers().back().type, RmppType::kStop);
}

TEST(ReceivingByPort, LimitsTheRequestsOfAllLidsOfAPort) {
  std::vector<Gmp> sent;
  const PortOf pairs = [](Lid lid) {  // LMC 1
    return Lid(static_cast<std::uint16_t>(lid.value() & ~1u));
  };
  RmppReceiver receiver({.receiving_max = 5, .receiving_of_port = 2}, pairs);
  const auto begins = [&](unsigned lid, std::uint64_t transaction) {
    Gmp gmp = control(RmppType::kData, 1, 0);
    RmppHeader header = rmpp_header(gmp);
    header.first = true;
    set_rmpp_header(gmp, header);
    gmp.transaction_id = transaction;
    gmp.peer.lid = Lid(static_cast<std::uint16_t>(lid));
    const std::size_t before = receiver.under_way();
    EXPECT_FALSE(receiver.on_data(gmp, kNow, [&](const Gmp& ack) { sent.push_back(ack); }));
    return receiver.under_way() > before;
  };
  EXPECT_TRUE(begins(8, 1));
  EXPECT_TRUE(begins(9, 2));
  EXPECT_FALSE(begins(8, 3));
  EXPECT_FALSE(begins(9, 4));
  EXPECT_EQ(rmpp_header(sent.back()).status, rmpp_status::kResourcesExhausted);
  EXPECT_EQ(receiver.refused(), 2u);
  EXPECT_TRUE(begins(7, 1));
  EXPECT_TRUE(begins(10, 1));
  EXPECT_TRUE(begins(11, 1));
  EXPECT_FALSE(begins(12, 1)) << "the limit for all ports is reached";
  EXPECT_EQ(receiver.refused(), 3u);
}

TEST_F(Receiving, EndsTransfersWithoutFurtherSegments) {
  EXPECT_FALSE(data(1, true, false, 0));
  take_headers();
  receiver.step(receiver.next_event(), out);
  EXPECT_EQ(take_headers().back().status, rmpp_status::kTotalTimeTooLong);
  EXPECT_EQ(receiver.under_way(), 0u);
}

}  // namespace
}  // namespace weft
