#pragma once

namespace trammel::bench {

/// Prints Tables 5.1 to 5.4 of Yen and Petzold, row by row: their counts, ours in plain mode with
/// ggl, ggl*, cs and cm, and cml in its three modes; where a row is not reproduced, the reason.
void printYenPetzoldTables();

}  // namespace trammel::bench
