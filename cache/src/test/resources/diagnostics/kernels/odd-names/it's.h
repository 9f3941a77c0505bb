int x = other;
