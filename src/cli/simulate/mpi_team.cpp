// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/simulate/mpi_team.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace weft::cli {
namespace {

constexpr int kResult = 1;
constexpr int kDone = 2;
constexpr std::uint64_t kPiecesOfARank = 64;
constexpr std::size_t kPart = std::size_t{1} << 30;  // MPI's counts are of type int
constexpr auto kPause = std::chrono::milliseconds(1);

/// Processes the items of a rank in pieces; returns false as soon as the body does.
template <class Body>
bool for_pieces(std::uint64_t begin, std::uint64_t end, const Body& body) {
  const std::uint64_t piece = std::max<std::uint64_t>(1, (end - begin) / kPiecesOfARank);
  for (std::uint64_t at = begin; at < end; at += piece)
    if (!body(at, std::min(end, at + piece))) return false;
  return true;
}

}  // namespace

MpiTeam::MpiTeam(int& argc, char**& argv) {
  // Otherwise Open MPI's ranks read the memory of other ranks, which fails when a rank ends early.
  ::setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
  int thread_level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &thread_level);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  rank_ = static_cast<unsigned>(rank);
  size_ = static_cast<unsigned>(size);
}

MpiTeam::~MpiTeam() {
  if (abandoned_) {  // MPI_Finalize would wait for ended ranks
    std::fflush(nullptr);
    std::_Exit(EXIT_FAILURE);
  }
  MPI_Finalize();
}

void MpiTeam::broadcast(std::vector<std::byte>& bytes) {
  std::uint64_t size = bytes.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  bytes.resize(size);
  for (std::size_t at = 0; at < size; at += kPart)
    MPI_Bcast(bytes.data() + at, static_cast<int>(std::min(kPart, size - at)), MPI_BYTE, 0,
              MPI_COMM_WORLD);
}

bool MpiTeam::share(std::uint64_t n, const Work& work, const Collect& collect,
                    const std::atomic<bool>& stop) {
  const std::uint64_t begin = n * rank_ / size_, end = n * (rank_ + 1) / size_;
  if (is_leader()) return lead(end, work, collect, stop);
  const bool whole = for_pieces(begin, end, [&](std::uint64_t from, std::uint64_t to) {
    const std::vector<std::byte> result = work(from, to);
    MPI_Send(result.data(), static_cast<int>(result.size()), MPI_BYTE, 0, kResult, MPI_COMM_WORLD);
    return !stop;
  });
  MPI_Send(nullptr, 0, MPI_BYTE, 0, kDone, MPI_COMM_WORLD);
  return whole;
}

bool MpiTeam::lead(std::uint64_t own, const Work& work, const Collect& collect,
                   const std::atomic<bool>& stop) {
  unsigned working = size_ - 1;
  bool good = true;
  std::vector<std::byte> result;
  const auto take_one = [&] {
    int has_message = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &has_message, &status);
    if (has_message == 0) return false;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    result.resize(static_cast<std::size_t>(size));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(result.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
              &request);
    // A rank that ends in the middle of a message never completes it.
    for (int whole = 0; whole == 0;) {
      if (stop || MPI_Test(&request, &whole, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
      if (whole == 0) std::this_thread::yield();
    }
    if (status.MPI_TAG == kDone)
      --working;
    else
      good = collect(result) && good;
    return true;
  };
  for_pieces(0, own, [&](std::uint64_t from, std::uint64_t to) {
    good = collect(work(from, to)) && good;
    while (take_one()) {
    }
    return good && !stop;
  });
  // A rank that ended never reports completion; the launcher then sends a signal.
  while (working > 0 && good && !stop)
    if (!take_one()) std::this_thread::sleep_for(kPause);
  return good && working == 0 && !stop;
}

}  // namespace weft::cli
