; Column 0 of a row-major 6 x 10 matrix: stride 10 over 16 banks touches banks 0, 10, 4, 14, 8, 2 (L7).
.fill M 60 0 1
        MOVI VLEN = 6
        MOVI VSTR = 10
        VLD V0 = M
