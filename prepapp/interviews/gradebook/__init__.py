"""The gradebook: answers of an attempt with their rubric points and marks. `reads` fetches, `rows` holds
values, `outcome` says what a closed grading comes to. Nothing here writes."""
