#pragma once

namespace trammel::bench {

/// Prints Table 3.1 of Eich, row by row: the published errors of the pendulum after 50 periods with
/// and without projection, and ours.
void printEichTable();

}  // namespace trammel::bench
