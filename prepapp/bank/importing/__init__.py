"""What becomes of the items of a file, worked out from values alone: no models, no clock, nothing written.

`known` is what the bank has, `matching` says which question an item is, `merging` what a question is with
what the file says of it, `planning` puts a row of the report beside each item.
"""

from prepapp.bank.importing.known import Bank, Known
from prepapp.bank.importing.matching import Identity, identify, keeps_reference
from prepapp.bank.importing.planning import Row, count_outcomes, plan_items

__all__ = ["Bank", "Identity", "Known", "Row", "count_outcomes", "identify", "keeps_reference", "plan_items"]
