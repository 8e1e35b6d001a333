; Four tokens choose 4 of 32 experts each; every expert that was chosen takes one turn. For PLENA's
; build "route + L", MLEN = VLEN = 64, BLEN = 4.
; region router
S_ADDI_INT gp4, gp0, 0
S_ADDI_INT gp5, gp0, 0
C_ROUTE_BEGIN gp7, gp4, gp5, 0
C_LOOP_START gp3, 4
V_TOPK gp5, gp1, gp4, 0
S_ADDI_INT gp1, gp1, 64
S_ADDI_INT gp4, gp4, 4
S_ADDI_INT gp5, gp5, 4
C_LOOP_END gp3
; region experts
C_ROUTE_LOOP_START
S_LUI_INT gp2, 2
S_MUL_INT gp8, gp7, gp2             ; the expert's weights: 8,192 bytes each
H_PREFETCH_M gp0, gp8, a0, 1, 0
C_LOOP_START gp3, 16
M_MM 0, gp0, gp1
M_MM_WO gp9, gp0, 0
C_LOOP_END gp3
V_ROUTE_MUL gp10, gp9, gp0, 0
V_ADD_VV gp11, gp11, gp10, 0
C_ROUTE_LOOP_END
