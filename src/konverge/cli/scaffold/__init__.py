"""The scaffold: what `konverge init` and `konverge create` write.

`project` and `kind_name` say what it is about, `project_files`, `api_files` and `webhook_files` what is written (pure:
values in, texts by path out), `main_module` which lines are added to the author's `main.py`, and `writing` puts it all
on the disk, never over an author's file without leave. The texts are in `templates`.
"""
