// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Places the ranks of jobs on hosts. A server is a computer with one or more hosts (adapter ports),
// which are its rails: ports of one CA, or of CAs with equal descriptions except for the last word,
// which names the adapter ("node07 HCA-2", "node07 mlx5_3"). Unless the job lists its hosts, the
// placement determines the order in which whole servers are used.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "congestion/routed_network.h"
#include "jobs/job.h"

namespace weft::jobs {

struct Servers {
  std::vector<std::vector<std::uint32_t>> hosts;  // hosts of each server, by rail
  std::vector<std::uint32_t> of_host;             // server by host
};

/// Finds servers, in the order of their first host in a breadth-first search of the network, so
/// that servers next to each other in the list are close. `server_hosts`: that many consecutive
/// hosts form a server; 0: derived from names.
Servers find_servers(const RoutedNetwork& network, std::uint32_t server_hosts);

struct RankPlace {
  std::uint32_t host = 0;
  std::uint32_t server = 0;
  std::uint32_t rail = 0;  // position among the hosts of the server
};

/// Names of a hostlist such as "n[01-16]", or of file:PATH with one name per line and comments from
/// "#". Fails with kBadInput if the hostlist is invalid, with a message that begins with `where`;
/// or as LineReader, naming the file.
Result<std::vector<std::string>> listed_names(const std::string& hosts, const std::string& where);

/// The name of a host's server: its description without the word that names an adapter, or the name
/// of the node if it has no description.
std::string server_name(const NetNode& node);

/// The error if a job has fewer hosts than `wanted`, or none. `ranks` as for place_ranks().
tl::unexpected<Error> error_of_missing_hosts(const JobSpec& job, std::size_t found,
                                             std::size_t wanted, std::uint32_t ranks);

/// Assigns the ranks of a job to hosts. `taken`: by host, whether a rank of an earlier job is on
/// the host; updated. `ranks` = 0: all hosts of the servers without a taken host, or all listed
/// hosts. Fails with kBadInput, naming the job, if there are too few hosts, or listed hosts are
/// unknown, ambiguous, listed twice or taken; also as listed_names() does.
Result<std::vector<RankPlace>> place_ranks(const RoutedNetwork& network, const JobSpec& job,
                                           const Servers& servers, std::uint32_t ranks,
                                           std::vector<bool>& taken, Rng rng);

}  // namespace weft::jobs
