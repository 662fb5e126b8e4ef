// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A master or standby of a replication, for tests without threads and network.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "service/replication/subnet_replication.h"

namespace weft::replication {

/// Replication of one manager, which is master or standby; `folder` has its persistent files.
class Side {
 public:
  explicit Side(std::string folder) : subnet_(copy, std::move(folder)) {
    copy.on_confirmed = [](std::uint64_t) {};
    copy.on_hold = [](std::chrono::milliseconds) {};
    subnet_.inherit = [](const std::shared_ptr<const sa::Saved>&) {};
    subnet_.on_term_begun = [this] {
      for (const Part part :
           {Part::kRegistrations, Part::kPartitions, Part::kSettings, Part::kJobs})
        copy.post(part, {});
    };
    subnet_.on_copy = [](SubnetManager&, const Replication::Copy&) {};
    subnet_.on_take_over = [] {};
    subnet_.new_epoch = [] { return std::string("0123456789abcdef"); };
  }
  void step(SubnetManager& sm) {
    subnet_.step(sm);
    copy.step();
  }

  Replication copy{{}};

 private:
  SubnetReplication subnet_;
};

}  // namespace weft::replication
