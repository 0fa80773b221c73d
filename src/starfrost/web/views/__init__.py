"""What boards and pages share: seats, rules, lessons and the pictures of a finished game, ready for templates."""
