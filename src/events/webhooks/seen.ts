import { openDatabase } from '../../runtime/database.js';

const RETENTION_MS = 30 * 86_400_000;

const SEEN_KIND = {
  name: 'list of handled events',
  version: 1,
  applicationId: 0x73766357,
  schema: `
  CREATE TABLE seen (id TEXT PRIMARY KEY, seen_at INTEGER NOT NULL) WITHOUT ROWID, STRICT;
  CREATE INDEX seen_by_time ON seen (seen_at);
`,
};

export type SeenEvents = ReturnType<typeof openSeen>;

export function openSeen(file: string) {
  const db = openDatabase(file, SEEN_KIND);
  return {
    has: (id: string): boolean => db.query('SELECT 1 FROM seen WHERE id = ?').get(id) !== undefined,
    add: (id: string, nowMs: number): void => {
      db.transaction(() => {
        db.run('DELETE FROM seen WHERE seen_at < ?', nowMs - RETENTION_MS);
        db.run('INSERT INTO seen (id, seen_at) VALUES (?, ?) ON CONFLICT DO NOTHING', id, nowMs);
      });
    },
    close: (): void => db.close(),
  };
}
