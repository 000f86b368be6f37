// For the address sanitizer's leak check, which asks the program for this. That of GCC 12 takes
// what lies before a plugin's thread-local storage for a description of it where the address is 16
// bytes past a multiple of 4096, reads from nowhere and crashes; these programs keep no pointer
// there.
extern "C" const char* __lsan_default_options();
extern "C" const char* __lsan_default_options() { return "use_tls=0"; }
