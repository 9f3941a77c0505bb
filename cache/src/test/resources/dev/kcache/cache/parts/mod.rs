// a module
