// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Produces a table of many records in slices as the receiver's window advances: the table is never
// in memory as a whole and does not delay other requests. The table describes the subnet at the
// time of the request.
#pragma once

#include <array>
#include <memory>

#include "sa/attributes.h"
#include "sa/rmpp.h"

namespace weft::sa {

class TableSource final : public RmppSource {
 public:
  /// `state` must outlive this object. `parts`: number of parts of the table (nodes, endports or
  /// pairs of endports).
  TableSource(State& state, const Attribute& attribute, const SaQuery& query,
              std::shared_ptr<const SaView> view, std::size_t parts, std::uint64_t generation);
  bool append(std::vector<std::byte>& payload, std::size_t bytes) override;
  std::uint64_t generation() const override { return generation_; }

 private:
  State& state_;
  const Handler handler_;
  const std::shared_ptr<const SaView> view_;
  const std::vector<std::byte> record_;
  SaQuery query_;
  const std::size_t parts_;
  const std::uint64_t generation_;
};

}  // namespace weft::sa
