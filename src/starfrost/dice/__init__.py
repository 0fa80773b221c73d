"""Numbered dice multisets, and the turn solver of Dicy Cards."""
