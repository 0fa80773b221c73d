"""What pages show around the boards: typed values made from a table or a game, ready for a template.

They hold words in the reader's language and numbers that the rules have computed; templates only place them.
"""
