"""Positions as a page shows them: plain typed values made from a game and a state, ready for a template.

A view holds words in the reader's language and numbers that the rules have computed; templates only place them.
"""
