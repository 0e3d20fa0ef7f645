"""The tables, as numbered migrations: a released one is never changed, the next is added below it."""

PACKS_OF_COLLECTIONS = "ALTER TABLE collections ADD COLUMN pack TEXT NOT NULL DEFAULT '';" + "".join(
    f"""
    UPDATE collections SET pack='{pack}' WHERE id IN (SELECT collection FROM documents) AND NOT EXISTS(
      SELECT 1 FROM documents d WHERE d.collection=collections.id AND d.origin NOT LIKE '%/packs/{pack}/documents/%');
    """
    for pack in ("handbook", "medical", "real_estate", "tax_audit")
)
"""Whose documents a collection holds: of what is stored already it is known by the files that they came from."""

ASKED_BACK = """CASE WHEN json_valid(response) THEN json_extract(response,'$.response_type') ELSE '' END
='clarification'"""
"""Which turns came to a question back and nothing else: a condition, and the rows of an index."""

ASKED_OF_PASSAGES = "ALTER TABLE passages ADD COLUMN asked TEXT NOT NULL DEFAULT '[]';"
INDEX_OF_ASKED_BACK = f"CREATE INDEX turns_asked_back ON turns(thread, at) WHERE {ASKED_BACK};"
"""Else every turn of a thread would read all the answers before it."""

