// Nodes that have told that their description changed (trap 144) are asked for it, and nobody is
// asked for anything else.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "sm/node_names.h"
#include "sm/observed.h"
#include "sm/smp_client.h"

namespace weft {

class NameReading final : public SmpWork {
 public:
  /// Nodes of these GUIDs, as far as the observation has them.
  NameReading(const Observed& observed, const std::set<Guid>& nodes);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  struct Name {
    NodeId node;
    std::string text;
  };
  /// Of those that answered.
  const std::vector<Name>& names() const { return names_; }
  /// Who did not.
  const std::vector<std::string>& silent() const { return silent_; }

 private:
  DirectedPath path_to(NodeId node) const;

  const Observed& observed_;
  std::vector<NodeId> nodes_;
  std::size_t at_ = 0;
  std::vector<Name> names_;
  std::vector<std::string> silent_;
};

/// The graph of the observation with other descriptions. Those that the administrator gave stay,
/// and the nodes' own go beside them. Fails where the graph cannot be drawn again as it is.
Status rename(Observed& observed, const std::vector<NameReading::Name>& names,
              const NodeNames& given);

}  // namespace weft
