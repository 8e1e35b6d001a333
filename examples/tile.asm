; One tile of a product, then a softmax-like pass over its rows. For PLENA, MLEN = VLEN = 64, BLEN = 4.
; region load
S_ADDI_INT gp1, gp0, 4096
C_SET_SCALE_REG gp1
S_ADDI_INT gp2, gp0, 64
C_SET_STRIDE_REG gp2
H_PREFETCH_M gp0, gp0, a0, 1, 0
S_ADDI_INT gp3, gp0, 0
C_LOOP_START gp4, 16                ; 64 rows, four at a time
H_PREFETCH_V gp3, gp3, a1, 1, 0
S_ADDI_INT gp3, gp3, 256
C_LOOP_END gp4
; region product
S_ADDI_INT gp8, gp0, 0
S_ADDI_INT gp9, gp0, 4096
C_LOOP_START gp4, 16
S_ADDI_INT gp7, gp0, 0
S_ADDI_INT gp3, gp9, 0
C_LOOP_START gp5, 16
M_MM 0, gp8, gp7
M_MM_WO gp3, gp0, 0
S_ADDI_INT gp7, gp7, 256
S_ADDI_INT gp3, gp3, 256
C_LOOP_END gp5
S_ADDI_INT gp8, gp8, 256
S_ADDI_INT gp9, gp9, 4
C_LOOP_END gp4
; region rows
S_ADDI_INT gp1, gp0, 4096
C_LOOP_START gp4, 64
S_LD_FP f1, gp0, 2
V_RED_MAX f1, gp1, 0
V_SUB_VF gp1, gp1, f1, 0, 0
V_EXP_V gp1, gp1, 0
S_ADD_FP f2, f0, f0
V_RED_SUM f2, gp1
S_RECI_FP f2, f2
V_MUL_VF gp1, gp1, f2, 0
S_ADDI_INT gp1, gp1, 64
C_LOOP_END gp4
; region store
S_ADDI_INT gp1, gp0, 4096
S_ADDI_INT gp3, gp0, 0
C_LOOP_START gp4, 16
H_STORE_V gp1, gp3, a2, 1, 0
S_ADDI_INT gp1, gp1, 256
S_ADDI_INT gp3, gp3, 256
C_LOOP_END gp4
