; C[i] = A[i] >= B[i] ? A[i] : B[i], with masked stores (L7). VMASK is 1 where an element is to be worked on.
.data A 1 2 3 4 -5 0 6 -7
.data B 2 2 2 10 -4 -3 5 -8
.fill C 8
        MOVI VLEN = 8
        VLD V0 = A
        VLD V1 = B
        VSGE V0 >= V1
        VST C = V0
        VNOTM
        VST C = V1
