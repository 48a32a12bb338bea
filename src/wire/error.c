/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "wire/error.h"

const char *
wire_strerror(int error)
{
	switch ((enum wire_error)error) {
	case WIRE_OK:
		return "no error";
	case WIRE_SHORT:
		return "message is incomplete";
	case WIRE_INVALID:
		return "message contradicts itself";
	case WIRE_NO_SPACE:
		return "buffer is too small";
	}
	return "unknown error";
}
