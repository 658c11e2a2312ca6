// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/all.hpp>

#include "counts.hpp"

namespace rp = ridgepoint;

namespace {
template <class Model>
constexpr std::size_t learns_from_data() {
  if constexpr (requires { Model::images; }) return 1;
  else if constexpr (requires { Model::texts; }) return 1;
  else return 0;
}
}  // namespace

TEST_CASE("a model is found by its name") {
  const auto name = [](std::string_view wanted) {
    return rp::models::with_model(rp::models::all{}, wanted, []<class Model>() { return std::string(Model::name); });
  };
  CHECK(name("mnist-mlp") == "mnist-mlp");
  CHECK(name("mnist-cnn") == "mnist-cnn");
  CHECK(name("paradnn-cnn") == "paradnn-cnn");
  CHECK(name("ParaDNN-CNN") == "paradnn-cnn");
  CHECK_THROWS_WITH_AS(name("alexnet"),
                       doctest::Contains("model is \"alexnet\"; must be one of: mnist-mlp, mnist-cnn, "),
                       rp::value_error);
}

TEST_CASE("every model with default parameters has the counts in docs/networks.md") {
  const auto check = []<class Model>(rp::index_t parameters, std::uint64_t forward, std::uint64_t training) {
    const counts c(Model{});
    CAPTURE(Model::name);
    CHECK(c.parameters == parameters);
    CHECK(c.forward == forward);
    CHECK(c.training == training);
  };
  using namespace rp::models;
  static_assert(all::size == 28);
  check.operator()<mnist_mlp>(1'195'018, 2'385'920, 6'354'944);
  check.operator()<mnist_cnn>(112'074, 19'041'536, 56'221'440);
  check.operator()<mnist_autoencoder>(1'662'257, 12'995'584, 38'936'576);
  check.operator()<keras_mnist_mlp>(669'706, 1'337'344, 3'209'216);
  check.operator()<keras_mnist_cnn>(1'199'882, 23'984'896, 71'565'312);
  check.operator()<cifar10_cnn>(1'250'858, 41'482'240, 122'677'248);
  check.operator()<resnet_18>(11'173'962, 1'110'845'440, 3'328'997'376);
  check.operator()<resnet_32>(464'154, 137'725'184, 412'290'816);
  check.operator()<embryo_cnn>(16'834'436, 144'973'824, 428'367'872);
  check.operator()<resnet_50>(25'557'032, 8'178'368'512, 24'299'077'632);
  check.operator()<mobilenet_v1>(4'231'976, 1'137'480'704, 3'390'766'080);
  check.operator()<squeezenet>(1'248'424, 1'637'849'152, 4'578'218'112);
  check.operator()<densenet_121>(7'978'856, 5'668'323'328, 16'768'942'080);
  check.operator()<vgg_16>(138'357'544, 30'940'528'640, 92'648'177'664);
  check.operator()<retinanet>(34'068'119, 23'803'883'008, 71'175'621'120);
  check.operator()<paradnn_fc>(10'421'224, 20'824'064, 58'376'192);
  check.operator()<paradnn_cnn>(25'557'032, 8'178'368'512, 24'299'077'632);
  check.operator()<paradnn_rnn>(3'015'012, 275'600'000, 826'800'000);
  check.operator()<paradnn_gru>(8'020'012, 775'600'000, 2'326'800'000);
  check.operator()<paradnn_lstm>(10'522'512, 1'025'600'000, 3'076'800'000);
  check.operator()<mnist_rnn>(338'186, 18'756'608, 55'868'416);
  check.operator()<mnist_lstm>(1'345'034, 75'011'072, 223'427'584);
  check.operator()<imdb_bidirectional_lstm>(2'658'945, 19'661'056, 58'983'168);
  check.operator()<imdb_fasttext>(1'000'051, 100, 300);
  check.operator()<lstm_text_generation>(102'585, 7'592'192, 20'441'856);
  check.operator()<text_generator_keras>(456'894, 17'967'872, 53'903'616);
  check.operator()<transformer_base>(63'045'632, 8'188'198'912, 24'627'707'904);
  check.operator()<transformer_big>(214'171'648, 27'650'686'976, 83'078'283'264);
}

TEST_CASE("every model trains on its study's data with the study's sizes") {
  using images = rp::models::study_images;
  using enum images::set;
  using change = images::change;
  std::size_t listed = 0;
  const auto check = [&]<class Model>(images::set from, change made) {
    CAPTURE(Model::name);
    ++listed;
    CHECK(Model::images.from == from);
    CHECK(Model::images.made == made);
  };
  using namespace rp::models;
  check.operator()<mnist_mlp>(digits, change::none);
  check.operator()<mnist_cnn>(digits, change::none);
  check.operator()<keras_mnist_mlp>(digits, change::none);
  check.operator()<keras_mnist_cnn>(digits, change::none);
  check.operator()<mnist_rnn>(digits, change::none);
  check.operator()<mnist_lstm>(digits, change::none);
  check.operator()<mnist_autoencoder>(digits, change::own_targets);
  check.operator()<cifar10_cnn>(cifar10, change::training_moved);
  check.operator()<resnet_18>(cifar10, change::standardised);
  check.operator()<resnet_32>(cifar10, change::standardised);
  check.operator()<embryo_cnn>(embryos, change::none);
  check.operator()<resnet_50>(cifar10, change::enlarged);
  check.operator()<mobilenet_v1>(cifar10, change::enlarged);
  check.operator()<squeezenet>(cifar10, change::enlarged);
  check.operator()<densenet_121>(cifar10, change::enlarged);
  check.operator()<vgg_16>(cifar10, change::enlarged);
  check.operator()<retinanet>(cifar10, change::placed);
  check.operator()<paradnn_fc>(noise, change::none);
  check.operator()<paradnn_cnn>(noise, change::none);
  using texts = rp::models::study_texts;
  const auto check_texts = [&]<class Model>(texts::set from, texts::form given, int losses) {
    CAPTURE(Model::name);
    ++listed;
    CHECK(Model::texts.from == from);
    CHECK(Model::texts.given == given);
    CHECK(Model::texts.losses == losses);
    rp::graph net("text");
    CHECK(objectives_of(Model{}, net).size() == static_cast<std::size_t>(losses));
    const bool ids = net.nodes()[0].type == rp::element::i32;
    CHECK(ids == (given == texts::form::ids));
  };
  check_texts.operator()<imdb_bidirectional_lstm>(texts::set::reviews, texts::form::ids, 1);
  check_texts.operator()<imdb_fasttext>(texts::set::reviews, texts::form::ids, 1);
  check_texts.operator()<lstm_text_generation>(texts::set::characters, texts::form::one_hot, 1);
  check_texts.operator()<text_generator_keras>(texts::set::characters, texts::form::ids, 2);
  check_texts.operator()<transformer_base>(texts::set::pairs, texts::form::ids, 1);
  check_texts.operator()<transformer_big>(texts::set::pairs, texts::form::ids, 1);
  check_texts.operator()<paradnn_rnn>(texts::set::noise, texts::form::ids, 1);
  check_texts.operator()<paradnn_gru>(texts::set::noise, texts::form::ids, 1);
  check_texts.operator()<paradnn_lstm>(texts::set::noise, texts::form::ids, 1);
  const auto with_data = []<class... Models>(rp::type_list<Models...>) { return (learns_from_data<Models>() + ...); };
  CHECK(listed == with_data(all{}));
}
