; Pipeline parallelism: a loop of three stages of one cycle each, on three cores (L8).
.set array pipeline
.set iterations 4
.data stage 1 1 1
