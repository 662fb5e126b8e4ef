// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The channel dependency graph: a vertex is a channel with a virtual lane; an edge means that a
// packet can hold the first vertex while it waits for the second. Routes cannot deadlock if the
// graph has no cycle (Dally and Seitz, 1987).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "ib/ids.h"

namespace weft {

class DependencyGraph {
 public:
  struct Vertex {
    ChannelId channel;
    std::uint8_t vl = 0;
    bool operator==(const Vertex&) const = default;
  };

  /// Whether packets may change their VL at a switch.
  enum class Lanes : std::uint8_t { kMixed, kKept };

  /// Creates a graph without edges on VLs 0..vls-1. Memory for each pair of consecutive channels:
  /// one bit for each VL if packets keep their VL, otherwise one bit for each pair of VLs.
  DependencyGraph(const Fabric& fabric, unsigned vls, Lanes lanes = Lanes::kMixed);
  DependencyGraph(const DependencyGraph&) = delete;  // copy() is explicit
  DependencyGraph& operator=(const DependencyGraph&) = delete;
  DependencyGraph(DependencyGraph&&) = default;
  DependencyGraph& operator=(DependencyGraph&&) = default;

  /// Adds an edge. `to` must start at the switch where `from` ends, on the same VL if packets keep
  /// their VL. Several threads may call this function at the same time.
  void add(Vertex from, Vertex to);

  /// Adds edges on the VLs of a bit mask. Packets must keep their VL.
  void add_vls(ChannelId from, ChannelId to, std::uint64_t vls);

  /// For loops over many packets that keep their VLs: the dependencies of a channel on the k-th
  /// channel that leaves the next switch are the bits from first_bit() + k * bits_per_pair(), VL by
  /// VL.
  std::size_t first_bit(ChannelId from) const { return row(from).begin; }
  std::size_t bits_per_pair() const { return stride_; }
  /// Sets bits of the graph. May be copied, and used by several threads at the same time.
  class Marker {
   public:
    explicit Marker(DependencyGraph& graph) : words_(graph.bits_.data()) {}
    /// Adds dependencies on the VLs of a bit mask.
    void mark(std::size_t first_bit, std::uint64_t vls) const {
      std::atomic<std::uint64_t>& word = words_[first_bit / 64];
      const std::uint64_t bits = vls << (first_bit % 64);
      // Most dependencies are already set: reading first avoids contention for the cache line.
      if ((word.load(std::memory_order_relaxed) & bits) != bits)
        word.fetch_or(bits, std::memory_order_relaxed);
    }

   private:
    std::atomic<std::uint64_t>* words_;
  };

  /// Adds all edges of a graph of the same fabric, with the same number of VLs and the same Lanes.
  void add(const DependencyGraph& other);
  /// Adds the edges of a graph of the same fabric with all vertices moved to VL 0. With `only`,
  /// adds only the edges within that VL.
  void add_flat(const DependencyGraph& other, std::optional<unsigned> only = std::nullopt);

  std::uint64_t edge_count() const;

  DependencyGraph copy() const;
  /// A graph of the same fabric and VLs without edges. Both graphs share the layout.
  DependencyGraph without_edges() const;
  /// Makes the graph refer to an equal fabric. The previous fabric may have been destroyed.
  void refer_to(const Fabric& fabric);
  /// Whether the edges are equal; for graphs of the same fabric.
  bool same_edges(const DependencyGraph& other) const;
  /// The VLs (bit mask) on which a channel depends on another channel. Packets must keep their VL.
  std::uint64_t vls(ChannelId from, ChannelId to) const;
  void set_vls(ChannelId from, ChannelId to, std::uint64_t vls);
  /// Copies the dependencies of consecutive channels from a graph of another fabric, if the same
  /// channels leave the switches where they end. Both graphs must have the same VLs, and packets
  /// must keep their VL.
  void copy_rows(ChannelId first, std::uint32_t count, const DependencyGraph& other,
                 ChannelId others_first);
  unsigned vl_count() const { return vls_; }
  /// Whether packets keep their VL at all switches.
  bool keeps_lanes() const { return lanes_ == Lanes::kKept; }

  bool is_acyclic() const;
  /// Whether no cycle is reachable from the vertices of these channels. Packets must keep their VL.
  /// If only edges to these channels were added to a graph without cycles, the result equals that
  /// of is_acyclic().
  bool is_acyclic_behind(const std::vector<ChannelId>& channels) const;
  /// is_acyclic() with all vertices moved to VL 0. Packets must keep their VL.
  bool is_acyclic_on_one_lane() const;

  /// Number of vertices on cycles.
  std::uint64_t vertices_on_cycles() const;

  /// The vertices of a cycle in order, each waiting for the next and the last for the first; empty
  /// if there is no cycle. The cycle is a shortest cycle through the first vertex that was found on
  /// a cycle.
  std::vector<Vertex> find_cycle() const;

 private:
  std::size_t bit(Vertex from, Vertex to) const;
  std::size_t vertex_count() const { return fabric_->channel_count() * std::size_t{vls_}; }
  Vertex vertex(std::size_t index) const {
    return {ChannelId(static_cast<std::uint32_t>(index / vls_)),
            static_cast<std::uint8_t>(index % vls_)};
  }
  std::size_t index(Vertex v) const { return v.channel.value() * std::size_t{vls_} + v.vl; }
  std::vector<std::size_t> successors(std::size_t from) const;
  std::uint64_t bits(std::size_t at, std::size_t count) const;
  std::uint64_t pairs_on(std::uint32_t channel, std::size_t word, std::uint64_t vls) const;
  bool is_acyclic_on(std::uint64_t vls, const std::vector<ChannelId>* from = nullptr) const;
  bool is_acyclic_kept(const std::vector<ChannelId>* from) const;
  bool is_acyclic_mixed() const;
  std::vector<std::size_t> any_cycle() const;
  std::vector<std::size_t> shortest_cycle_through(std::size_t start) const;

  const Fabric* fabric_;
  unsigned vls_;
  Lanes lanes_;
  std::size_t stride_;  // bits of a pair of channels; a power of two if packets keep their VL
  /// First bit of a channel, and the channels that start at the switch where the channel ends.
  struct Row {
    std::size_t begin;
    std::uint32_t first_next;
    std::uint32_t nexts;
  };
  using Rows = std::vector<Row>;
  static Rows layout(const Fabric& fabric, std::size_t stride);
  DependencyGraph(const Fabric& fabric, unsigned vls, Lanes lanes,
                  std::shared_ptr<const Rows> rows);
  const Row& row(ChannelId channel) const { return first_row_[channel.value()]; }

  std::shared_ptr<const Rows> rows_;  // by channel, with one entry at the end
  const Row* first_row_;              // first element of *rows_
  std::vector<std::atomic<std::uint64_t>> bits_;
};

/// Channel dependencies by kind of packets.
struct Dependencies {
  DependencyGraph cas;       // packets between CAs
  DependencyGraph switches;  // further dependencies, of packets to and from port 0 of switches

  /// Makes the graphs refer to an equal fabric. The previous fabric may have been destroyed.
  void refer_to(const Fabric& fabric) {
    cas.refer_to(fabric);
    switches.refer_to(fabric);
  }
};

}  // namespace weft
