"""Errors that learners meet, and what to do: tried in order on `Type: message`, after the exercise's own."""

ERRORS: tuple[tuple[str, str], ...] = (
    (r"must implement either the backward or vjp", "torch finds no backward: write a static method of exactly that name."),
    (r"name 'self' is not defined", "The first parameter is ctx here; self does not exist in a static method."),
    (r"'tuple'|'tuple' and", "ctx.saved_tensors is a tuple: unpack it, `input, = ctx.saved_tensors` with the comma."),
    (
        r"save_for_backward can only save variables",
        "save_for_backward takes tensors (or None); a number goes on ctx itself: `ctx.slope = slope`.",
    ),
    (
        r"does not require grad and does not have a grad_fn",
        "There is no graph here: backward runs with grad mode off, and so does everything under no_grad or after detach. "
        "In a backward, write the derivative itself.",
    ),
    (
        r"returned an incorrect number of gradients",
        "backward returns one gradient for each argument of forward (ctx left out), None where there is none.",
    ),
    (
        r"returned a gradient different than None at position",
        "For an argument that is no tensor, or is None, backward returns None.",
    ),
    (
        r"returned an invalid gradient at index .* got \[\]",
        "The gradient lost its shape (squeeze or sum too much): it must have its argument's shape, [1] included.",
    ),
    (r"returned an invalid gradient at index", "A gradient has not the shape of its argument: write the shapes down."),
    (
        r"expected Variable or None",
        "backward returned something that is no tensor: return the gradient itself, or a tuple of gradients.",
    ),
    (
        r"leaf Variable that requires grad.* in-place operation",
        "A leaf is changed in place: under torch.no_grad() where you mean to (an update), never inside a forward.",
    ),
    (
        r"modified by an inplace operation",
        "A tensor that backward still needs was changed in place after forward: compute the forward anew instead.",
    ),
    (
        r"backward through the graph a second time",
        "The graph was used up by the first backward: build it anew, one forward for each backward.",
    ),
    (
        r"on the same device|not on the expected device|Expected all tensors|out of meta tensor",
        "A tensor is made on (or moved to) another device than the input's: use zeros_like, new_ones or device=….",
    ),
    (
        r"same dtype|must have the same|expected scalar type|should be the same|dtype mismatch|not implemented for",
        "A tensor of another dtype is mixed in: make it with the input's dtype (zeros_like, new_ones, .to(input.dtype)).",
    ),
    (
        r"more than one element of the written-to tensor refers to a single memory location",
        "backward wrote into grad_output, which may be expanded (stride 0) and belongs to others. Work on a copy.",
    ),
    (r"must be a matrix|Expected 2-D|2D tensors|t\(\) expects", "mm and t() take matrices only: use matmul, and reshape."),
    (r"shapes cannot be multiplied|size mismatch", "Two shapes do not fit: write the shape of each factor beside it."),
    (r"'NoneType' object has no attribute", "Something is None here: a gradient that never arrived, or an argument left out."),
    (r"referenced before assignment|cannot access local variable", "Not every path sets this name: start with None."),
    (
        r"Boolean value of Tensor with more than one value",
        "Python's if, max and or ask a whole tensor for one yes or no: use torch.where or clamp, element by element, and "
        "`is not None` where the question is whether there is one.",
    ),
    (
        r"type '\w+' is not subscriptable|'(function|type)' object is not subscriptable|cannot unpack non-iterable",
        "Hand check all parts, in one pair of brackets and in the order of the check cell.",
    ),
    (r"object is not callable", "Hand check the function or class itself, as the check cell does."),
    (
        r"name '\w+' is not defined",
        "Nothing in the answer cell sets this name: misspelt, or from another cell? An answer stands alone, with its imports and "
        "helpers, since grading runs no other cell.",
    ),
    (r"positional argument", "The call has other arguments than your definition: compare the signatures."),
    (
        r"to numpy|numpy\(\)",
        "numpy knows the CPU only, and no gradient: on a GPU this fails. Use torch's operations.",
    ),
    (
        r"setStorage|out of bounds for storage",
        "Memory is read as if it were contiguous: an upstream gradient may have any memory layout, stride 0 included.",
    ),
    (r"view .*inplace|view size is not compatible", "Use reshape instead of view, or clone what you return."),
)
