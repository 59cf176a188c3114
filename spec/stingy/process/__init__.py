"""This process: its signals, the folder it stands in, and the files it writes."""
