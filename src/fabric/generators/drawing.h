// A fabric under construction by a generator: switches by name, cables and hosts on ports. Then
// damage (damage.h) marks what is gone, and finish() gives the Fabric. All switches have the same
// number of ports.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

class Parameters;

/// What a shape will be, computed before anything is drawn. Products saturate: see product().
struct DrawingSize {
  std::uint64_t switches = 0;
  std::uint64_t hosts = 0;
  std::uint64_t ports = 0;  // the most that a switch needs
};

class Drawing {
 public:
  using Switch = std::uint32_t;
  struct Cable {
    Switch a, b;
    std::uint8_t a_port, b_port;
    bool cut = false;
  };

  /// An empty drawing with room for a shape. Fails with kUsage when the shape has more
  /// nodes than there are unicast LIDs, or more ports a switch than 254 or than radix= says.
  /// `model_ports` is what the switches are known to have where that is more than the shape needs.
  static Result<Drawing> start(const Parameters& parameters, const DrawingSize& size,
                               unsigned model_ports = 0);

  Switch add_switch(std::string name);
  /// Ports 1..count of every switch will not be taken by cable() and add_hosts(): they are for
  /// cable_at(). Comes before the first switch.
  void reserve_ports(unsigned count) { reserved_ = count; }
  /// Takes the next free port of each end, `count` times.
  void cable(Switch a, Switch b, unsigned count = 1);
  void cable_at(Switch a, unsigned a_port, Switch b, unsigned b_port);
  /// Hosts on the next free ports; they are named host-1, host-2, ... in order of adding.
  void add_hosts(Switch at, unsigned count);
  void add_hosts_everywhere(unsigned per_switch);

  std::uint32_t switch_count() const { return static_cast<std::uint32_t>(switches_.size()); }
  std::span<const Cable> cables() const { return cables_; }
  bool dead(Switch at) const { return switches_[at].dead; }
  /// True where the cable and both switches are there.
  bool whole(const Cable& cable) const { return !cable.cut && !dead(cable.a) && !dead(cable.b); }
  void cut(std::size_t cable) { cables_[cable].cut = true; }
  void kill(Switch at) { switches_[at].dead = true; }

  /// GUIDs follow the order of adding, whatever is damaged: switches 0x0010000000000001 and on,
  /// hosts 0x0020000000000010 and on in steps of 16, a host's port one more than the host.
  Result<Fabric> finish(LinkWidth width, LinkSpeed speed) const;

 private:
  struct SwitchDraft {
    std::string name;
    unsigned ports = 0;  // the last one taken by cable() or add_hosts()
    bool dead = false;
  };
  struct Host {
    Switch at;
    std::uint8_t port;
  };
  explicit Drawing(unsigned radix) : radix_(radix) {}
  std::uint8_t take_port(Switch at);

  unsigned radix_;
  unsigned reserved_ = 0;
  std::vector<SwitchDraft> switches_;
  std::vector<Cable> cables_;
  std::vector<Host> hosts_;
};

/// Factors multiplied, at most 2^40: more than anything that can be drawn, and safe to add up.
std::uint64_t product(std::span<const unsigned> factors);
std::uint64_t product(std::initializer_list<std::uint64_t> factors);

}  // namespace weft
