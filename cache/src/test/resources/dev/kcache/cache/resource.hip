#include "resource.h"
#include "../top.h"
#include "gone.h"
__global__ void k() {}
