// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Team of the ranks of an MPI job. Source: MPI: A Message-Passing Interface Standard,
// version 3.1.
#pragma once

#include "cli/team.h"

namespace weft::cli {

class MpiTeam final : public Team {
 public:
  MpiTeam(int& argc, char**& argv);
  ~MpiTeam() override;
  MpiTeam(const MpiTeam&) = delete;
  MpiTeam& operator=(const MpiTeam&) = delete;

  unsigned rank() const override { return rank_; }
  unsigned size() const override { return size_; }
  void broadcast(std::vector<std::byte>& bytes) override;
  bool share(std::uint64_t n, const Work& work, const Collect& collect,
             const std::atomic<bool>& stop) override;
  void abandon() override { abandoned_ = true; }

 private:
  bool lead(std::uint64_t own, const Work& work, const Collect& collect,
            const std::atomic<bool>& stop);

  unsigned rank_ = 0;
  unsigned size_ = 1;
  bool abandoned_ = false;
};

}  // namespace weft::cli
