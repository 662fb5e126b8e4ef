// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The list of other known subnet managers of the fabric.
#pragma once

#include <vector>

#include "sm/election/other_managers.h"
#include "sm/occurrence.h"

namespace weft {

class ManagerList {
 public:
  /// Managers that have answered; `silent` marks those that did not answer the last query.
  const std::vector<OtherManager>& all() const { return all_; }
  bool empty() const { return all_.empty(); }
  /// Replaces the list. Logs managers that appeared, disappeared or changed, and adds them to
  /// `occurrences`.
  void update(std::vector<OtherManager> now, Occurrences& occurrences);
  /// Updates the entry of a manager that answered.
  void update(const SmInfo& info, Occurrences& occurrences);
  /// Updates or adds the managers in `answers`. The other managers did not answer, but stay in the
  /// list, to be queried again.
  void update_silent(const std::vector<OtherManager>& answers, Occurrences& occurrences);

 private:
  std::vector<OtherManager> all_;
};

}  // namespace weft
