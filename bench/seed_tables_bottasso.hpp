#pragma once

namespace trammel::bench {

/// Prints what Figs. 1 to 8 of Bottasso, Bauchau and Cardona show: condition numbers and last
/// Newton corrections of the pendulum over the step size for every form and scaling, with the
/// slopes their theory gives beside ours.
void printBottassoTables();

}  // namespace trammel::bench
