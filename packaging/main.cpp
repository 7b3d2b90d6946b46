#include "packaging/program.hpp"

int main(int argc, char** argv) { return trammel::fmi::runProgram(argc, argv); }
