"""Play in a terminal: dice, cards and sheets drawn with characters, menus by number and by record notation.

screen   input and output: width, colour, ASCII replacements for limited terminals
menu     a question with options, and the parsing of answers
help     everything that `?` shows
session  a running game: its events, its players, undo, and the record that is saved after every event
saves    the folder of records, and reading them again
setup    the questions before a game
dicy_cards, dice_stars  the boards of the games
play     the game loop
"""
