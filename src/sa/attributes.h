// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Table of the attributes that the subnet administration serves. Each attribute is defined in the
// file of its record.
#pragma once

#include <cstdint>
#include <span>

#include "sa/attribute.h"

namespace weft::sa {

/// All attributes, in the order of Meter::of().
std::span<const Attribute> attributes();
/// Null if the subnet administration does not serve the attribute.
const Attribute* find_attribute(SaAttribute id);
/// The components of an attribute; empty for an unknown attribute, or if the handler compares all
/// fields.
std::span<const Component> components_of(SaAttribute id);
/// Null if the attribute does not support the method.
Handler handler_of(const Attribute& attribute, Method method);

/// Number of parts of the table of a query; 1 if the handler does not support slices.
std::size_t parts_of(const Attribute& attribute, const SaQuery& query);

}  // namespace weft::sa
