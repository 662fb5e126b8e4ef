// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Measures the processor time of this process, so that time limits of tests do not depend on other
// load of the machine.
#pragma once

#include <ctime>

namespace weft {

class CpuWatch {
 public:
  double seconds() const {
    return static_cast<double>(std::clock() - start_) / static_cast<double>(CLOCKS_PER_SEC);
  }

 private:
  std::clock_t start_ = std::clock();
};

}  // namespace weft
