/** Setup file of the first tier: a test that starts a process, a server or a thread fails at once. */
import child from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import threads from 'node:worker_threads';

function refused(): never {
  throw new Error(
    'This test starts a process, a server or a thread: import test/support/starting.ts, and it runs in `npm run test:all`.',
  );
}

Object.assign(child, {
  ...{ spawn: refused, exec: refused, execFile: refused, fork: refused },
  ...{ spawnSync: refused, execSync: refused, execFileSync: refused },
});
net.Server.prototype.listen = refused;
Object.assign(threads, { Worker: refused });
syncBuiltinESMExports();
