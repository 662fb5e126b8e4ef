// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A job as a JSON text, for the copies of the state at standby managers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "service/jobs/job_book.h"

namespace weft {

std::string job_record(const Job& job);
/// The job of a text from job_record(); empty if the text is malformed.
std::optional<Job> job_of_record(std::string_view text);

}  // namespace weft
