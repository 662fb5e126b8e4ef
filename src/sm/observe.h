// Discovery by directed routes from the manager's own port outward, pipelined: every answer may
// bring more questions.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "ib/ids.h"
#include "sm/observed.h"
#include "sm/smp_client.h"

namespace weft {

/// Feed it to an SmpClient until there is nothing more to do, then take the result. A node that
/// stops answering is left out, or kept with what it said, and named in the warnings; so is a GUID
/// that two nodes claim.
class Discovery final : public SmpWork {
 public:
  explicit Discovery(Mkey mkey);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Smp& request) override;

  /// The fabric as found. Fails with kEnvironment when not even the own port answers.
  Result<Observed> result() &&;

 private:
  struct Question {
    AttributeId attribute;
    std::uint32_t node;  // whom it is about; for NodeInfo who is on the near side of the cable
    std::uint8_t port;  // PortInfo: which; NodeInfo: the near port, kOwnNode for the first question
  };
  struct Cable {
    std::uint32_t node = 0;
    std::uint8_t port = 0;
  };
  struct Draft {
    ObservedNode seen;
    std::string description;
    std::vector<std::optional<Cable>> cables;  // by port
    std::vector<Guid> port_guids;              // by port
  };
  static constexpr std::uint8_t kOwnNode = 255;

  void ask(AttributeId attribute, std::uint32_t node, std::uint8_t port = 0);
  void on_node_info(const Question& question, const Smp& answer);
  void on_port_info(const Question& question, const Smp& answer);
  void on_switch_info(const Question& question, const Smp& answer);
  std::uint32_t add_node(const NodeInfo& info, const DirectedPath& path);
  void connect(std::uint32_t a, std::uint8_t a_port, std::uint32_t b, std::uint8_t b_port);
  DirectedPath path_over(std::uint32_t node, std::uint8_t port) const;
  std::string name(std::uint32_t node) const;
  bool explored(const Question& question) const;

  const Mkey mkey_;
  std::deque<Question> questions_;
  std::vector<Draft> drafts_;
  std::unordered_map<Guid, std::uint32_t> by_guid_;
  std::uint8_t own_port_ = 0;
  std::vector<std::string> warnings_;
};

}  // namespace weft
