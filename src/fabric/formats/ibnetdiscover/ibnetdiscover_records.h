// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Collects the records of an ibnetdiscover text or an ibsim net in file order and builds one
// fabric. Nodes are identified by the id in quotes, never by name. Usually a cable is listed at
// both ends. If lines contradict each other, a cable listed at both ends has precedence over a
// cable listed at one end, and an earlier line over a later line. A warning names each ignored line
// that contradicts another line.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fabric/formats/format.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"

namespace weft {

class NetRecords {
 public:
  NetRecords(FabricBuilder& builder, Warnings& warnings) : builder_(builder), warnings_(warnings) {}

  /// Takes the lines in file order; `at` is the reader. Errors begin with "FILE:LINE: ".
  Status key(const LineReader& at, const NetKeyLine& line);
  Status node(const LineReader& at, const NetNodeLine& line);
  Status port(const LineReader& at, const NetPortLine& line);

  /// Generates GUIDs for nodes without a valid one, and adds the cables. `path` is for messages.
  Status finish(const std::string& path);

 private:
  using NodeIndex = FabricBuilder::NodeIndex;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  struct Place {  // position of a line
    std::uint32_t file = 0;
    std::uint32_t line = 0;
  };
  struct Entry {  // an id, and its record if there is one
    std::string id;
    NodeIndex node = kNone;
    Place place;
  };
  struct Claim {  // a port line: a cable from this port to a port of the peer
    NodeIndex node = 0;
    std::uint32_t peer = 0;  // index of the peer's entry
    std::uint8_t port = 0;
    std::uint8_t peer_port = 0;
    bool used = false;
    Place place;
  };
  struct Pending {  // key lines since the last node line
    Node node;
    std::optional<Guid> guid;
    std::optional<Guid> port_guid;
  };

  std::uint32_t entry(std::string_view id);
  Place place(const LineReader& at);
  std::string where(const Place& place) const;
  std::string quoted(const Claim& claim) const;
  std::optional<LidRange> lid_range(const LineReader& at, std::string_view lid,
                                    std::string_view lmc);
  std::optional<Guid> guid(const LineReader& at, std::string_view what, std::string_view text);
  Status number_nodes();
  std::uint32_t find_claim(NodeIndex node, std::uint8_t port) const;
  void add_cable(Claim& claim);

  FabricBuilder& builder_;
  Warnings& warnings_;
  std::vector<std::string> files_;
  std::uint32_t file_ = 0;  // the file of the last line
  std::unordered_map<std::string, std::uint32_t> entry_of_id_;
  std::array<std::unordered_map<std::uint64_t, std::uint32_t>, 3> entry_of_guid_;  // by id letter
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> entry_of_node_;  // by NodeIndex
  std::vector<bool> has_guid_;                // by NodeIndex
  std::unordered_map<std::uint64_t, NodeIndex> node_of_guid_;
  std::vector<Claim> claims_;
  std::unordered_map<std::uint64_t, std::uint32_t> claim_of_;  // by node and port
  Pending pending_;
};

/// Reads all lines of a file. Lines that are neither blank nor node, port or key lines go to
/// `other`.
Status read_net_lines(LineReader& lines, NetRecords& records,
                      const std::function<Status(NetLineKind, std::string_view)>& other);

/// The GUID in an id such as "S-0c42a103009d6eb6", or nothing.
std::optional<Guid> guid_in_net_id(std::string_view id);

}  // namespace weft
