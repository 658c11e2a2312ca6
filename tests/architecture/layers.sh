# layers.sh <include/ridgepoint>: checks that a header includes only its own folder and lower levels, and external
# headers only in the allowed folders.
set -eu
cd "$1"
awk '
BEGIN {
  level["core"] = 0; level["roofline"] = 1; level["simd"] = 1; level["benchmark"] = 2; level["ops"] = 2; level["reference"] = 3; level["kernels"] = 3
  level["cpu"] = 4; level["onednn"] = 4; level["mxu"] = 4; level["gpu"] = 4; level["distributed"] = 4; level["graph"] = 5
  level["cuda"] = 6; level["models"] = 6; level["data"] = 6; level["study"] = 6
  # folders that may include an external header
  allowed["xsimd/xsimd.hpp"] = "^simd/"; allowed["immintrin.h"] = "^(simd|kernels)/"; allowed["cpuid.h"] = "^(simd|cpu)/|^roofline/environment[.]hpp$"
  allowed["nlohmann/json.hpp"] = "json[^/]*[.]hpp$"; allowed["zlib.h"] = "^data/idx[.]hpp$"; allowed["png.h"] = "^data/png[.]hpp$"; allowed["mpi.h"] = "^distributed/mpi[.]hpp$"; allowed["dnnl.hpp"] = allowed["dnnl_debug.h"] = "^onednn/"
  allowed["cuda_runtime_api.h"] = allowed["cublasLt.h"] = allowed["nvrtc.h"] = allowed["cudnn.h"] = "^cuda/runtime/"
  allowed["dlfcn.h"] = "^core/openmp_runtime[.]hpp$|^cuda/runtime/nvrtc_builtins[.]hpp$"; allowed["link.h"] = "^cuda/runtime/nvrtc_builtins[.]hpp$"; allowed["benchmark/benchmark.h"] = "^benchmark/"
  allowed["dirent.h"] = allowed["unistd.h"] = allowed["fcntl.h"] = allowed["sys/stat.h"] = allowed["sys/mman.h"] = allowed["sys/resource.h"] = allowed["sched.h"] = "."; allowed["sys/syscall.h"] = "^simd/"
}
function complain(what) { print FILENAME ":" FNR ": " what; failed = 1 }
FNR == 1 { file = FILENAME; sub("^[.]/", "", file); folder = file; sub("/.*", "", folder); top = file !~ "/"; headers++ }
/^[ \t]*#[ \t]*include/ {
  name = $0; sub(/^[^<"]*[<"]/, "", name); sub(/[>"].*/, "", name)
  if ($0 ~ /RIDGEPOINT_ISA_HEADER/ || top) next
  if ($0 !~ /</) complain("includes \"" name "\"; must be <ridgepoint/...>")
  if (name ~ /^ridgepoint\//) {
    target = name; sub("^ridgepoint/", "", target); target_folder = target; sub("/.*", "", target_folder)
    if (!(folder in level)) complain("folder " folder " has no level")
    else if (target !~ "/") complain("includes the umbrella " target)
    else if (target_folder != folder && level[target_folder] >= level[folder]) complain("includes " target ", which is not below " folder)
    else if (target ~ /json[^\/]*[.]hpp$/ && file !~ /json[^\/]*[.]hpp$/) complain("includes " target "; only JSON headers may")
  } else if (name ~ /[.\/]/) {
    if (!(name in allowed)) complain("includes " name ", which no header may")
    else if (file !~ allowed[name]) complain("includes " name "; only headers matching " allowed[name] " may")
  }
}
END { if (!failed) print headers " headers keep to their layers"; exit failed }
' $(find . -name '*.hpp' | LC_ALL=C sort)
