; The MMX chroma key: where the woman's picture is blue (7), take the blossom's. Eight pixels at a time.
.bytes woman 7 7 20 21 7 7 24 25
.bytes blossom 100 101 102 103 104 105 106 107
.bytes blue 7 7 7 7 7 7 7 7
.fill out 1
        MOVQ MM1 = MEM[blue]
        MOVQ MM3 = MEM[woman]
        MOVQ MM4 = MEM[blossom]
        PCMPEQB MM1 = MM1, MM3
        PAND MM4 = MM4, MM1
        PANDN MM1 = MM1, MM3
        POR MM4 = MM4, MM1
        MOVQ MEM[out] = MM4
