// A fabric under construction by a generator: switches and hosts by name, cables on the next free
// ports; then the damage that a spec asks for, and the finished Fabric.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "fabric/fabric.h"

namespace weft {

class Drawing {
 public:
  using Switch = std::uint32_t;

  Switch add_switch(std::string name);
  std::uint32_t switch_count() const { return static_cast<std::uint32_t>(switches_.size()); }

  /// Takes the next free port of each end.
  void cable(Switch a, Switch b, unsigned count = 1);
  void host(Switch at, std::string name);
  /// Sets `count` further ports of every switch aside for cable_at, so that a port means the same
  /// everywhere.
  void reserve_ports(unsigned count);
  /// Cables reserved ports: `a_offset` is 1 for the first of those that reserve_ports set aside
  /// last.
  void cable_at(Switch a, unsigned a_offset, Switch b, unsigned b_offset);
  std::uint32_t host_count() const { return static_cast<std::uint32_t>(hosts_.size()); }
  /// True where some cable joins the two.
  bool joined(Switch a, Switch b) const;

  /// Removes switches (with their hosts) and cables between switches, drawn by seed. While
  /// `stay_connected`, a victim whose loss would separate the remaining hosts is drawn anew. Fails
  /// with kUsage when there are not enough.
  Status damage(unsigned dead_switches, unsigned failed_cables, bool stay_connected, Rng rng);

  /// Switches get at least `radix` ports. GUIDs follow the order of adding, so a generator gives
  /// equal fabrics.
  Result<Fabric> finish(unsigned radix, LinkWidth width, LinkSpeed speed) const;

 private:
  struct SwitchDraft {
    std::string name;
    unsigned ports = 0;  // used so far
    bool dead = false;
  };
  struct Cable {
    Switch a, b;
    unsigned a_port, b_port;
    bool cut = false;
  };
  struct Host {
    Switch at;
    unsigned port;
    std::string name;
  };
  bool hosts_connected() const;

  unsigned reserved_begin_ = 0;
  std::vector<SwitchDraft> switches_;
  std::vector<Cable> cables_;
  std::vector<Host> hosts_;
};

}  // namespace weft
