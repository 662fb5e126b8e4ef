// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Headers of libraries that most sources include, compiled once (see precompiled.cmake). Sources
// still include what they use. <filesystem> is left out, because it declares std::quoted, which
// hides weft::quoted.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tl/expected.hpp>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>
