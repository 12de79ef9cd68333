"""Readers and writers of file formats. Not here: rules about content, the database."""
