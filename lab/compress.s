; File compression as a pipeline: read a block, compress it, write it (L8).
.set array pipeline
.set iterations 6
.data stage 1 3 1
