// SPDX-License-Identifier: MIT
// Checks what the plans of all networks have in common: disjoint memory, reads after writes, receipts that add up. The
// text of three plans is in plans/; tools/same_bits --plans shows how the plans of two builds differ.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/all.hpp>
#include <ridgepoint/ops/all.hpp>

#include "support/plan_text.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

/// Plan with its name, such as "mnist-mlp.training.float".
struct named_plan {
  std::string name;
  rp::plan steps;
};

/// Covers layers, losses and optimisers that no model uses.
struct small_image {
  static constexpr std::string_view name = "small-image";
  static constexpr rp::index_t batch = 3;
  using loss = nn::mse;
  using optimiser = nn::momentum;
  static rp::node build(rp::graph& net) {
    return net.input({9, 8, 3}) | nn::conv2d{.filters = 4, .kernel = 3, .stride = 2, .padding = nn::same} |
           nn::batch_norm{} | nn::leaky_relu{} | nn::depthwise_conv2d{.multiplier = 2, .kernel = 2} | nn::avg_pool{} |
           nn::global_avg_pool{} | nn::dense{.units = 5, .bias = false} | nn::sigmoid{};
  }
};
struct small_sequence {
  static constexpr std::string_view name = "small-sequence";
  static constexpr rp::index_t batch = 2;
  using loss = nn::binary_cross_entropy;
  using optimiser = nn::adadelta;
  static rp::node build(rp::graph& net) {
    return net.input({5}, rp::element::i32) | nn::embedding{.vocabulary = 11, .width = 4} |
           nn::lstm{.units = 6, .sequences = true} | nn::gru{.units = 3, .sequences = true} | nn::rnn{.units = 7} |
           nn::dense{.units = 2};
  }
};
struct small_both_ways {
  static constexpr std::string_view name = "small-both-ways";
  static constexpr rp::index_t batch = 2;
  using loss = nn::mse;
  using optimiser = nn::sgd;
  static rp::node build(rp::graph& net) {
    using both = nn::bidirectional<nn::gru>;
    rp::node x = net.input({5, 3}) | nn::dense{.units = 4} | nn::dropout{.rate = 0.2F, .shared_steps = true};
    x = x | both{.cell = {.units = 3, .sequences = true}} |
        nn::bidirectional<nn::lstm>{.cell = {.units = 2, .sequences = true}, .merge = rp::merge_rule::sum} |
        both{.cell = {.units = 4, .sequences = true}, .merge = rp::merge_rule::average};
    return rp::add(x | nn::bidirectional<nn::rnn>{.cell = {.units = 2}}, x | nn::global_avg_pool1d{});
  }
};
struct small_residual {
  static constexpr std::string_view name = "small-residual";
  static constexpr rp::index_t batch = 4;
  using loss = nn::mse;
  using optimiser = nn::rmsprop_keras;
  static rp::node build(rp::graph& net) {
    const rp::node x = net.input({6}) | nn::dense{.units = 8} | nn::tanh{} | nn::dropout{.rate = 0.5F};
    return rp::add(x, x | nn::dense{.units = 8} | nn::hard_sigmoid{});
  }
};
struct small_dense_block {
  static constexpr std::string_view name = "small-dense-block";
  static constexpr rp::index_t batch = 2;
  using loss = nn::softmax_cross_entropy;
  using optimiser = nn::sgd;
  static rp::node build(rp::graph& net) {
    const rp::node x = net.input({4, 4, 3}) | nn::conv2d{.filters = 2, .kernel = 1};
    return rp::concat_channels(x, x | nn::relu{} | nn::conv2d{.filters = 3, .kernel = 3, .padding = nn::same}) |
           nn::flatten{} | nn::dense{.units = 2};
  }
};
struct small_normalised {
  static constexpr std::string_view name = "small-normalised";
  static constexpr rp::index_t batch = 2;
  using loss = nn::softmax_cross_entropy;
  using optimiser = nn::sgd;
  static rp::node build(rp::graph& net) {
    return net.input({4, 4, 3}) | nn::conv2d{.filters = 4, .kernel = 1} | nn::group_norm{.groups = 2} |
           nn::upsample{.factor = {2, 3}} | nn::layer_norm{} | nn::rms_norm{} | nn::flatten{} | nn::dense{.units = 2};
  }
};
struct small_decoder {
  static constexpr std::string_view name = "small-decoder";
  static constexpr rp::index_t batch = 2;
  using loss = nn::mse;
  using optimiser = nn::sgd;
  static rp::node build(rp::graph& net) {
    const rp::node x =
        net.input({3, 2, 4}) | nn::conv2d_transposed{.filters = 3, .kernel = 3, .stride = 2} | nn::relu{};
    return x | nn::slice{.axis = 0, .first = 1, .count = 5} |
           nn::conv2d_transposed{.filters = 1, .kernel = 2, .padding = nn::same, .bias = false};
  }
};
struct small_linear {
  static constexpr std::string_view name = "small-linear";
  static constexpr rp::index_t batch = 5;
  using loss = nn::softmax_cross_entropy;
  using optimiser = nn::sgd;
  static rp::node build(rp::graph& net) { return net.input({3}) | nn::dense{.units = 2}; }
};
struct small_answer {  // inference only
  static constexpr std::string_view name = "small-answer";
  static constexpr rp::index_t batch = 6;
  static rp::node build(rp::graph& net) { return net.input({3}) | nn::dense{.units = 4} | nn::softmax{}; }
};
struct small_limited {  // a shared layer, micro-batches, and updates that wait for the norm of all gradients
  static constexpr std::string_view name = "small-limited";
  static constexpr rp::index_t batch = 2;
  using loss = nn::mse;
  using optimiser = nn::adamw;
  static rp::node build(rp::graph& net) {
    const auto twice = rp::shared(nn::dense{.units = 4});
    return net.input({4}) | twice | nn::tanh{} | twice | nn::dense{.units = 3};
  }
  static void set(rp::compile_options& options) {
    options.micro_batches = 2, options.clip_norm = 1;
    options.groups = {{.names = "*.b", .weight_decay = 0.0}};
  }
};
struct small_words {  // a table looked up in micro-batches, and a loss that ignores a label
  static constexpr std::string_view name = "small-words";
  static constexpr rp::index_t batch = 3;
  struct loss : nn::softmax_cross_entropy {
    loss() : nn::softmax_cross_entropy{.ignored = 0} {}
  };
  using optimiser = nn::adam;
  static rp::node build(rp::graph& net) {
    return net.input({5}, rp::element::i32) | nn::embedding{.vocabulary = 100, .width = 4, .sparse = true} |
           nn::dense{.units = 3};
  }
  static void set(rp::compile_options& options) { options.micro_batches = 2, options.clip_norm = 1; }
};
struct small_projected {  // projected states; one continues from batch to batch
  static constexpr std::string_view name = "small-projected";
  static constexpr rp::index_t batch = 2;
  using loss = nn::mse;
  using optimiser = nn::sgd;
  static rp::node build(rp::graph& net) {
    return net.input({5, 3}) | nn::lstm{.units = 6, .projection = 4, .sequences = true} |
           nn::lstm{.units = 3, .projection = 2, .stateful = true};
  }
};
using networks = decltype(
    rp::models::all{} +
    rp::type_list<small_image, small_sequence, small_both_ways, small_residual, small_dense_block, small_normalised,
                  small_decoder, small_linear, small_answer, small_limited, small_words, small_projected>{});

