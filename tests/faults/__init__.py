"""What is killed, cut and made late on purpose, and what must hold afterwards."""
