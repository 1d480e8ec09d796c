import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/serving.js';
import type { PostgresServer } from '../../support/postgres.js';

const NOBODY = 65_534;
const PGBOUNCER = '/usr/sbin/pgbouncer';

/** Returns null if no disk can be mounted. */
export async function smallDisk(server: PostgresServer, megabytes: number) {
  const home = mkdtempSync(join(tmpdir(), 'svc-disk-'));
  try {
    const words = ['-t', 'tmpfs', '-o', `size=${String(megabytes)}m`, 'tmpfs', home];
    execFileSync('mount', words, { stdio: 'ignore' });
  } catch {
    rmSync(home, { recursive: true });
    process.stderr.write('No small disk can be mounted here (that takes root): a full one is skipped.\n');
    return null;
  }
  const folder = join(home, 'tables');
  mkdirSync(folder);
  chownSync(home, NOBODY, NOBODY);
  chownSync(folder, NOBODY, NOBODY);
  await server.query(`CREATE TABLESPACE small LOCATION '${folder}'`);
  await server.query('ALTER DATABASE postgres SET default_tablespace = small');
  const filler = join(home, 'filler');
  return {
    fill: () => {
      try {
        writeFileSync(filler, Buffer.alloc(megabytes << 20));
      } catch {
        // The disk is full now.
      }
    },
    clear: () => rmSync(filler, { force: true }),
    end: async () => {
      await server.stop();
      execFileSync('umount', [home]);
      rmSync(home, { recursive: true });
    },
  };
}

/** The pooler gives each statement a transaction of its own. Returns null if no pooler is installed. */
export async function pooler(server: PostgresServer): Promise<{ port: number; end(): Promise<void> } | null> {
  if (!existsSync(PGBOUNCER)) {
    process.stderr.write('pgbouncer is not installed: what goes through it is skipped.\n');
    return null;
  }
  const home = mkdtempSync(join(tmpdir(), 'svc-pooler-'));
  const { host, port: target, user, password } = server.address;
  const port = await freePort();
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const users = join(home, 'users.txt');
  writeFileSync(users, `${quoted(user)} ${quoted(password)}\n`);
  const file = join(home, 'pgbouncer.ini');
  const settings = `[databases]
* = host=${host} port=${String(target)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${String(port)}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 4
max_client_conn = 100
`;
  writeFileSync(file, settings);
  for (const path of [home, users, file]) if (process.getuid?.() === 0) chownSync(path, NOBODY, NOBODY);
  const asUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(PGBOUNCER, [file], { stdio: 'ignore', ...asUser });
  return {
    port,
    end: async () => {
      const ended = new Promise((done) => child.once('exit', done));
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await ended;
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}
