"""What happens after a bundle exists: launching it here, following it, and telling how it went."""
