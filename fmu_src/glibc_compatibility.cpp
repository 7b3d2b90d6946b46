// Lets the runtime binary load where glibc is older than the one that it was built with, 2.28 being
// the oldest that is promised. The static parts of libstdc++ and libgcc and the mathematical
// functions refer to symbols that newer versions of glibc brought: they are defined here, local to
// the binary, by older symbols. Symbols that moved from libpthread to libc count as new too.

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>

#include <atomic>

#include "fmu_src/loaded_object.hpp"

extern "C" {

double oldExp(double x) noexcept;
double oldLog(double x) noexcept;
double oldPow(double x, double y) noexcept;
int oldStat(int layout, const char* path, struct stat* status);
int oldLstat(int layout, const char* path, struct stat* status);
int oldFstat64(int layout, int descriptor, struct stat64* status);

// The first version of glibc on each machine, and the number it gives to the layout of struct stat.
#if defined(__x86_64__)
__asm__(".symver oldExp,exp@GLIBC_2.2.5");
__asm__(".symver oldLog,log@GLIBC_2.2.5");
__asm__(".symver oldPow,pow@GLIBC_2.2.5");
__asm__(".symver oldStat,__xstat@GLIBC_2.2.5");
__asm__(".symver oldLstat,__lxstat@GLIBC_2.2.5");
__asm__(".symver oldFstat64,__fxstat64@GLIBC_2.2.5");
static constexpr int statLayout = 1;
#elif defined(__aarch64__)
__asm__(".symver oldExp,exp@GLIBC_2.17");
__asm__(".symver oldLog,log@GLIBC_2.17");
__asm__(".symver oldPow,pow@GLIBC_2.17");
__asm__(".symver oldStat,__xstat@GLIBC_2.17");
__asm__(".symver oldLstat,__lxstat@GLIBC_2.17");
__asm__(".symver oldFstat64,__fxstat64@GLIBC_2.17");
static constexpr int statLayout = 0;
#else
#error "the first version of glibc is not known for this machine"
#endif

// Since 2.29 these do without the error handling of SVID; the values are the same.
double exp(double x) noexcept { return oldExp(x); }
double log(double x) noexcept { return oldLog(x); }
double pow(double x, double y) noexcept { return oldPow(x, y); }

// Functions of their own since 2.33.
int stat(const char* path, struct stat* status) noexcept {
  return oldStat(statLayout, path, status);
}
int lstat(const char* path, struct stat* status) noexcept {
  return oldLstat(statLayout, path, status);
}
int fstat64(int descriptor, struct stat64* status) noexcept {
  return oldFstat64(statLayout, descriptor, status);
}

// Since 2.32 libstdc++ asks this before it counts references with atomic operations: always do.
extern const char __libc_single_threaded;
const char __libc_single_threaded = 0;

// In libc since 2.34. The initialisations of libstdc++ and libgcc are short and do not throw.
int pthread_once(pthread_once_t* control, void (*initialise)()) {
  constexpr int running = 1, done = 2;
  const std::atomic_ref<int> state(*control);
  int expected = PTHREAD_ONCE_INIT;
  if (state.compare_exchange_strong(expected, running)) {
    initialise();
    state.store(done);
  }
  while (state.load() != done) sched_yield();
  return 0;
}

// In libc since 2.34. Never called: libgcc takes its presence for that of threads.
extern int __pthread_key_create(pthread_key_t*, void (*)(void*));
int __pthread_key_create(pthread_key_t*, void (*)(void*)) { return -1; }

// Since 2.35 libgcc finds the unwinding table of a function by this.
int _dl_find_object(void* address, struct dl_find_object* result) noexcept {
  const trammel::fmi::LoadedObject object = trammel::fmi::loadedObjectAt(address);
  if (object.unwindTable == 0) return -1;
  *result = {};
  // NOLINTBEGIN(performance-no-int-to-ptr): the dynamic linker gives addresses as numbers
  result->dlfo_map_start = reinterpret_cast<void*>(object.begin);
  result->dlfo_map_end = reinterpret_cast<void*>(object.end);
  result->dlfo_eh_frame = reinterpret_cast<void*>(object.unwindTable);
  // NOLINTEND(performance-no-int-to-ptr)
  return 0;
}

}  // extern "C"
