-- A database that vals 0.1.0 made: two people with vals.
CREATE SCHEMA vals;
CREATE TABLE vals.owner (
    id text NOT NULL,
    token text NOT NULL
);
CREATE TABLE vals.records (
    "position" bigint NOT NULL,
    owner_id text NOT NULL,
    kind text NOT NULL,
    key text NOT NULL,
    at text NOT NULL COLLATE pg_catalog."C",
    tag text,
    val_id text,
    val_name text,
    json text NOT NULL
);
ALTER TABLE vals.records ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME vals.records_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE vals.store_version (
    version integer NOT NULL
);
CREATE TABLE vals.users (
    id text NOT NULL,
    username text NOT NULL COLLATE pg_catalog."C",
    token_digest text NOT NULL,
    created_at text NOT NULL
);
CREATE TABLE vals.vals (
    id text NOT NULL,
    owner_id text NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    readme bytea,
    privacy text NOT NULL,
    created_at text NOT NULL COLLATE pg_catalog."C",
    updated_at text NOT NULL COLLATE pg_catalog."C",
    last_version integer DEFAULT 0 NOT NULL
);
CREATE TABLE vals.versions (
    val_id text NOT NULL,
    version integer NOT NULL,
    code bytea NOT NULL,
    created_at text NOT NULL COLLATE pg_catalog."C"
);
INSERT INTO vals.records OVERRIDING SYSTEM VALUE VALUES (1, '8366c96d-e618-4bd9-b47f-b662554ad463', 'runs', 'c2f334ae-4e74-4b39-a0ef-02ef5c9fcdb9', '2026-11-16T07:12:19.330000000Z', 'passed', 'f0b00882-5f86-4cab-a077-f6934507fc63', 'hello', '{"id":"c2f334ae-4e74-4b39-a0ef-02ef5c9fcdb9","val":{"id":"f0b00882-5f86-4cab-a077-f6934507fc63","name":"hello","version":2},"runStartAt":"2026-11-16T07:12:19.330Z","runEndAt":"2026-11-16T07:12:19.454Z","error":null}');
INSERT INTO vals.store_version VALUES (1);
INSERT INTO vals.users VALUES ('8366c96d-e618-4bd9-b47f-b662554ad463', 'ada', 'a1cecd0263ad3e3f93c12b86f45ed0e41032556624a8085a82a1c3383750b736', '2026-11-16T07:12:16.146Z');
INSERT INTO vals.users VALUES ('5c6e8f2e-c88c-46b6-b2b0-df2b54d51e00', 'bob', 'bb4658fb38a7cd45174e070dea880c131fd418d724a1d64d2aed450141615fdf', '2026-11-16T07:12:16.822Z');
INSERT INTO vals.vals VALUES ('f0b00882-5f86-4cab-a077-f6934507fc63', '8366c96d-e618-4bd9-b47f-b662554ad463', 'hello', NULL, 'private', '2026-11-16T07:12:17.481Z', '2026-11-16T07:12:17.902Z', 2);
INSERT INTO vals.vals VALUES ('7f4f6aa6-939f-460b-8ec0-d062650832d7', '8366c96d-e618-4bd9-b47f-b662554ad463', 'shared', '\x23205368617265640a', 'public', '2026-11-16T07:12:18.565Z', '2026-11-16T07:12:18.565Z', 1);
INSERT INTO vals.vals VALUES ('87298873-5fcc-4c93-bc0d-18ba8727adae', '5c6e8f2e-c88c-46b6-b2b0-df2b54d51e00', 'hello', NULL, 'private', '2026-11-16T07:12:19.767Z', '2026-11-16T07:12:19.767Z', 1);
INSERT INTO vals.versions VALUES ('f0b00882-5f86-4cab-a077-f6934507fc63', 1, '\x6578706f72742064656661756c74202829203d3e202268656c6c6f20616461223b0a', '2026-11-16T07:12:17.481Z');
INSERT INTO vals.versions VALUES ('f0b00882-5f86-4cab-a077-f6934507fc63', 2, '\x6578706f72742064656661756c74202829203d3e202268656c6c6f20616761696e223b0a', '2026-11-16T07:12:17.902Z');
INSERT INTO vals.versions VALUES ('7f4f6aa6-939f-460b-8ec0-d062650832d7', 1, '\x6578706f72742064656661756c74202829203d3e202268656c6c6f20616761696e223b0a', '2026-11-16T07:12:18.565Z');
INSERT INTO vals.versions VALUES ('87298873-5fcc-4c93-bc0d-18ba8727adae', 1, '\x6578706f72742064656661756c74202829203d3e202268656c6c6f20626f62223b0a', '2026-11-16T07:12:19.767Z');
SELECT pg_catalog.setval('vals.records_position_seq', 1, true);
ALTER TABLE ONLY vals.records
    ADD CONSTRAINT records_owner_id_kind_key_key UNIQUE (owner_id, kind, key);
ALTER TABLE ONLY vals.records
    ADD CONSTRAINT records_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY vals.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY vals.users
    ADD CONSTRAINT users_token_digest_key UNIQUE (token_digest);
ALTER TABLE ONLY vals.users
    ADD CONSTRAINT users_username_key UNIQUE (username);
ALTER TABLE ONLY vals.vals
    ADD CONSTRAINT vals_owner_id_name_key UNIQUE (owner_id, name);
ALTER TABLE ONLY vals.vals
    ADD CONSTRAINT vals_pkey PRIMARY KEY (id);
ALTER TABLE ONLY vals.versions
    ADD CONSTRAINT versions_pkey PRIMARY KEY (val_id, version);
CREATE INDEX records_by_tag ON vals.records USING btree (owner_id, kind, tag, at DESC, "position");
CREATE INDEX records_by_time ON vals.records USING btree (owner_id, kind, at DESC, "position");
CREATE INDEX records_by_val ON vals.records USING btree (kind, val_id, at DESC, "position");
CREATE INDEX records_by_val_and_tag ON vals.records USING btree (kind, val_id, tag, at DESC, "position");
CREATE INDEX records_unclaimed ON vals.records USING btree (owner_id, val_name) WHERE (val_id IS NULL);
CREATE INDEX vals_by_change ON vals.vals USING btree (owner_id, updated_at DESC, name);
CREATE INDEX vals_public ON vals.vals USING btree (owner_id, updated_at DESC, name) WHERE (privacy = 'public'::text);
ALTER TABLE ONLY vals.owner
    ADD CONSTRAINT owner_id_fkey FOREIGN KEY (id) REFERENCES vals.users(id);
ALTER TABLE ONLY vals.records
    ADD CONSTRAINT records_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES vals.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY vals.vals
    ADD CONSTRAINT vals_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES vals.users(id);
ALTER TABLE ONLY vals.versions
    ADD CONSTRAINT versions_val_id_fkey FOREIGN KEY (val_id) REFERENCES vals.vals(id) ON DELETE CASCADE;
