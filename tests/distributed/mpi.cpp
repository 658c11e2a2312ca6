// SPDX-License-Identifier: MIT
// Started by mpirun with 1 to 4 ranks: the results of every call, in the bits of the fixed order of summation; and a
// training with the losses of one rank.
#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ridgepoint/distributed/distributed.hpp>
#include <ridgepoint/distributed/mpi.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/reference/all.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

/// Value i of a rank, with bits that depend on the order of a sum.
template <class T>
T value(int rank, std::size_t i) {
  return static_cast<T>(1) / static_cast<T>(3 + 7 * rank + static_cast<int>(i % 1000));
}
/// Σ over ranks first … first + count - 1, as a balanced tree; count is a power of 2 or reaches the last rank.
template <class T>
T tree_sum(int first, int count, int ranks, std::size_t i) {
  if (count == 1) return value<T>(first, i);
  const int half = count / 2;
  const T lower = tree_sum<T>(first, half, ranks, i);
  return first + half < ranks ? lower + tree_sum<T>(first + half, half, ranks, i) : lower;
}
template <class T>
std::size_t wrong_sums(rp::mpi_communicator& with, std::size_t size) {
  std::vector<T> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = value<T>(with.rank(), i);
  CHECK(with.wait(with.start_all_reduce(std::span<T>(values))) > 0);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < size; ++i) wrong += values[i] == tree_sum<T>(0, 4, with.size(), i) ? 0U : 1U;
  return wrong;
}

}  // namespace

TEST_CASE("all_reduce sums in the order of the ranks' tree, for every size") {
  rp::mpi_communicator with;
  for (const std::size_t size : {0U, 1U, 3U, 125U, 250U, 251U, 1000U, 300'000U}) {
    CAPTURE(size);
    CHECK(wrong_sums<float>(with, size) == 0);
    CHECK(wrong_sums<double>(with, size) == 0);
  }
}

TEST_CASE("several sums are in progress at once, and are waited for in any order") {
  rp::mpi_communicator with;
  std::vector<std::vector<float>> all(5, std::vector<float>(5000, 1));
  std::vector<rp::collective> started;
  for (std::vector<float>& each : all) started.push_back(with.start_all_reduce(std::span<float>(each)));
  for (const std::size_t s : {3U, 0U, 4U, 2U, 1U}) with.wait(started[s]);
  for (const std::vector<float>& each : all) CHECK(each[4999] == static_cast<float>(with.size()));
  CHECK_THROWS_AS(with.wait(started[0]), rp::value_error);  // a second time
}

TEST_CASE("all_gather and broadcast of small and large data; barrier") {
  rp::mpi_communicator with(MPI_COMM_WORLD);
  for (const std::size_t bytes : {0U, 1U, 1000U, 1001U, 500'000U}) {
    std::vector<std::byte> own(bytes, std::byte(with.rank() + 1)), all(bytes * static_cast<std::size_t>(with.size()));
    with.all_gather(own, all);
    bool right = true;
    for (std::size_t i = 0; i < all.size(); ++i) right = right && all[i] == std::byte(i / bytes + 1);
    CHECK(right);
    const int root = with.size() - 1;
    with.broadcast(own, root);
    for (const std::byte each : own) right = right && each == std::byte(root + 1);
    CHECK(right);
  }
  with.barrier();
  CHECK(with.name().starts_with("mpi: "));
}

TEST_CASE("a communicator connects the ranks of any MPI communicator") {
  MPI_Comm pairs = MPI_COMM_NULL;  // MPI is initialised, and no communicator's thread makes calls
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pairs);
  {
    rp::mpi_communicator pair(pairs);
    float one = 1;
    pair.wait(pair.start_all_reduce(std::span(&one, 1)));
    CHECK(one == static_cast<float>(pair.size()));
    CHECK(pair.size() <= 2);
  }
  MPI_Comm_free(&pairs);
}

TEST_CASE("a training has the losses of one rank") {
  rp::graph net("small");
  const rp::node output = net.input({4}) | nn::dense{.units = 6} | nn::tanh{} | nn::dense{.units = 3};
  std::vector<float> x;
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 48; ++i) {
    for (int j = 0; j < 4; ++j) x.push_back(static_cast<float>(i * (j + 3) % 11) / 11);
    labels.push_back(i % 3);
  }
  const auto losses = [&](rp::any_communicator with) {
    const int parts = with.size() == 3 ? 3 : 4;
    auto trainer =
        net.train<float>(rp::distributed(rp::reference, std::move(with)), output, nn::softmax_cross_entropy{},
                         nn::adam{}, {.batch = 12 / parts, .micro_batches = parts});
    return trainer.fit(x, labels, {.epochs = 3}).loss;
  };
  const auto together = losses(std::make_shared<rp::mpi_communicator>());
  const rp::mpi_communicator with;
  if (with.size() != 3) CHECK(together == losses(rp::self_communicator{}));
  else CHECK(together.size() == 3);
}
