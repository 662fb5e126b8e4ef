// A day in the life of a machine, to see whether anything grows: memory, descriptors, the time of a
// sweep.
#pragma once

#include <cstdint>
#include <string>

namespace weft::simulation {

/// Lives through so many virtual hours of draw_churn() and prints an hour a line. Exit status 1
/// where the world failed or something grew; the first half, in which each of the managers
/// comes to be master and keeps what it then knows, does not count.
int run_long(std::uint64_t seed, const std::string& spec, double hours);

}  // namespace weft::simulation
