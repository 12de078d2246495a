"""Set queries in the manner of QUEST and LogiCoL: Boolean expressions with computed answers.

An atom is a condition, such as "films set in Libya", that holds for some items (documents). A
template is a way to join atoms by AND, OR and NOT; a wording puts a template into words.
"""
