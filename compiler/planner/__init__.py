"""What will happen, in numbers: batches, lengths, memory. Every total keeps its terms."""
