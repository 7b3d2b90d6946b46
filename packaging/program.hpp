#pragma once

namespace trammel::fmi {

/// The whole program: reads the arguments, runs the command, reports errors in one line on standard
/// error. Returns an ExitCode.
int runProgram(int argc, const char* const* argv);

}  // namespace trammel::fmi
