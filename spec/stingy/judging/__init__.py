"""Judge candidates: run rules, isolate the candidate's process, apply baselines, form verdicts."""
