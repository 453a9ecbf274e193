"""Grades for other programs: JUnit XML and Gradescope's results.json."""

import json
from xml.etree import ElementTree

from handgrad.grading.reports.gradebook import Gradebook, Learner
from handgrad.grading.reports.words import one_line, plain


def junit(book: Gradebook) -> str:
    """A suite a learner, a case an exercise, and a case with an error a file that was not graded."""
    root = ElementTree.Element("testsuites", name="handgrad")
    for learner in book.learners:
        suite = ElementTree.SubElement(root, "testsuite", name=learner.name)
        for entry in learner.entries:
            case = ElementTree.SubElement(suite, "testcase", classname=entry.exercise.notebook, name=entry.exercise.name)
            if entry.outcome.junit:
                message = f"{entry.outcome.name}: {entry.gist}" if entry.gist else entry.outcome.name
                ElementTree.SubElement(case, entry.outcome.junit, message=message).text = entry.text
        for result in learner.results:
            if result["status"] != "graded":
                case = ElementTree.SubElement(suite, "testcase", classname="files", name=one_line(result["file"], 200))
                message = one_line(f"{result['status']}: {result['message']}", 200)
                ElementTree.SubElement(case, "error", message=message).text = plain(result["message"])
        _count(suite)
    _count(root)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _count(element: ElementTree.Element) -> None:
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(name, str(sum(1 for _ in element.iter(tag))))


def gradescope(learner: Learner) -> str:
    """A learner's results.json. Flags are not in it, since learners see it.

    Source: https://gradescope-autograders.readthedocs.io/en/latest/specs/
    """
    tests = [
        {
            "name": entry.exercise.name,
            "score": entry.points,
            "max_score": entry.exercise.of,
            "status": "passed" if entry.outcome.name == "done" else "failed",
            "output": entry.text or entry.outcome.told,
            "output_format": "text",
            "visibility": "visible",
        }
        for entry in learner.entries
    ]
    lost = [f"{one_line(result['file'], 200)}: {result['status']}" for result in learner.results if result["status"] != "graded"]
    output = "\n".join([f"{learner.done} of {len(tests)} exercises are done.", *lost])
    results = {"score": learner.points, "output": output, "output_format": "text", "visibility": "visible", "tests": tests}
    return json.dumps(results, ensure_ascii=False, indent=2) + "\n"
