// Table of the attributes that are served, with the handler of each method.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sa/query.h"
#include "sa/state.h"

namespace weft::sa {

/// Fills the answer and returns its status. The content of the answer is ignored unless the status
/// is good.
using Handler = std::uint16_t (*)(State& state, const SaQuery& query, SaAnswer& answer);

struct Attribute {
  SaAttribute id{};
  std::string_view name;
  std::size_t record_size = 0;  // on the wire
  Handler get = nullptr;        // null: the method is not supported
  Handler table = nullptr;
  Handler set = nullptr;
  Handler remove = nullptr;
  Handler multi = nullptr;
  bool first_of_many = false;  // Get returns the first of several
  bool trusted_only = false;
};

std::span<const Attribute> attributes();
const Attribute* find_attribute(SaAttribute id);
Handler handler_of(const Attribute& attribute, Method method);

/// Number of slices into which the table of a query can be cut; 1: the handler takes no slices.
std::size_t parts_of(const Attribute& attribute, const SaQuery& query);
/// Nodes or pairs of ports that one slice goes through.
std::size_t work_of_a_part(const Attribute& attribute, const SaQuery& query);

}  // namespace weft::sa
