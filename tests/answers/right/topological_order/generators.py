"""Recursion in form, a stack of generators in fact."""

def topo(node):
    order, seen = [], set()

    def visit(current):
        seen.add(current)
        for following, _ in current.next_functions:
            if following is not None and following not in seen:
                yield following
        order.append(current)

    stack = [visit(node)]
    while stack:
        following = next(stack[-1], None)
        if following is None:
            stack.pop()
        elif following not in seen:
            stack.append(visit(following))
    order.reverse()
    return order
