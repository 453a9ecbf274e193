"""What a teacher and a learner read of a graded class: pages, tables, and the formats that other tools take.

Everything here is a function of the header and the results, which hold whatever a learner wrote.
Nothing here runs an answer or imports torch.
"""

from handgrad.grading.reports.gradebook import best_rows
from handgrad.grading.reports.terminal import show_class
from handgrad.grading.reports.write import write_reports

__all__ = ["best_rows", "show_class", "write_reports"]
