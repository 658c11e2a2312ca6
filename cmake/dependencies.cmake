# What is needed from outside, each found once. Only xsimd's headers are required.
include_guard()
find_package(xsimd 8.1 REQUIRED)
find_package(OpenMP COMPONENTS CXX)
find_package(Threads REQUIRED)
find_package(ZLIB)
find_package(nlohmann_json 3.11 CONFIG)
find_package(CLI11 CONFIG)
find_package(dnnl CONFIG)                                  # oneDNN: target DNNL::dnnl
find_package(benchmark CONFIG)
find_package(doctest CONFIG)
