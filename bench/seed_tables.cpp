// Every table of the papers behind the solver and the coupling beside our own numbers, row by row,
// with a line on each row that cannot be reproduced.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "bench/seed_tables_bottasso.hpp"
#include "bench/seed_tables_eich.hpp"
#include "bench/seed_tables_wang_hou.hpp"
#include "bench/seed_tables_yen_petzold.hpp"

int main() {
  try {
    trammel::bench::printYenPetzoldTables();
    trammel::bench::printBottassoTables();
    trammel::bench::printEichTable();
    trammel::bench::printWangHouTables();
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
