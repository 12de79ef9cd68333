"""What changes the question bank. Each action owns its transaction and takes the time as an argument."""

from prepapp.bank.actions.drafts import (
    create_question,
    delete_question,
    discard_draft,
    open_draft,
    return_draft,
    save_draft,
    submit_draft,
    withdraw_draft,
)
from prepapp.bank.actions.loading import BankRefused, LoadResult, load_bank
from prepapp.bank.actions.log import log_event
from prepapp.bank.actions.pack_loading import PacksResult, load_packs
from prepapp.bank.actions.publishing import confirm_facts, publish_draft, restore_questions, retire_questions
from prepapp.bank.actions.rerendering import rerender_versions
from prepapp.bank.actions.sample_loading import SamplesResult
from prepapp.bank.actions.taxonomy import load_taxonomy

__all__ = [
    "BankRefused",
    "LoadResult",
    "PacksResult",
    "SamplesResult",
    "confirm_facts",
    "create_question",
    "delete_question",
    "discard_draft",
    "load_bank",
    "load_packs",
    "load_taxonomy",
    "log_event",
    "open_draft",
    "publish_draft",
    "rerender_versions",
    "restore_questions",
    "retire_questions",
    "return_draft",
    "save_draft",
    "submit_draft",
    "withdraw_draft",
]
