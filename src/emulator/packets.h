// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SMPs in flight, in reusable slots. The addresses of slots are stable, because the handler of an
// SMP may send another SMP.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/walk.h"
#include "ib/smp.h"

namespace weft::emulator {

struct Packet {
  Smp smp;
  Place from;
  Place to;
  std::uint32_t epoch = 0;  // link epoch when the path was found
};

class PacketPool {
 public:
  Packet& operator[](std::uint32_t slot) { return (*chunks_[slot / kChunk])[slot % kChunk]; }

  std::uint32_t take() {
    if (free_.empty()) grow();
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(std::uint32_t slot) { free_.push_back(slot); }
  std::size_t in_use() const { return chunks_.size() * kChunk - free_.size(); }

 private:
  static constexpr std::uint32_t kChunk = 256;
  void grow() {
    const auto first = static_cast<std::uint32_t>(chunks_.size()) * kChunk;
    chunks_.push_back(std::make_unique<std::array<Packet, kChunk>>());
    for (std::uint32_t i = kChunk; i-- > 0;) free_.push_back(first + i);
  }

  std::vector<std::unique_ptr<std::array<Packet, kChunk>>> chunks_;
  std::vector<std::uint32_t> free_;
};

}  // namespace weft::emulator
