"""The audit of a custom autograd Function: observe in the learner's process, judge outside it.

`probes` call an answer and write down what came out as a record, which is plain JSON data.
`judge` compares two records and needs neither torch nor the answer.
"""
