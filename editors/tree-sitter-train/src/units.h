// Made by editors/generate.py from dsl/unit_words.py.
#ifndef TRAIN_UNITS_H
#define TRAIN_UNITS_H

static const char *const UNITS[] = {"B", "kB", "MB", "GB", "TB", "PB", "KiB", "MiB", "GiB", "TiB", "PiB", "b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s", "Kib/s", "Mib/s", "Gib/s", "Tib/s", "B/s", "kB/s", "MB/s", "GB/s", "TB/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s", "FLOPS", "kFLOPS", "MFLOPS", "GFLOPS", "TFLOPS", "PFLOPS", "EFLOPS", "ms", "s", "min", "h", "d", "steps", "epochs", "tokens", "samples", "step", "epoch", "token", "sample", "k", "M", "T", "Ki", "Mi", "Gi", NULL};
static const char *const DURATIONS[] = {"ms", "s", "min", "h", "d", NULL};
static const char *const EXTENTS[] = {"steps", "epochs", "tokens", "samples", "step", "epoch", "token", "sample", NULL};
static const char *const MULTIPLIERS[] = {"k", "M", "B", "T", "Ki", "Mi", "Gi", NULL};

#endif