template <class Model>
void add_plans(std::vector<named_plan>& all, rp::precision precision, std::string_view type) {
  rp::graph net{std::string(Model::name)};
  rp::compile_options options{.batch = Model::batch, .precision = precision};
  if constexpr (requires { Model::set(options); }) Model::set(options);
  else options = rp::models::learning<Model>(options);
  const auto add = [&](std::string_view purpose, const rp::compiled& made) {
    all.push_back({rp::concat(Model::name, '.', purpose, '.', type), made.plan});
  };
  if constexpr (requires { typename Model::optimiser; }) {
    const std::vector<rp::objective> objectives = rp::models::objectives_of(Model{}, net);
    add("inference", rp::plan_inference(net, rp::models::outputs_of(objectives), options));
    add("training", rp::plan_training(net, objectives, typename Model::optimiser{}, options));
  } else {
    add("inference", rp::plan_inference(net, Model::build(net), options));
  }
}

template <class... Models>
std::vector<named_plan> plans_of(rp::type_list<Models...>) {
  std::vector<named_plan> all;
  ((add_plans<Models>(all, rp::precision::f32, "float"), add_plans<Models>(all, rp::precision::f64, "double")), ...);
  return all;
}

/// Returns the plan of every network, for inference and for training, in float and in double.
const std::vector<named_plan>& plans() {
  static const std::vector<named_plan> all = plans_of(networks{});
  return all;
}

const rp::plan& plan_of(std::string_view name) { return std::ranges::find(plans(), name, &named_plan::name)->steps; }

