int w = three;
