// dlopen and its kin by the symbols of glibc before 2.34, as glibc_compatibility.cpp does for
// others. Only the container loads libraries.

#include <dlfcn.h>

extern "C" {

void* oldDlopen(const char* file, int mode);
void* oldDlsym(void* handle, const char* name);
int oldDlclose(void* handle);
char* oldDlerror();

#if defined(__x86_64__)
__asm__(".symver oldDlopen,dlopen@GLIBC_2.2.5");
__asm__(".symver oldDlsym,dlsym@GLIBC_2.2.5");
__asm__(".symver oldDlclose,dlclose@GLIBC_2.2.5");
__asm__(".symver oldDlerror,dlerror@GLIBC_2.2.5");
#elif defined(__aarch64__)
__asm__(".symver oldDlopen,dlopen@GLIBC_2.17");
__asm__(".symver oldDlsym,dlsym@GLIBC_2.17");
__asm__(".symver oldDlclose,dlclose@GLIBC_2.17");
__asm__(".symver oldDlerror,dlerror@GLIBC_2.17");
#else
#error "the first version of glibc is not known for this machine"
#endif

void* dlopen(const char* file, int mode) noexcept { return oldDlopen(file, mode); }
void* dlsym(void* handle, const char* name) noexcept { return oldDlsym(handle, name); }
int dlclose(void* handle) noexcept { return oldDlclose(handle); }
char* dlerror() noexcept { return oldDlerror(); }

}  // extern "C"
