# attack: an error whose text is a spreadsheet's formula
# outcome: raised
import torch

raise ValueError('=HYPERLINK("http://192.0.2.1")')
