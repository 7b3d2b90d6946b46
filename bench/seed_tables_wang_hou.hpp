#pragma once

namespace trammel::bench {

/// Prints the tables of Wang, Hou and Modnak beside the same iteration of ours, and the erratum
/// of their equations.
void printWangHouTables();

}  // namespace trammel::bench
