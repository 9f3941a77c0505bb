int x = one;
int y = two;
