# Compiles for the system that LANESCOPE_ZIG_TARGET names, with the zig that LANESCOPE_ZIG is (both in the
# environment): tools/build_wheels.py sets them. zig brings the headers and start files of every system.
set(CMAKE_C_COMPILER "$ENV{LANESCOPE_ZIG}")
set(CMAKE_C_COMPILER_ARG1 "cc -target $ENV{LANESCOPE_ZIG_TARGET}")
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "$ENV{LANESCOPE_ZIG_TARGET}")
if("$ENV{LANESCOPE_ZIG_TARGET}" MATCHES "linux")
  set(CMAKE_SYSTEM_NAME Linux)
elseif("$ENV{LANESCOPE_ZIG_TARGET}" MATCHES "macos")
  set(CMAKE_SYSTEM_NAME Darwin)
  # The library has its final name from the start: nothing is renamed in it when it is installed.
  set(CMAKE_INSTALL_NAME_TOOL true)
  set(CMAKE_INSTALL_NAME_DIR "@rpath")
  set(CMAKE_BUILD_WITH_INSTALL_NAME_DIR ON)
else()
  set(CMAKE_SYSTEM_NAME Windows)
endif()
# zig strips what it links with -s; CMake's own strip knows one system only.
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-s")