WEFT = (
    """
    CREATE TABLE collections(
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
      readers TEXT NOT NULL DEFAULT '["*"]', sample INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE documents(
      id INTEGER PRIMARY KEY, collection INTEGER NOT NULL REFERENCES collections(id),
      document_id TEXT NOT NULL, title TEXT NOT NULL, source TEXT NOT NULL, origin TEXT NOT NULL,
      language TEXT NOT NULL, content_hash TEXT NOT NULL, metadata TEXT NOT NULL, characters INTEGER NOT NULL,
      updated_at REAL NOT NULL, UNIQUE(collection, document_id));
    CREATE TABLE passages(
      id INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL REFERENCES documents(id),
      collection INTEGER NOT NULL, position INTEGER NOT NULL, section TEXT NOT NULL, page INTEGER,
      category TEXT NOT NULL, language TEXT NOT NULL, entities TEXT NOT NULL, text TEXT NOT NULL,
      terms BLOB NOT NULL, counts BLOB NOT NULL);
    CREATE INDEX passages_document ON passages(document, position);
    CREATE TABLE removed(
      seq INTEGER PRIMARY KEY AUTOINCREMENT, passage INTEGER NOT NULL, removed_at REAL NOT NULL);
    CREATE TABLE terms(id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE);
    CREATE TABLE stamps(
      collection INTEGER NOT NULL REFERENCES collections(id), source TEXT NOT NULL, stamp TEXT NOT NULL,
      PRIMARY KEY(collection, source));
    CREATE TABLE turns(
      turn_id TEXT PRIMARY KEY, thread TEXT NOT NULL, message_id TEXT NOT NULL, at REAL NOT NULL,
      asked_by TEXT NOT NULL, response TEXT NOT NULL);
    CREATE INDEX turns_thread ON turns(thread, at);
    CREATE TABLE deliveries(
      id INTEGER PRIMARY KEY, turn_id TEXT NOT NULL, slot TEXT NOT NULL, channel_id TEXT, message_id TEXT,
      digest TEXT NOT NULL DEFAULT '', begun_at REAL NOT NULL, UNIQUE(turn_id, slot));
    """,
    """
    ALTER TABLE documents ADD COLUMN date TEXT NOT NULL DEFAULT '';
    ALTER TABLE passages ADD COLUMN kind TEXT NOT NULL DEFAULT 'chunk';
    CREATE TABLE groups(name TEXT NOT NULL, member TEXT NOT NULL, PRIMARY KEY(name, member)) WITHOUT ROWID;
    CREATE INDEX documents_source ON documents(source);
    ALTER TABLE removed ADD COLUMN terms BLOB;
    CREATE TABLE entities(name TEXT NOT NULL, passage INTEGER NOT NULL, PRIMARY KEY(name, passage)) WITHOUT ROWID;
    INSERT OR IGNORE INTO entities SELECT j.value, p.id FROM passages p, json_each(p.entities) j;
    CREATE TRIGGER passages_come AFTER INSERT ON passages WHEN NEW.entities<>'[]' BEGIN
      INSERT OR IGNORE INTO entities SELECT value, NEW.id FROM json_each(NEW.entities); END;
    CREATE TRIGGER passages_go AFTER DELETE ON passages WHEN OLD.entities<>'[]' BEGIN
      DELETE FROM entities WHERE passage=OLD.id AND name IN (SELECT value FROM json_each(OLD.entities)); END;
    CREATE TABLE snapshots(id TEXT PRIMARY KEY, made_at REAL NOT NULL) WITHOUT ROWID;
    CREATE TABLE facts(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    INSERT INTO facts VALUES('tokens', '1');
    """,
    """
    CREATE TABLE attachments(
      id INTEGER PRIMARY KEY, turn_id TEXT NOT NULL, thread TEXT NOT NULL, message_id TEXT NOT NULL,
      file_id TEXT NOT NULL, at REAL NOT NULL, content BLOB NOT NULL, UNIQUE(turn_id, file_id));
    CREATE INDEX attachments_thread ON attachments(thread, at);
    """,
    """
    CREATE TABLE usage(
      id INTEGER PRIMARY KEY, at REAL NOT NULL, day TEXT NOT NULL, turn_id TEXT NOT NULL, user TEXT NOT NULL,
      channel TEXT NOT NULL, model TEXT NOT NULL, role TEXT NOT NULL, outcome TEXT NOT NULL,
      tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, tokens_cached INTEGER NOT NULL,
      estimated INTEGER NOT NULL, cost REAL NOT NULL);
    CREATE INDEX usage_day ON usage(day, user, channel, tokens_in, tokens_out, cost);
    """,
    """
    CREATE TABLE dialects(
      endpoint TEXT NOT NULL, model TEXT NOT NULL, dialect TEXT NOT NULL, until REAL NOT NULL,
      PRIMARY KEY(endpoint, model)) WITHOUT ROWID;
    """,
    """
    CREATE TABLE channel_modes(
      platform TEXT NOT NULL, workspace TEXT NOT NULL, channel TEXT NOT NULL, mode TEXT NOT NULL,
      PRIMARY KEY(platform, workspace, channel)) WITHOUT ROWID;
    """,
    """
    CREATE TABLE ratings(
      turn_id TEXT NOT NULL, user TEXT NOT NULL, helpful INTEGER, at REAL NOT NULL,
      PRIMARY KEY(turn_id, user)) WITHOUT ROWID;
    CREATE TRIGGER turns_go AFTER DELETE ON turns BEGIN DELETE FROM ratings WHERE turn_id=OLD.turn_id; END;
    """,
    # a number is never given again: the events of a plan are named by it
    """
    CREATE TABLE schedules(
      id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, origin TEXT UNIQUE, thread TEXT NOT NULL,
      user TEXT NOT NULL, owner TEXT NOT NULL, private INTEGER NOT NULL, guests INTEGER NOT NULL,
      plan TEXT NOT NULL, zone TEXT NOT NULL, text TEXT NOT NULL, language TEXT NOT NULL,
      created REAL NOT NULL, since REAL NOT NULL, paused INTEGER NOT NULL DEFAULT 0,
      failures INTEGER NOT NULL DEFAULT 0, problem TEXT NOT NULL DEFAULT '', answered TEXT NOT NULL DEFAULT '',
      answered_before TEXT NOT NULL DEFAULT '', details TEXT NOT NULL DEFAULT '{}');
    CREATE INDEX schedules_user ON schedules(user);
    """,
    """
    ALTER TABLE ratings ADD COLUMN reason TEXT NOT NULL DEFAULT '';
    ALTER TABLE ratings ADD COLUMN words TEXT NOT NULL DEFAULT '';
    """,
    """
    CREATE TABLE channel_overlaps(
      platform TEXT NOT NULL, workspace TEXT NOT NULL, channel TEXT NOT NULL, overlap TEXT NOT NULL,
      PRIMARY KEY(platform, workspace, channel)) WITHOUT ROWID;
    """,
    """
    CREATE TABLE channel_packs(
      platform TEXT NOT NULL, workspace TEXT NOT NULL, channel TEXT NOT NULL, pack TEXT NOT NULL,
      PRIMARY KEY(platform, workspace, channel)) WITHOUT ROWID;
    """,
    """
    CREATE TABLE last_heard(
      platform TEXT NOT NULL, workspace TEXT NOT NULL, channel TEXT NOT NULL, thread TEXT NOT NULL,
      message TEXT NOT NULL, at REAL NOT NULL,
      PRIMARY KEY(platform, workspace, channel, thread)) WITHOUT ROWID;
    """,
    PACKS_OF_COLLECTIONS,
    INDEX_OF_ASKED_BACK,
    ASKED_OF_PASSAGES,
)

