-- What was changed in the settings, by whom. The settings themselves are in `config.yaml`.

-- `from_value` and `to_value` are JSON; null for nothing in the file. Changes that were made together
-- have one `save_id`. `changed_by` is person, agent, file or terminal.
CREATE TABLE setting_changes (
    change_id    TEXT    NOT NULL PRIMARY KEY,
    save_id      TEXT    NOT NULL,
    key          TEXT    NOT NULL,
    from_value   TEXT    NOT NULL,
    to_value     TEXT    NOT NULL,
    changed_by   TEXT    NOT NULL,
    client       TEXT,
    session_uuid TEXT,
    changed_at   INTEGER NOT NULL,
    undone_at    INTEGER
) STRICT;
