// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/files/warnings.h"

#include <algorithm>
#include <iterator>

namespace weft {

void Warnings::add(std::string warning) {
  if (lines_.size() >= kMax) {
    ++left_out_;
    return;
  }
  if (warning.size() > kLengthMax) warning.replace(kLengthMax, std::string::npos, "...");
  lines_.push_back(std::move(warning));
}

std::vector<std::string> Warnings::take() {
  if (left_out_ > 0) lines_.push_back(fmt::format("{} more warnings are left out", left_out_));
  left_out_ = 0;
  return std::move(lines_);
}

void Warnings::append_to(std::vector<std::string>& to) {
  std::ranges::move(take(), std::back_inserter(to));
}

}  // namespace weft
