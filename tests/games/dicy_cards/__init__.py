"""The rules of Dicy Cards."""
