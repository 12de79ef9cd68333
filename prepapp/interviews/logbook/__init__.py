"""What the pages of the past read: the list, one attempt as it was, two of them side by side, the export.
Reads only. What changes the past is in `actions.history`; how an export is written down, in `exports`."""
