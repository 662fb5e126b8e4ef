// Nodes that tell of a change of their own (trap 144), of their description or of a port's
// capability mask, are asked for that, and nobody is asked for anything else.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "sm/node_names.h"
#include "sm/observed.h"
#include "sm/smp_client.h"

namespace weft {

/// Who told what.
struct LocalChanges {
  std::set<Guid> names;         // GUIDs of nodes whose description changed
  std::set<Guid> capabilities;  // GUIDs of ports whose capability mask changed
  bool empty() const { return names.empty() && capabilities.empty(); }
};

class LocalChangeReading final : public SmpWork {
 public:
  /// Of nodes and ports as far as the observation has them.
  LocalChangeReading(const Observed& observed, const LocalChanges& changes);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  struct Name {
    NodeId node;
    std::string text;
  };
  struct Capabilities {
    NodeId node;
    PortNum port;
    std::uint32_t mask = 0;
    std::uint16_t mask2 = 0;
  };
  // Of those that answered.
  const std::vector<Name>& names() const { return names_; }
  const std::vector<Capabilities>& capabilities() const { return capabilities_; }
  /// Who did not, or with a bad status: for messages.
  const std::vector<std::string>& silent() const { return silent_; }
  /// A port of those did not.
  bool missed_a_port() const { return missed_a_port_; }

 private:
  struct Question {
    NodeId node;
    std::optional<PortNum> port;  // its PortInfo; without it the NodeDescription of the node
  };
  DirectedPath path_to(const Question& question) const;
  void miss(const Question& question, const std::string& why);

  const Observed& observed_;
  std::vector<Question> questions_;
  std::size_t at_ = 0;
  std::vector<Name> names_;
  std::vector<Capabilities> capabilities_;
  std::vector<std::string> silent_;
  bool missed_a_port_ = false;
};

/// The graph of the observation with other descriptions. Those that the administrator gave stay,
/// and the nodes' own go beside them. Fails where the graph cannot be drawn again as it is.
Status rename(Observed& observed, const std::vector<LocalChangeReading::Name>& names,
              const NodeNames& given);

}  // namespace weft