INBOX = (
    """
    CREATE TABLE inbox(
      id INTEGER PRIMARY KEY, event_id TEXT NOT NULL UNIQUE,
      platform TEXT NOT NULL, thread TEXT NOT NULL, payload TEXT NOT NULL,
      status TEXT NOT NULL DEFAULT 'todo', attempts INTEGER NOT NULL DEFAULT 0, run_at REAL NOT NULL DEFAULT 0,
      lease_until REAL, owner TEXT, stop INTEGER NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '',
      created REAL NOT NULL);
    CREATE INDEX inbox_claim ON inbox(id) WHERE status IN ('todo','doing');
    CREATE INDEX inbox_lane ON inbox(thread, id) WHERE status IN ('todo','doing');
    CREATE INDEX inbox_thread ON inbox(thread);
    """,
    """
    ALTER TABLE inbox ADD COLUMN turn TEXT NOT NULL DEFAULT '';
    ALTER TABLE inbox ADD COLUMN kind TEXT NOT NULL DEFAULT '';
    ALTER TABLE inbox ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
    UPDATE inbox SET kind=json_extract(payload,'$.kind') WHERE payload<>'';
    CREATE INDEX inbox_turn ON inbox(turn);
    """,
    # `attempts` counted claims until now; what was counted of what still waits is no failed turn
    """
    ALTER TABLE inbox ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
    UPDATE inbox SET attempts=0 WHERE status IN ('todo','doing');
    """,
    # How messages go with those before them: `storage.overlap` (who, where, lines of one question, rates), and what
    # those are told who wait
    """
    ALTER TABLE inbox ADD COLUMN person TEXT NOT NULL DEFAULT '';
    ALTER TABLE inbox ADD COLUMN place TEXT NOT NULL DEFAULT '';
    ALTER TABLE inbox ADD COLUMN on_top INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE inbox ADD COLUMN head TEXT NOT NULL DEFAULT '';
    ALTER TABLE inbox ADD COLUMN open_until REAL NOT NULL DEFAULT 0;
    ALTER TABLE inbox ADD COLUMN slot REAL NOT NULL DEFAULT 0;
    ALTER TABLE inbox ADD COLUMN told REAL NOT NULL DEFAULT 0;
    ALTER TABLE inbox ADD COLUMN told_before INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE inbox ADD COLUMN telling REAL NOT NULL DEFAULT 0;
    CREATE INDEX inbox_head ON inbox(head) WHERE head<>'';
    CREATE INDEX inbox_person ON inbox(person, slot) WHERE slot>0;
    CREATE INDEX inbox_place ON inbox(place, slot) WHERE slot>0;
    """,
)

PEOPLE = (
    """
    CREATE TABLE slots(
      user TEXT NOT NULL, pack TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, told_at REAL NOT NULL,
      PRIMARY KEY(user, pack, name)) WITHOUT ROWID;
    CREATE TABLE preferences(user TEXT PRIMARY KEY, language TEXT NOT NULL, length TEXT NOT NULL, format TEXT NOT NULL);
    CREATE TABLE memories(
      turn_id TEXT PRIMARY KEY, user TEXT NOT NULL, pack TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL,
      evidence TEXT NOT NULL, at REAL NOT NULL);
    CREATE INDEX memories_of ON memories(user, pack, at);
    """,
    """
    ALTER TABLE slots ADD COLUMN turn_id TEXT NOT NULL DEFAULT '';
    CREATE INDEX slots_turn ON slots(turn_id);
    """,
    # of a list every value is a row of its own: each goes with the turn that told it
    """
    CREATE TABLE slot_values(
      user TEXT NOT NULL, pack TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, told_at REAL NOT NULL,
      turn_id TEXT NOT NULL, PRIMARY KEY(user, pack, name, value)) WITHOUT ROWID;
    CREATE INDEX slot_values_turn ON slot_values(turn_id);
    INSERT OR IGNORE INTO slot_values SELECT s.user, s.pack, s.name, json_quote(j.value), s.told_at, s.turn_id
      FROM slots s, json_each(s.value) j WHERE json_valid(s.value) AND json_type(s.value)='array';
    DELETE FROM slots WHERE json_valid(value) AND json_type(value)='array';
    """,
)

# The tables are older than their number: a file from before has them, and number 0.
BOARD = (
    """
    CREATE TABLE IF NOT EXISTS board_threads(
      id TEXT PRIMARY KEY, title TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL,
      version INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX IF NOT EXISTS board_threads_version ON board_threads(version);
    CREATE TABLE IF NOT EXISTS board_posts(
      number INTEGER PRIMARY KEY, thread TEXT NOT NULL, id TEXT NOT NULL, role TEXT NOT NULL,
      payload TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL,
      version INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0, UNIQUE(thread, id));
    CREATE INDEX IF NOT EXISTS board_posts_version ON board_posts(version);
    CREATE TABLE IF NOT EXISTS board_state(
      id INTEGER PRIMARY KEY CHECK(id = 1), epoch TEXT NOT NULL, version INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS board_uploads(
      id TEXT PRIMARY KEY, name TEXT NOT NULL, media_type TEXT NOT NULL, data BLOB NOT NULL, created REAL NOT NULL);
    """,
)
