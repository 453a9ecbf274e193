"""Polar coordinates: the radius and the angle of the point (x, y)."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn, leaf

bank = Bank(
    "polar",
    lambda: (drawn(3, 7, seed=1), drawn(3, 7, seed=2)),
    lambda x, y: (torch.hypot(x, y), torch.atan2(y, x)),
)


@bank.right("saves the inputs and the radius")
class Radius(Function):
    @staticmethod
    def forward(ctx, x, y):
        radius = torch.hypot(x, y)
        ctx.save_for_backward(x, y, radius)
        return radius, torch.atan2(y, x)

    @staticmethod
    def backward(ctx, grad_radius, grad_angle):
        x, y, radius = ctx.saved_tensors
        along, across = grad_radius / radius, grad_angle / radius / radius
        return along * x - across * y, along * y + across * x


@bank.right("gradients of unused outputs stay None, and each is computed only where it is asked for")
class Unmaterialized(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x, y)
        return torch.hypot(x, y), torch.atan2(y, x)

    @staticmethod
    def backward(ctx, grad_radius, grad_angle):
        x, y = ctx.saved_tensors
        radius = torch.hypot(x, y)
        grad_x = grad_y = None
        if ctx.needs_input_grad[0]:
            if grad_radius is not None:
                grad_x = grad_radius * x / radius
            if grad_angle is not None:
                part = grad_angle * y / radius / radius
                grad_x = -part if grad_x is None else grad_x - part
        if ctx.needs_input_grad[1]:
            if grad_radius is not None:
                grad_y = grad_radius * y / radius
            if grad_angle is not None:
                part = grad_angle * x / radius / radius
                grad_y = part if grad_y is None else grad_y + part
        return grad_x, grad_y


@bank.right("saves the outputs alone and turns the upstream gradient; setup_context, with rules for vmap and forward mode")
class Outputs(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, y):
        return torch.hypot(x, y), torch.atan2(y, x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*output)
        ctx.save_for_forward(*output)

    @staticmethod
    def backward(ctx, grad_radius, grad_angle):
        radius, angle = ctx.saved_tensors
        cos, sin, arc = angle.cos(), angle.sin(), grad_angle / radius
        return grad_radius * cos - arc * sin, grad_radius * sin + arc * cos

    @staticmethod
    def jvp(ctx, tangent_x, tangent_y):
        radius, angle = ctx.saved_tensors
        cos, sin = angle.cos(), angle.sin()
        return cos * tangent_x + sin * tangent_y, (cos * tangent_y - sin * tangent_x) / radius


@bank.right("saves the complex number x + iy, an intermediate, and says that it is differentiable only once")
class Complex(Function):
    @staticmethod
    def forward(ctx, x, y):
        z = torch.complex(x, y)
        ctx.save_for_backward(z)
        return z.abs(), z.angle()

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_radius, grad_angle):
        (z,) = ctx.saved_tensors
        radius = z.abs()
        grad = torch.complex(grad_radius, grad_angle / radius) * (z / radius)
        return grad.real, grad.imag


@bank.wrong("D", "differentiates the angle as if it were measured from the other axis", witness.vjp)
class OtherAxis(Radius):
    @staticmethod
    def backward(ctx, grad_radius, grad_angle):
        return Radius.backward(ctx, grad_radius, -grad_angle)


@bank.wrong("D", "divides the angle's gradient by the radius only once", witness.vjp)
class Once(Radius):
    @staticmethod
    def backward(ctx, grad_radius, grad_angle):
        return Radius.backward(ctx, grad_radius, grad_angle * ctx.saved_tensors[2])


@bank.wrong("D", "differentiates the angle as acos(x / radius), whose sign is another below the axis", witness.vjp)
class Acos(Radius):
    @staticmethod
    def backward(ctx, grad_radius, grad_angle):
        return Radius.backward(ctx, grad_radius, grad_angle * ctx.saved_tensors[1].sign())


@bank.wrong("D", "takes the angle for atan(y / x), which is half a turn off where x is negative", witness.value)
class Atan(Radius):
    @staticmethod
    def forward(ctx, x, y):
        radius, _ = Radius.forward(ctx, x, y)
        return radius, torch.atan(y / x)


@bank.wrong("C", "returns the two gradients in the wrong order", witness.vjp)
class Swapped(Radius):
    @staticmethod
    def backward(ctx, grad_radius, grad_angle):
        grad_x, grad_y = Radius.backward(ctx, grad_radius, grad_angle)
        return grad_y, grad_x


@bank.wrong("C", "asks whether y needs a gradient before it computes that of x", witness.subset)
class WrongFlag(Radius):
    @staticmethod
    def backward(ctx, grad_radius, grad_angle):
        grad_x, grad_y = Radius.backward(ctx, grad_radius, grad_angle)
        return grad_x if ctx.needs_input_grad[1] else None, grad_y


@bank.wrong(
    "O",
    "computes the angle's slope from y / x, which is NaN where x is 0",
    witness.at(witness.not_a_number, lambda: (leaf([0.0, 1.0]), leaf([2.0, -0.5]))),
)
class NanAtZero(Radius):
    @staticmethod
    def backward(ctx, grad_radius, grad_angle):
        x, y, radius = ctx.saved_tensors
        slope = grad_angle / (1 + (y / x).square())
        along = grad_radius / radius
        return along * x - slope * y / x.square(), along * y + slope / x


@bank.wrong(
    "O",
    "takes the radius for sqrt(x^2 + y^2), which overflows at 1e200",
    witness.at(witness.value, lambda: (leaf([3e200, 1.0]), leaf([4e200, 2.0]))),
)
class Overflow(Radius):
    @staticmethod
    def forward(ctx, x, y):
        radius = (x * x + y * y).sqrt()
        ctx.save_for_backward(x, y, radius)
        return radius, torch.atan2(y, x)


@bank.wrong("P", "asks for None in the place of zeros and does not expect it", witness.single_output)
class NotExpected(Radius):
    @staticmethod
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return Radius.forward(ctx, x, y)


@bank.wrong("P", "returns None for both where the radius went unused", witness.single_output)
class AngleAlone(Unmaterialized):
    @staticmethod
    def backward(ctx, grad_radius, grad_angle):
        return (None, None) if grad_radius is None else Unmaterialized.backward(ctx, grad_radius, grad_angle)


@bank.wrong("E", "divides the upstream gradient of the angle in place", witness.writes_upstream)
class InPlace(Radius):
    @staticmethod
    def backward(ctx, grad_radius, grad_angle):
        x, y, radius = ctx.saved_tensors
        along, arc = grad_radius / radius, grad_angle.div_(radius)
        return along * x - arc * y / radius, along * y + arc * x / radius


@bank.wrong("K", "saves the radius as an intermediate, so the second derivative takes it for a constant", witness.second)
class Constant(Function):
    @staticmethod
    def forward(ctx, x, y):
        squared = x * x + y * y
        ctx.save_for_backward(x, y, squared)
        return torch.hypot(x, y), torch.atan2(y, x)

    @staticmethod
    def backward(ctx, grad_radius, grad_angle):
        x, y, squared = ctx.saved_tensors
        along, across = grad_radius / squared.sqrt(), grad_angle / squared
        return along * x - across * y, along * y + across * x


@bank.wrong("B", "keeps the radius as an attribute of ctx, so a later change of it goes unseen", witness.stale)
class Attribute(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        ctx.radius = torch.hypot(x, y)
        return ctx.radius, torch.atan2(y, x)

    @staticmethod
    def backward(ctx, grad_radius, grad_angle):
        x, y = ctx.saved_tensors
        along, across = grad_radius / ctx.radius, grad_angle / ctx.radius / ctx.radius
        return along * x - across * y, along * y + across * x


@bank.wrong("G", "computes in float64 to be exact and returns it so", witness.raw)
class Double(Radius):
    @staticmethod
    def backward(ctx, grad_radius, grad_angle):
        x, y, radius = (saved.double() for saved in ctx.saved_tensors)
        along, across = grad_radius / radius, grad_angle / radius.square()
        return along * x - across * y, along * y + across * x
