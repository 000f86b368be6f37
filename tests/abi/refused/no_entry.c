/* A shared library without the entry symbol. */
int some_other_library(void);
int some_other_library(void) { return 1; }
