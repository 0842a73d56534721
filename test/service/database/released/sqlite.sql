-- A store that vals 0.1.0 made: three people, of whom two have vals.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE owner (id TEXT NOT NULL, token TEXT NOT NULL) STRICT;
INSERT INTO owner VALUES('b5003743-916b-4bbc-8322-7e39599b622d','vals_local_of_the_release');
CREATE TABLE versions (
      val_id TEXT NOT NULL REFERENCES vals (id) ON DELETE CASCADE,
      version INTEGER NOT NULL, code BLOB NOT NULL, created_at TEXT NOT NULL,
      PRIMARY KEY (val_id, version)
    ) STRICT;
INSERT INTO versions VALUES('58344060-d0ae-4d99-a012-254595a03d50',1,X'6578706f72742064656661756c74202829203d3e202268656c6c6f20616461223b0a','2026-11-16T07:12:12.397Z');
INSERT INTO versions VALUES('58344060-d0ae-4d99-a012-254595a03d50',2,X'6578706f72742064656661756c74202829203d3e202268656c6c6f20616761696e223b0a','2026-11-16T07:12:13.015Z');
INSERT INTO versions VALUES('4918a042-0afc-4db8-baa6-0d8b2df5e93a',1,X'6578706f72742064656661756c74202829203d3e202268656c6c6f20616761696e223b0a','2026-11-16T07:12:13.478Z');
INSERT INTO versions VALUES('f5137e84-988f-4e66-a165-35c5d99dd955',1,X'6578706f72742064656661756c74202829203d3e202268656c6c6f20626f62223b0a','2026-11-16T07:12:14.984Z');
CREATE TABLE users (
        id TEXT PRIMARY KEY, username TEXT NOT NULL UNIQUE, token_digest TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL
      ) STRICT;
INSERT INTO users VALUES('b5003743-916b-4bbc-8322-7e39599b622d','local','63c431fc08baed91f57bacf7a7306dbee068369c917c8def2d860c07e7673e55','2026-11-16T07:12:10.968Z');
INSERT INTO users VALUES('5f93c62f-7af7-47a8-a856-a62a68d61aaa','ada','5de84d908e27c93ce4e00bb115ec751b5c829e46c8f7cbad59a0a569294431da','2026-11-16T07:12:11.003Z');
INSERT INTO users VALUES('4ca50caa-1efd-4b23-b75a-16035b380964','bob','15f1d5c36e736f087e9c8379112ea109bfe8624585885ae9ffd9f9d5a95eeb56','2026-11-16T07:12:11.710Z');
CREATE TABLE IF NOT EXISTS "vals" (
        id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id), name TEXT NOT NULL, readme BLOB,
        privacy TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
        last_version INTEGER NOT NULL DEFAULT 0, UNIQUE (owner_id, name)
      ) STRICT;
INSERT INTO vals VALUES('58344060-d0ae-4d99-a012-254595a03d50','5f93c62f-7af7-47a8-a856-a62a68d61aaa','hello',NULL,'private','2026-11-16T07:12:12.397Z','2026-11-16T07:12:13.015Z',2);
INSERT INTO vals VALUES('4918a042-0afc-4db8-baa6-0d8b2df5e93a','5f93c62f-7af7-47a8-a856-a62a68d61aaa','shared',X'23205368617265640a','public','2026-11-16T07:12:13.478Z','2026-11-16T07:12:13.478Z',1);
INSERT INTO vals VALUES('f5137e84-988f-4e66-a165-35c5d99dd955','4ca50caa-1efd-4b23-b75a-16035b380964','hello',NULL,'private','2026-11-16T07:12:14.984Z','2026-11-16T07:12:14.984Z',1);
CREATE TABLE IF NOT EXISTS "records" (
        position INTEGER PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        kind TEXT NOT NULL, key TEXT NOT NULL, at TEXT NOT NULL, tag TEXT, val_id TEXT, val_name TEXT, json TEXT NOT NULL,
        UNIQUE (owner_id, kind, key)
      ) STRICT;
INSERT INTO records VALUES(1,'5f93c62f-7af7-47a8-a856-a62a68d61aaa','runs','3724a9c7-4c0a-443d-821e-fe5be65647cd','2026-11-16T07:12:14.195000000Z','passed','58344060-d0ae-4d99-a012-254595a03d50','hello','{"id":"3724a9c7-4c0a-443d-821e-fe5be65647cd","val":{"id":"58344060-d0ae-4d99-a012-254595a03d50","name":"hello","version":2},"runStartAt":"2026-11-16T07:12:14.195Z","runEndAt":"2026-11-16T07:12:14.503Z","error":null}');
CREATE INDEX vals_by_change ON vals (owner_id, updated_at DESC, name);
CREATE INDEX vals_public ON vals (owner_id, updated_at DESC, name) WHERE privacy = 'public';
CREATE INDEX records_by_time ON records (owner_id, kind, at DESC);
CREATE INDEX records_by_tag ON records (owner_id, kind, tag, at DESC);
CREATE INDEX records_by_val ON records (kind, val_id, at DESC);
CREATE INDEX records_by_val_and_tag ON records (kind, val_id, tag, at DESC);
CREATE INDEX records_unclaimed ON records (owner_id, val_name) WHERE val_id IS NULL;
PRAGMA application_id = 1986096243;
PRAGMA user_version = 4;
COMMIT;
