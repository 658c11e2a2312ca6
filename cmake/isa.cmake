# One list of flags per instruction set; the same source is compiled once for each.
set(RIDGEPOINT_ALL_ISAS scalar sse4_2 avx avx_fma avx2 avx512)
set(RIDGEPOINT_ISAS ${RIDGEPOINT_ALL_ISAS} CACHE STRING "Instruction sets to build, test and measure")

set(RIDGEPOINT_FLAGS_scalar  -march=x86-64 -DRIDGEPOINT_FORCE_SCALAR -fno-tree-vectorize -fno-tree-slp-vectorize)
set(RIDGEPOINT_FLAGS_sse4_2  -march=x86-64 -msse4.2)
set(RIDGEPOINT_FLAGS_avx     -march=x86-64 -mavx)
set(RIDGEPOINT_FLAGS_avx_fma -march=x86-64 -mavx -mfma)
set(RIDGEPOINT_FLAGS_avx2    -march=x86-64 -mavx2 -mfma -mf16c -mbmi2)
set(RIDGEPOINT_FLAGS_avx512  ${RIDGEPOINT_FLAGS_avx2} -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl -mprefer-vector-width=512)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(RIDGEPOINT_FLAGS_scalar -march=x86-64 -DRIDGEPOINT_FORCE_SCALAR -fno-vectorize -fno-slp-vectorize)
endif()
