// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A fabric that a generator composes: switches by name, cables and hosts on ports. Then damage
// (damage.h) marks the removed parts, and finish() builds the Fabric. All switches have the same
// number of ports.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

class Parameters;

/// The size of a fabric, computed before it is generated. Products saturate: see product().
struct DrawingSize {
  std::uint64_t switches = 0;
  std::uint64_t hosts = 0;          // LIDs of hosts: hosts, or ports of hosts
  std::uint64_t ports = 0;          // largest number of ports in use on a switch
  std::string_view word = "hosts";  // noun for what `hosts` counts
};

class Drawing {
 public:
  using Switch = std::uint32_t;
  struct Cable {
    Switch a, b;
    std::uint8_t a_port, b_port;
    bool cut = false;
  };

  /// Starts a fabric of this size. Fails with kUsage if it has more nodes than there are unicast
  /// LIDs, more ports per switch than 254 or than radix= allows, or too many switch ports in all.
  /// `model_ports` is the number of ports of the switch model if fewer are needed.
  static Result<Drawing> start(const Parameters& parameters, const DrawingSize& size,
                               unsigned model_ports = 0);

  Switch add_switch(std::string name);
  /// Reserves ports 1..count of every switch for cable_at(): cable() and add_hosts() skip them.
  /// Call it before adding switches.
  void reserve_ports(unsigned count) { reserved_ = count; }
  /// Adds `count` cables, each between the next free ports of both switches.
  void cable(Switch a, Switch b, unsigned count = 1);
  void cable_at(Switch a, unsigned a_port, Switch b, unsigned b_port);
  /// Adds hosts on the next free ports, named host-1, host-2, ... in the order in which they are
  /// added.
  void add_hosts(Switch at, unsigned count);
  void add_hosts_everywhere(unsigned per_switch);
  /// Adds a host with an adapter for each switch in `places`, named "host-1 mlx5_0" and so on, each
  /// cabled to the next free port of its switch.
  void add_server(std::span<const Switch> places);

  /// Replaces each switch and cable by `planes` copies, named "plane1-..." and so on, and each port
  /// of a host by as many ports, one in each plane. The copies of a switch have the same system
  /// image GUID. Fails with kUsage if there are too few LIDs or ports.
  Status repeat_in_planes(const Parameters& parameters, unsigned planes);
  /// Adds two fabric-management (FNM) ports to each switch after its other ports. The copies of a
  /// switch (repeat_in_planes) are cabled in a ring: the first FNM port to the second FNM port of
  /// the copy in the next plane. Fails with kUsage if switches then have too many ports.
  Status add_fnm_rings(const Parameters& parameters);
  /// Removes all switches of a plane; planes are numbered from 1.
  void remove_plane(unsigned plane);

  std::uint32_t switch_count() const { return static_cast<std::uint32_t>(switches_.size()); }
  std::span<const Cable> cables() const { return cables_; }
  bool is_dead(Switch at) const { return switches_[at].dead; }
  /// Whether the cable and both its switches are undamaged.
  bool is_whole(const Cable& cable) const {
    return !cable.cut && !is_dead(cable.a) && !is_dead(cable.b);
  }
  void cut(std::size_t cable) { cables_[cable].cut = true; }
  void remove(Switch at) { switches_[at].dead = true; }

  /// Builds the fabric. GUIDs follow the order of addition, independent of damage: switches from
  /// 0x0010000000000001, adapters of hosts from 0x0020000000000010 in steps of 16. The GUID of port
  /// n of an adapter is the GUID of the adapter plus n. Leaves out removed switches, cables that
  /// are not is_whole(), and adapters with removed switches at all their ports.
  Result<Fabric> finish(LinkWidth width, LinkSpeed speed) const;

 private:
  struct SwitchDraft {
    std::string name;
    unsigned ports = 0;  // the last port used by cable() or add_hosts()
    bool dead = false;
  };
  struct HostPort {
    Switch at;
    std::uint8_t port;
  };
  struct Adapter {
    std::uint32_t host;   // number of the host, from 1
    std::uint8_t number;  // number within its host
    std::uint8_t ports;
    bool alone;  // the only adapter of its host
  };
  explicit Drawing(unsigned radix) : radix_(radix) {}
  std::uint8_t take_port(Switch at);

  unsigned radix_;
  unsigned reserved_ = 0;
  unsigned planes_ = 1;
  unsigned fnm_ports_ = 0;  // FNM ports of each switch, after `radix_` ports
  std::vector<SwitchDraft> switches_;
  std::vector<Cable> cables_;
  std::uint32_t hosts_ = 0;
  std::vector<Adapter> adapters_;
  std::vector<HostPort> host_ports_;  // ports of all adapters, in order
};

/// Product of the factors, at most 2^40. This limit is larger than any fabric, and sums of products
/// do not overflow.
std::uint64_t product(std::span<const unsigned> factors);
std::uint64_t product(std::initializer_list<std::uint64_t> factors);

}  // namespace weft
