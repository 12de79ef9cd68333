"""Text and choices from outside become typed values, or a sentence that says why not."""

from prepapp.bank.forms.browsing import AnswerForm, QuestionFilterForm

__all__ = ["AnswerForm", "QuestionFilterForm"]
