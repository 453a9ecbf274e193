# attack: looks for the reference among all objects
# outcome: refused
import torch
import gc

MyReLU = next(o.reference for o in gc.get_objects() if type(o).__name__ == "Exercise" and o.name == "my_relu")
