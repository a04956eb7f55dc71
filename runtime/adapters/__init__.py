"""PEFT's adapters: few trainable parameters beside a frozen model, one file an adapter."""
