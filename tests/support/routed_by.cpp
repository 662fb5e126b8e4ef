// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/routed_by.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/check.h"

namespace weft {

Routes routed_by(std::string_view engine, const Fabric& fabric, const RoutingOptions& options) {
  auto routes = run_engine(*find_engine(engine), fabric, options);
  EXPECT_TRUE(routes) << engine << ": " << routes.error().message;
  CHECK(routes.has_value());
  return std::move(*routes);
}

}  // namespace weft
