#include "parts/deep.h"
