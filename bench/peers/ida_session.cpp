#include "bench/peers/ida_session.hpp"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

namespace trammel::bench {

namespace {

/// What the callbacks need.
struct Callbacks {
  IdaSystem& system;
  std::vector<long> pointers, rows;
};

int residual(double t, N_Vector y, N_Vector yp, N_Vector r, void* data) {
  static_cast<Callbacks*>(data)->system.residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp),
                                                 N_VGetArrayPointer(r));
  return 0;
}

int denseJacobian(double t, double cj, N_Vector y, N_Vector yp, N_Vector, SUNMatrix J, void* data,
                  N_Vector, N_Vector, N_Vector) {
  SUNMatZero(J);
  static_cast<Callbacks*>(data)->system.jacobian(t, cj, N_VGetArrayPointer(y),
                                                 N_VGetArrayPointer(yp), SUNDenseMatrix_Data(J));
  return 0;
}

int sparseJacobian(double t, double cj, N_Vector y, N_Vector yp, N_Vector, SUNMatrix J, void* data,
                   N_Vector, N_Vector, N_Vector) {
  Callbacks& callbacks = *static_cast<Callbacks*>(data);
  SUNMatZero(J);  // IDA clears the pattern as well
  std::copy(callbacks.pointers.begin(), callbacks.pointers.end(), SUNSparseMatrix_IndexPointers(J));
  std::copy(callbacks.rows.begin(), callbacks.rows.end(), SUNSparseMatrix_IndexValues(J));
  callbacks.system.jacobian(t, cj, N_VGetArrayPointer(y), N_VGetArrayPointer(yp),
                            SUNSparseMatrix_Data(J));
  return 0;
}

void quiet(int, const char*, const char*, char* message, void* last) {
  *static_cast<std::string*>(last) = message;
}

void require(int flag, const char* call, const std::string& message) {
  if (flag < 0)
    throw std::runtime_error(std::string(call) + " returned " + std::to_string(flag) + ": " +
                             message);
}

/// Everything that IDA hands out and wants back, freed in the right order.
class Session {
 public:
  Session(IdaSystem& system, const RunRequest& request, const IdaSettings& settings)
      : callbacks_{system, {}, {}}, kinds_(system.unknowns()) {
    SUNContext_Create(nullptr, &context_);
    const auto size = static_cast<sunindextype>(kinds_.size());
    for (N_Vector* vector : {&y_, &yp_, &id_, &absolute_}) *vector = N_VNew_Serial(size, context_);
    system.start(N_VGetArrayPointer(y_), N_VGetArrayPointer(yp_));
    setKinds(request, settings);
    ida_ = IDACreate(context_);
    IDASetErrHandlerFn(ida_, quiet, &message_);
    require(IDAInit(ida_, residual, 0.0, y_, yp_), "IDAInit", message_);
    IDASVtolerances(ida_, request.tolerance, absolute_);
    IDASetUserData(ida_, &callbacks_);
    IDASetId(ida_, id_);
    IDASetSuppressAlg(ida_, SUNTRUE);
    IDASetMaxNumSteps(ida_, 50'000'000);
    IDASetMaxOrd(ida_, settings.order);
    system.pattern(callbacks_.pointers, callbacks_.rows);
    if (callbacks_.pointers.empty())
      useDense(size);
    else
      useSparse(size);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    IDAFree(&ida_);
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
    for (N_Vector vector : {y_, yp_, id_, absolute_}) N_VDestroy(vector);
    SUNContext_Free(&context_);
  }

  void solve(const RunRequest& request, RunRecord& record) {
    for (int i = 0; i < request.points; ++i) {
      double reached = 0;
      const double t = request.time(i);
      if (i + 1 == request.points) IDASetStopTime(ida_, t);
      require(IDASolve(ida_, t, &reached, y_, yp_, IDA_NORMAL), "IDASolve", message_);
      callbacks_.system.outputs(N_VGetArrayPointer(y_), record.outputs);
    }
  }
  void count(RunRecord& record) const {
    long steps = 0, residuals = 0, setups = 0, errorFailures = 0, jacobians = 0;
    long iterations = 0, failures = 0;
    int order = 0, nextOrder = 0;
    double first = 0, last = 0, next = 0, time = 0;
    IDAGetIntegratorStats(ida_, &steps, &residuals, &setups, &errorFailures, &order, &nextOrder,
                          &first, &last, &next, &time);
    IDAGetNumJacEvals(ida_, &jacobians);
    IDAGetNonlinSolvStats(ida_, &iterations, &failures);
    const auto number = [](long n) { return static_cast<double>(n); };
    record.counts = {{"steps", number(steps)},
                     {"residuals", number(residuals)},
                     {"jacobians", number(jacobians)},
                     {"factorisations", number(setups)},
                     {"error failures", number(errorFailures)},
                     {"convergence failures", number(failures)}};
  }

