// The outer header.
#include "parts/inner.h"
