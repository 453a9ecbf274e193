"""The exercise `your_operator` of chapter 13: a Function of the learner's own, its Module, and a network trained with it."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.autograd import Function

from handgrad.audit.run import PROBES
from handgrad.exercises import own_operator, own_training
from handgrad.exercises.exercise import Exercise, Probe, Slip


class _Squareplus(Function):
    @staticmethod
    def forward(ctx, x, width):
        height = torch.hypot(x, width)
        y = torch.where(x < 0, width * width / (height - x), x + height) / 2
        ctx.save_for_backward(width, height, y)
        ctx.shape = x.shape
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad_output):
        width, height, y = ctx.saved_tensors
        grad_x = grad_output * y / height if ctx.needs_input_grad[0] else None
        grad_width = (grad_output * width / (2 * height)).sum_to_size(width.shape) if ctx.needs_input_grad[1] else None
        return grad_x, grad_width


class _SquareplusModule(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.width = nn.Parameter(torch.tensor(1.0))

    def forward(self, x: Tensor) -> Tensor:
        return _Squareplus.apply(x, self.width)


def _train(images: Tensor, labels: Tensor, steps: int = 60) -> nn.Module:
    network = nn.Sequential(nn.Linear(64, 32), _SquareplusModule(), nn.Linear(32, 10)).to(images.device)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.03)
    for _ in range(steps):
        loss = nn.functional.cross_entropy(network(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network


_RIGHT = (_Squareplus, _SquareplusModule, _train)


_SLIPS = {
    "gradcheck": "backward is not the derivative of forward; a gradient that is none on purpose is not asked for here.",
    "forward": "forward changes what it was given, which its caller still needs: compute a new tensor.",
}


def _of_audit() -> Iterator[Probe]:
    yield Probe("audit, runs", own_operator.audit_probe("runs"), "So nothing can be judged yet: mend this first.")
    for probe in PROBES:
        slip = _SLIPS.get(probe.name, probe.slip)
        yield Probe(f"audit, {probe.name}", own_operator.audit_probe(probe.name), slip, advice=probe.advice)


YOUR_OPERATOR = Exercise(
    name="your_operator",
    chapter="13_own",
    probes=(
        Probe(
            "form",
            own_operator.form,
            "Hand check the three parts in one pair of brackets: (YourFunction, YourModule, train).",
            gate=True,
        ),
        Probe(
            "module",
            own_operator.module,
            "YourModule() takes no argument; called with images of shape (N, 64) it returns a tensor with N rows, and what "
            "comes from the images goes through YourFunction.apply on the way.",
        ),
        Probe(
            "used",
            own_operator.used,
            "The Module calls your Function and then computes something else: return what the Function gives, or something "
            "made from it.",
        ),
        Probe(
            "new", own_operator.new, "torch has that already. Change the formula, or take another one: the exercise lists a few."
        ),
        Probe(
            "by hand",
            own_operator.by_hand,
            "Your backward lets torch differentiate a composition. Write the derivative down, as a formula.",
        ),
        Probe(
            "parameters",
            own_operator.parameters,
            "What is learned is an nn.Parameter and an attribute of the Module: else no optimizer and no state_dict sees it.",
        ),
        *_of_audit(),
        Probe(
            "state_dict",
            own_operator.state,
            "What the Module was trained to be lies in nn.Parameters and buffers: anything else is lost when it is saved.",
        ),
        Probe(
            "trains",
            own_training.trains,
            "train(images, labels, steps=...) returns the network, which gives 10 scores for each image; the check does the "
            "measuring.",
        ),
        Probe(
            "data untouched",
            own_training.untouched,
            "train writes into the images or labels, which belong to its caller: work on a copy.",
        ),
        Probe(
            "handed data",
            own_training.handed_data,
            "train uses digits that it was not handed, and the check's held-out ones are among them.",
        ),
        Probe(
            "in the network",
            own_training.in_network,
            "The network is trained without your operator: put YourModule() between its layers, with a layer to learn before it, "
            "and nothing detached.",
        ),
        Probe(
            "gradient in the network",
            own_training.gradient,
            "At the sizes of your network backward is not the derivative: something in it holds for others only.",
        ),
        Probe(
            "leans on it",
            own_training.leans,
            "The network hardly uses what your operator gives it: its answers come another way.",
        ),
        Probe(
            "learns",
            own_training.learns,
            "steps=0 returns a new network, and the default number of steps is enough: more steps, or another learning rate?",
        ),
        Probe(
            "parameters move",
            own_training.parameters_move,
            "Does the optimizer have network.parameters(), all of them? Or is the slope 0 where the parameter starts?",
            advice=True,
        ),
    ),
    reference=_RIGHT,
    slips=(
        Slip(
            (_Squareplus, _SquareplusModule, lambda images, labels, steps=60: 0.99),
            "train returns a number. Whether it is an accuracy nobody can know: return the network, and the check measures.",
        ),
    ),
    errors=(
        (
            r"LookupError: the Module does not call",
            "YourModule.forward calls YourFunction.apply(...), of the class that you hand over.",
        ),
        (r"TimeoutError", "Fewer steps, a smaller network, or all images at once: a second or two is enough for these digits."),
        (
            r"unexpected keyword argument 'steps'|argument: 'steps'|multiple values for argument 'steps'",
            "The check calls train(images, labels) and train(images, labels, steps=0): give steps a default.",
        ),
        (r"NoDigits", "Install scikit-learn, restart the kernel, and run the cells again."),
    ),
    hints=(
        "Which function would you like a network to have that torch does not? What is its slope, in x and in each parameter?",
        "grad_x = grad_output · ∂y/∂x; grad_p = grad_output · ∂y/∂p, summed to the shape of p; where both need the same "
        "quantity, save it.",
        "`y = (x + torch.hypot(x, p)) / 2`, whose slopes are `y / h` and `p / (2 * h)` for `h = torch.hypot(x, p)`; and "
        "`nn.Sequential(nn.Linear(64, 32), YourModule(), nn.Linear(32, 10))`.",
    ),
)

EXERCISES = (YOUR_OPERATOR,)
