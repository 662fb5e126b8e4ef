// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The base paths of UFM's REST interface, which select how a client authenticates:
// docs/reference/ufm.md.
#pragma once

#include <string_view>

#include "service/http/http_message.h"

namespace weft {

inline constexpr std::string_view kUfmBase = "/ufmRest/";

/// For a path below one of the bases: replaces the base by kUfmBase, drops slashes at the end, and
/// takes the token from `authorization`, the credentials of the scheme Basic: the password of
/// base64(user:password), or below /ufmRestV3 the credentials themselves. Other requests are not
/// changed, because browsers attach credentials of this scheme to requests of other pages too.
void apply_ufm_base(HttpRequest& request, std::string_view authorization);

inline bool is_ufm_path(std::string_view path) { return path.starts_with(kUfmBase); }

}  // namespace weft
