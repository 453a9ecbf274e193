# attack: a metaclass that says it is a Function
# outcome: refused, not yet, raised
import torch


class Liar(type):
    def __instancecheck__(cls, instance):
        return True

    def __subclasscheck__(cls, other):
        return True


class MyReLU(metaclass=Liar):
    @staticmethod
    def apply(x):
        return torch.relu(x)
