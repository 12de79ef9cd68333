"""What changes the question bank. Each action owns its transaction and takes the time as an argument."""

from prepapp.bank.actions.loading import BankRefused, LoadResult, load_bank
from prepapp.bank.actions.rerendering import rerender_versions
from prepapp.bank.actions.taxonomy import load_taxonomy

__all__ = ["BankRefused", "LoadResult", "load_bank", "load_taxonomy", "rerender_versions"]