/// Bytes of the arena in use while a step runs.
class arena_in_use {
 public:
  /// Returns a complaint if the slot shares a byte with another in use, else "".
  [[nodiscard]] std::string take(const rp::planned_slot& s) {
    if (s.bytes == 0) return {};
    const auto above = by_offset_.lower_bound(s.offset), below = above == by_offset_.begin() ? above : std::prev(above);
    for (const auto& other : {below, above})
      if (other != by_offset_.end() && other->second->offset < s.offset + s.bytes &&
          s.offset < other->second->offset + other->second->bytes)
        return rp::concat(s.name, " shares memory with ", other->second->name);
    by_offset_[s.offset] = &s;
    bytes_ += aligned(s.bytes);
    return {};
  }
  void give_back(const rp::planned_slot& s) {
    const auto found = by_offset_.find(s.offset);
    if (found == by_offset_.end() || found->second != &s) return;
    by_offset_.erase(found);
    bytes_ -= aligned(s.bytes);
  }
  /// Their sum, each up to the next boundary.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  static std::size_t aligned(std::size_t bytes) {
    return (bytes + rp::alignment_bytes - 1) / rp::alignment_bytes * rp::alignment_bytes;
  }
  std::map<std::size_t, const rp::planned_slot*> by_offset_;
  std::size_t bytes_ = 0;
};

/// Slots of the arena that a call accesses.
std::set<int> in_arena(const rp::plan& steps, const rp::planned_call& call) {
  std::set<int> found;
  for (const auto* accessed : {&call.reads, &call.writes})
    for (const rp::slot s : *accessed)
      if (steps[s].where == rp::memory_region::arena) found.insert(s.index);
  return found;
}

/// Checks that no two slots of the arena share a byte from their first access to their last, except that a result may
/// take the memory of an input in that input's last call; that the arena holds them, and is at most a fifth larger than
/// what is in use at once (embryo-cnn: 1.195 times). Returns a complaint or "".
std::string memory_fault(const rp::plan& steps) {
  std::map<int, std::size_t> first, last;
  for (std::size_t c = 0; c < steps.calls.size(); ++c)
    for (const int s : in_arena(steps, steps.calls[c])) first.try_emplace(s, c), last[s] = c;
  for (const rp::slot s : steps.kept) last[s.index] = steps.calls.size();
  arena_in_use used;
  std::size_t most = 0;
  for (std::size_t c = 0; c < steps.calls.size(); ++c) {
    const rp::planned_call& call = steps.calls[c];
    const std::set<int> accessed = in_arena(steps, call);
    const int input = call.overwrites.index, result = call.result.index;
    if (accessed.contains(input) && accessed.contains(result) && last[input] == c && first[result] == c &&
        steps[call.overwrites].offset == steps[call.result].offset)
      used.give_back(steps[call.overwrites]);
    for (const int s : accessed) {
      const rp::planned_slot& taken = steps[rp::slot{s}];
      if (first[s] != c) continue;
      if (std::string fault = used.take(taken); !fault.empty()) return fault;
      if (taken.offset + taken.bytes > steps.bytes(rp::memory_region::arena))
        return rp::concat(taken.name, " exceeds the arena");
    }
    most = std::max(most, used.bytes());
    for (const int s : accessed)
      if (last[s] == c) used.give_back(steps[rp::slot{s}]);
  }
  const std::size_t arena = steps.bytes(rp::memory_region::arena);
  const bool fits = most <= arena && static_cast<double>(arena) <= 1.2 * static_cast<double>(most);
  return fits ? "" : rp::concat(most, " bytes are in use at once; the arena has ", arena);
}

/// Checks that calls read activations and gradients only after earlier calls have written all their bytes. Returns a
/// complaint or "".
std::string order_fault(const rp::plan& steps) {
  std::set<int> written;
  std::set<std::pair<std::size_t, std::size_t>> gradients;  // first byte and end of each write
  const auto is_written = [&](rp::slot s) {
    if (steps[s].where == rp::memory_region::arena) return written.contains(s.index);
    std::size_t reached = steps[s].offset;  // parts of a block are written one by one, and read as a block
    for (const auto& [begin, end] : gradients)
      if (begin <= reached) reached = std::max(reached, end);
    return reached >= steps[s].offset + steps[s].bytes;
  };
  for (const rp::planned_call& call : steps.calls) {
    for (const rp::slot s : call.reads) {
      const bool computed =
          steps[s].where == rp::memory_region::arena || steps[s].where == rp::memory_region::gradients;
      if (computed && !is_written(s)) return rp::concat(call.info.layer, ": ", *call.op, " reads ", steps[s].name);
    }
    for (const rp::slot s : call.writes)
      if (steps[s].where == rp::memory_region::gradients)
        gradients.emplace(steps[s].offset, steps[s].offset + steps[s].bytes);
      else written.insert(s.index);
  }
  return {};
}

