"""What is said: frozen, tagged data that actors exchange. Imports nothing else of ours."""
