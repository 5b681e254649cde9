/* Stands between a program and the C library, and adds a line to the file that SYNCS names for each file that is written to
 * the disk for good: its path. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void tell(int of)
{
	char name[64], path[PATH_MAX + 1];
	const char *told = getenv("SYNCS");
	if (told == NULL)
		return;
	snprintf(name, sizeof name, "/proc/self/fd/%d", of);
	ssize_t length = readlink(name, path, PATH_MAX);
	if (length < 0)
		return;
	path[length] = '\n';
	int file = open(told, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (file < 0)
		return;
	/* What isn't told is missed by whoever counts. */
	if (write(file, path, (size_t)length + 1) < 0)
		perror("syncs");
	close(file);
}

int fsync(int of)
{
	int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
	tell(of);
	return next(of);
}

int fdatasync(int of)
{
	int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
	tell(of);
	return next(of);
}
