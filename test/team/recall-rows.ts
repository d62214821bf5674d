// For tests: thousands of rows in the index of recall of a tenant, made by the server.

/** Inside a transaction of the tenant: items of one passage each, in sessions of twenty, of two members. */
export const recallRows = (count: number): string => `
  INSERT INTO recall_scope (id, type, owner, value) OVERRIDING SYSTEM VALUE
    SELECT nextval(pg_get_serial_sequence('recall_scope', 'id')), type, owner, value FROM (
      SELECT 'all' AS type, 'u' || i AS owner, '' AS value FROM generate_series(0, 1) AS i
      UNION ALL SELECT 'repository', 'u' || i, 'acme/r' || r FROM generate_series(0, 1) AS i, generate_series(0, 9) AS r
      UNION ALL SELECT 'session', 'u' || (s % 2), 'old' || s FROM generate_series(0, ${count} / 20) AS s) AS s;
  INSERT INTO recall_scope_part (scope, slot, passages, words)
    SELECT id, 0, CASE type WHEN 'all' THEN ${count / 2} WHEN 'repository' THEN ${count / 20} ELSE 20 END, 100 FROM recall_scope;
  INSERT INTO recall_place (place, session, local, home, scopes)
    SELECT '{"session":"old' || n || '"}', 'old' || n, 0, s.id, s.id || ' ' || a.id || ' ' || r.id
    FROM generate_series(0, ${count} / 20) AS n
    JOIN recall_scope s ON s.type = 'session' AND s.value = 'old' || n
    JOIN recall_scope a ON a.type = 'all' AND a.owner = s.owner
    JOIN recall_scope r ON r.type = 'repository' AND r.owner = s.owner AND r.value = 'acme/r' || n % 10;
  INSERT INTO recall_mark (marks) SELECT '@' || replace(scopes, ' ', ' @') || ' #turn %user' FROM recall_place;
  INSERT INTO recall_mark_token (token, mark) SELECT DISTINCT unnest(string_to_array(marks, ' ')), id FROM recall_mark;
  INSERT INTO recall_item (id, key, kind, role, time, seq, turn, item, place, home, words, passage, passages, hash)
    SELECT nextval(pg_get_serial_sequence('recall_item', 'id')), 'old' || i, 'turn', 'user', 1700000000000 + i, i % 20, i % 20, 1,
      p.id, p.home, 5, nextval(pg_get_serial_sequence('recall_passage', 'id')), 1, decode(md5(i::text), 'hex')
    FROM generate_series(0, ${count} - 1) AS i JOIN recall_place p ON p.session = 'old' || i / 20;
  INSERT INTO recall_passage (id, item, start, words, hash, text)
    SELECT passage, id, 0, 5, hash, 'boat word' || id % 500 FROM recall_item;
  ANALYZE recall_item, recall_passage, recall_place, recall_mark;
  INSERT INTO recall_term (realm, word, id, mark)
    SELECT split_part(l.scopes, ' ', 2)::bigint, w, p.id, m.id FROM recall_passage p JOIN recall_item i ON i.id = p.item
    JOIN recall_place l ON l.id = i.place JOIN recall_mark m ON m.marks = '@' || replace(l.scopes, ' ', ' @') || ' #turn %user'
    CROSS JOIN LATERAL (VALUES (''), ('boat'), ('word' || p.item % 500), ('x' || p.id), ('harbour')) AS words(w)
    WHERE w <> 'harbour' OR i.seq = 1;
  INSERT INTO recall_vector (embedder, hash, dims, scale, vector, passage) SELECT 'e', hash, 4, 1, 'abcd', id FROM recall_passage;
  INSERT INTO recall_waiting (passage) SELECT id FROM recall_passage;
  INSERT INTO recall_note (name, value) SELECT 'n' || i, 'v' FROM generate_series(1, 2000) AS i;`;
