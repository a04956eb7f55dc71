"""What the strategies zero1, zero2 and zero3 share: DeepSpeed's library, its settings, and how a model is given to it."""