/// Checks that the receipts of all calls and of all passes sum to the plan's, and that no call moves more bytes than
/// its slots have, except embedding, which may read a row several times. Returns a complaint or "".
std::string receipt_fault(const rp::plan& steps) {
  rp::work of_calls, of_passes;
  for (const rp::planned_call& call : steps.calls) {
    of_calls += call.info.receipt;
    std::uint64_t accessed = 0;
    for (const auto* slots : {&call.reads, &call.writes})
      for (const rp::slot s : *slots) accessed += steps[s].bytes;
    if (call.info.receipt.bytes.total() > accessed && call.op->name != "embedding")
      return rp::concat(call.info.layer, ": ", *call.op, " moves ", call.info.receipt.bytes.total(),
                        " bytes; its slots have ", accessed);
  }
  for (const rp::pass p : {rp::pass::forward, rp::pass::backward_data, rp::pass::backward_weights, rp::pass::update})
    of_passes += steps.receipt(p);
  if (of_calls != steps.receipt()) return "the calls' receipts do not sum to the plan's";
  return of_passes == of_calls ? "" : "the passes' receipts do not sum to the plan's";
}

template <class... Args>
std::vector<std::string> names_of(rp::type_list<Args...>) {
  return {to_string(rp::op_record_of<Args>)...};
}

}  // namespace

TEST_CASE("in every plan, slots in use at the same time share no memory, and the arena holds them") {
  for (const auto& [name, steps] : plans()) {
    CAPTURE(name);
    CHECK(memory_fault(steps) == "");
  }
}
TEST_CASE("in every plan, calls read only what earlier calls have written") {
  for (const auto& [name, steps] : plans()) {
    CAPTURE(name);
    CHECK(order_fault(steps) == "");
  }
}
TEST_CASE("in every plan, the receipts of calls and of passes sum to the network's") {
  for (const auto& [name, steps] : plans()) {
    CAPTURE(name);
    CHECK(receipt_fault(steps) == "");
  }
}
TEST_CASE("these checks find the fault of a broken plan") {
  const rp::plan& sound = plan_of("small-image.training.float");
  rp::plan moved = sound, small = sound, large = sound, early = sound, lost = sound, cheap = sound;
  for (rp::planned_slot& s : moved.planned_slots) s.offset = 0;
  CHECK(memory_fault(moved).find(" shares memory with ") != std::string::npos);
  small.region_bytes[static_cast<std::size_t>(rp::memory_region::arena)] /= 2;
  CHECK(memory_fault(small).ends_with(" exceeds the arena"));
  large.region_bytes[static_cast<std::size_t>(rp::memory_region::arena)] *= 2;
  CHECK(memory_fault(large) == "4160 bytes are in use at once; the arena has 8320");
  std::rotate(early.calls.begin(), early.calls.end() - 2, early.calls.end());  // an update, and the step's end
  CHECK(order_fault(early) == "conv2d_1: momentum_update<float> reads conv2d_1.gradient");
  lost.calls.erase(lost.calls.begin());
  CHECK(order_fault(lost) == "batch_norm_1: batch_norm<float> reads conv2d_1.y");
  cheap.calls.front().info.receipt.bytes.inputs *= 1000;
  CHECK(receipt_fault(cheap).find(" bytes; its slots have ") != std::string::npos);
}

// If the change is intended, copy the new text from the folder of RIDGEPOINT_PLANS (see below).
TEST_CASE("the plans of an MLP, of a small CNN with batch normalisation and of an LSTM are unchanged") {
  for (const std::string name :
       {"mnist-mlp.training.float", "small-image.training.float", "mnist-lstm.training.float"}) {
    CAPTURE(name);
    std::ifstream golden(std::filesystem::path(GOLDEN_PLANS) / (name + ".txt"));
    REQUIRE(golden);
    std::istringstream now(plan_text::of(plan_of(name)));
    std::string before, after;
    while (std::getline(golden, before)) {
      std::getline(now, after);
      REQUIRE(after == before);
    }
    CHECK_FALSE(std::getline(now, after));
  }
}
TEST_CASE("write the text of every plan to the folder RIDGEPOINT_PLANS" * doctest::skip()) {
  const char* const folder = std::getenv("RIDGEPOINT_PLANS");
  REQUIRE(folder != nullptr);
  std::filesystem::create_directories(folder);
  for (const auto& [name, steps] : plans())
    std::ofstream(std::filesystem::path(folder) / (name + ".txt")) << plan_text::of(steps);
}

TEST_CASE("every op that layers, losses and optimisers can plan is in a network of this test") {
  const std::set<std::string> never = {"gemm<float>", "gemm_batched<float>", "pack_b<float>", "gemm_packed<float>"};
  std::set<std::string> planned;
  for (const auto& [name, steps] : plans())
    for (const rp::planned_call& call : steps.calls) planned.insert(to_string(*call.op));
  rp::graph net("session");
  const rp::node answer = small_image::build(net);
  for (const rp::planned_call& call : rp::plan_session(net, std::span(&answer, 1)).plan.parameter_calls)
    planned.insert(to_string(*call.op));
  for (const std::string& op : names_of(rp::all_ops<float>{})) {
    CAPTURE(op);
    CHECK(planned.contains(op) != never.contains(op));
  }
}
