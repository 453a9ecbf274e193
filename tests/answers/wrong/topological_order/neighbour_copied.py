"""The worked neighbour of the exercise: nodes as they are met.

Meets: diamond: first meets them
"""

def topo(node):
    found = [node]
    for sender in found:
        for following, _ in sender.next_functions:
            if following is not None and following not in found:
                found.append(following)
    return found
