"""The parts of `trainc check`: its options, what it analyses, which findings count, their fixes and their output."""
