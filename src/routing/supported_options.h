// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options that an engine supports, from the table of engines. Options that the selected engine
// does not support cause a warning. docs/reference/routing-options.md has the same table, and a
// test compares the two.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "routing/option_set.h"
#include "routing/options.h"

namespace weft {

struct OptionFacts {
  Option option;
  std::string_view name;  // as on the command line
};
/// The options that several engines share.
std::span<const OptionFacts> option_facts();

/// Whether the engine supports the option with these `options`: engine file uses most options only
/// with a LID matrix, and node weights without --reweight are used only by ftree, ar_ftree and
/// hoplanes. An engine that is not in the table is assumed to support all options.
bool supports_option(std::string_view engine, Option option, const RoutingOptions& options);

/// One sentence for each of the given options, and for each parameter in `options`, that has no
/// effect on the engine's routes.
std::vector<std::string> unsupported_options(std::string_view engine, std::span<const Option> given,
                                             const RoutingOptions& options);

}  // namespace weft
