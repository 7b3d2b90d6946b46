#pragma once

#include "solver/mechanical_system.hpp"
#include "solver/options.hpp"

namespace trammel {

/// Diagonal scalings D_L J D_R of the index 3 iteration matrix (Bottasso, Bauchau, Cardona),
///   J = [cj I, −I, 0;  K, cj M + C, Gᵀ;  G, 0, 0]     unknowns (q, v, λ),
///   J = [cj² M + cj C + K, Gᵀ;  G, 0]                 unknowns (q, λ).
struct Index3Scales {
  double kinematic = 1, balance = 1, constraint = 1;  // rows: D_L
  double velocity = 1, multiplier = 1;  // unknowns: D_R, v = velocity v̂, λ = s λ̂
};

/// The scalings of the paper for a step of size h [s]; the rows of its matrix are h times those of
/// J.
///   none       D_L = (h, h, h)
///   left       D_L = (h, h, 1),                                Petzold and Lötstedt
///   leftRight  D_L = (h, 1/s, 1),  D_R = (1, 1/h, s),          its equations (23), (28), (29)
/// where s = 1/h² is the paper's simple choice and averageStiffness() the automatic one.
Index3Scales index3Scales(Index3Scaling scaling, double h, double s);

/// s = mean |diag(cj² M + cj C + K)|: contains mass, damping and stiffness, needs no user input.
double averageStiffness(const Linearisation& linearisation, double cj);

/// Rows of J: n + m or 2n + m.
Index index3Rows(const Linearisation& linearisation, Index3Fields fields);

/// out = D_L J D_R. Pre: out has index3Rows rows and columns.
void assembleIndex3(const Linearisation& linearisation, double cj, Index3Fields fields,
                    const Index3Scales& scales, Matrix& out);

}  // namespace trammel
