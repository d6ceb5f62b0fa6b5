; A[i] = B[i] + C[D[i]], and a scatter by an index vector (L7). Values are hundredths: 314 is 3.14.
.data B 1 2 3 4
.data C 100 200 300 400 500 600 700 800 900
.data D 1 3 7 8
.data V 314 650 7120 271
.fill A 4
.fill S 9
        MOVI VLEN = 4
        VLD V0 = D
        VGATHER V1 = C[V0]
        VLD V2 = B
        VADD V3 = V2 + V1
        VST A = V3
        VLD V4 = V
        VSCATTER S[V0] = V4
