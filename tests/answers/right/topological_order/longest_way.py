"""Sorts by the longest way from the root, which grows until nothing changes; a tuple."""

def topo(node):
    depth, waiting = {node: 0}, [node]
    while waiting:
        current = waiting.pop(0)
        for following, _ in current.next_functions:
            if following is not None and depth.get(following, -1) <= depth[current]:
                depth[following] = depth[current] + 1
                if following not in waiting:
                    waiting.append(following)
    return tuple(sorted(depth, key=depth.get))