 private:
  /// Multipliers are out of the error test by `id`; a huge absolute tolerance takes them out of
  /// Newton's norm, without which IDA fails on Andrews' squeezer and on the chains at 1e-8. Where
  /// it does not fail it needs fewer steps with them, so both are run.
  void setKinds(const RunRequest& request, const IdaSettings& settings) {
    constexpr double ignored = 1e12;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      const bool tested = kinds_[i] == Unknown::position ||
                          (kinds_[i] == Unknown::velocity && settings.testVelocities);
      N_VGetArrayPointer(id_)[i] = tested ? 1 : 0;
      N_VGetArrayPointer(absolute_)[i] =
          kinds_[i] == Unknown::multiplier && !settings.multipliersInNorm ? ignored
                                                                          : request.tolerance;
    }
  }
  void useDense(sunindextype size) {
    matrix_ = SUNDenseMatrix(size, size, context_);
    solver_ = SUNLinSol_Dense(y_, matrix_, context_);
    require(IDASetLinearSolver(ida_, solver_, matrix_), "IDASetLinearSolver", message_);
    IDASetJacFn(ida_, denseJacobian);
  }
  void useSparse(sunindextype size) {
    matrix_ = SUNSparseMatrix(size, size, static_cast<sunindextype>(callbacks_.rows.size()),
                              CSC_MAT, context_);
    solver_ = SUNLinSol_KLU(y_, matrix_, context_);
    require(IDASetLinearSolver(ida_, solver_, matrix_), "IDASetLinearSolver", message_);
    IDASetJacFn(ida_, sparseJacobian);
  }

  Callbacks callbacks_;
  std::vector<Unknown> kinds_;
  std::string message_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, yp_ = nullptr, id_ = nullptr, absolute_ = nullptr;
  void* ida_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
};

}  // namespace

RunRecord runIda(IdaSystem& system, const RunRequest& request, const IdaSettings& settings) {
  RunRecord record;
  const double before = heapInUse();
  Session session(system, request, settings);
  timeSolve(record, [&] { session.solve(request, record); });
  record.heapBytes = heapInUse() - before;
  session.count(record);
  return record;
}

RunRecord checkJacobian(IdaSystem& system) {
  constexpr double cj = 3.7, step = 1e-6;
  const std::size_t size = system.unknowns().size();
  std::vector<double> y(size), yp(size), plus(size), minus(size);
  system.start(y.data(), yp.data());
  for (std::size_t i = 0; i < size; ++i) y[i] += 0.01 * std::sin(1.0 + static_cast<double>(i));
  std::vector<long> pointers, rows;
  system.pattern(pointers, rows);
  std::vector<double> values(pointers.empty() ? size * size : rows.size());
  system.jacobian(0.1, cj, y.data(), yp.data(), values.data());
  RunRecord record;
  record.outputs = {0};
  for (std::size_t j = 0; j < size; ++j) {
    const double value = y[j], rate = yp[j];
    const auto shifted = [&](double by, std::vector<double>& r) {
      y[j] = value + by;
      yp[j] = rate + cj * by;
      system.residual(0.1, y.data(), yp.data(), r.data());
      y[j] = value;
      yp[j] = rate;
    };
    shifted(step, plus);
    shifted(-step, minus);
    std::vector<double> column(size);
    if (pointers.empty())
      std::copy_n(values.begin() + static_cast<long>(j * size), size, column.begin());
    else
      for (long k = pointers[j]; k < pointers[j + 1]; ++k)
        column[static_cast<std::size_t>(rows[static_cast<std::size_t>(k)])] =
            values[static_cast<std::size_t>(k)];
    double largest = 1e-300, difference = 0;
    for (std::size_t i = 0; i < size; ++i) {
      largest = std::max(largest, std::abs(column[i]));
      difference = std::max(difference, std::abs(column[i] - (plus[i] - minus[i]) / (2 * step)));
    }
    record.outputs[0] = std::max(record.outputs[0], difference / largest);
  }
  return record;
}

}  // namespace trammel::bench
