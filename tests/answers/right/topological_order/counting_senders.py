"""Counts who still has to send (Kahn), with a queue."""

from collections import Counter, deque


def topo(node):
    senders, seen, waiting = Counter(), {node}, [node]
    while waiting:
        for following, _ in waiting.pop().next_functions:
            if following is not None:
                senders[following] += 1
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
    order, ready = [], deque([node])
    while ready:
        current = ready.popleft()
        order.append(current)
        for following, _ in current.next_functions:
            if following is not None:
                senders[following] -= 1
                if senders[following] == 0:
                    ready.append(following)
    return order
