"""Play in a terminal: dice, cards and sheets drawn with characters, menus by number and by record notation.

screen   what is printed and read: width, colour, plain characters where a terminal has no others
menu     a question with options, and how an answer is understood
help     everything that `?` shows
session  a game in progress: its events, its players, undo, and the record that is saved after every event
saves    where records lie, and how they are read again
setup    the questions before a game
cards    the table of Dicy Cards
stars    the table of Dice Stars
play     the loop that holds them together
"""
