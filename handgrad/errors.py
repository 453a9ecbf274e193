"""The one exception for mistakes that a person can repair: its text is all that they are shown."""

import click


class CourseError(click.ClickException):
    """Something in the course, or in how it was asked for, is wrong; the message names the file and the cure."""
