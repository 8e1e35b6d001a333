"""Outputs of PLENA's emulator: its log, run statistics, stage and memory profiles, and what every
instruction took. Facts: AICrossSim/PLENA_Simulator, transactional_emulator and its test runner."""
