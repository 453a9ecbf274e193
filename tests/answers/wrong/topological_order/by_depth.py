"""Sorts by the shortest way from the root.

Meets: diamond: first meets them
"""

def topo(node):
    depth, found = {node: 0}, [node]
    for current in found:
        for following, _ in current.next_functions:
            if following is not None and following not in depth:
                depth[following] = depth[current] + 1
                found.append(following)
    return sorted(found, key=depth.get)
