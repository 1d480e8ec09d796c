import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox, type Sandbox } from '../sandbox.js';
import { payoutLine, runClient, startClient, type Setting } from './client.js';
import { openLine, type Line } from './line.js';
import { fullStreamAt, isBeforeLeaving, POINTS, reach, type Point } from './points.js';

interface Killed {
  readonly reference: string;
  readonly point: Point;
}

export async function killClients(program: string, kills: number, points: readonly Point[] = POINTS) {
  const home = mkdtempSync(join(tmpdir(), 'svc-kills-'));
  const sandbox = await startSandbox(join(home, 'service.db'), home);
  const line = await openLine(sandbox.port);
  try {
    const setting = { program, home, env: { SVC_BASE_URL: line.url, SVC_API_KEY: sandbox.key } };
    const warm = await runClient(setting, [...payoutLine('warming up'), '--idempotency-key', 'warming-up']);
    // A program that cannot create would look like a program that was killed.
    if (warm.code !== 0) throw new Error(`a create that nobody kills ended with ${String(warm.code)}`);
    await runClient(setting, ['batches', 'list']);
    const killed: Killed[] = [];
    const told = new Map<string, string>();
    for (let count = 0; count < kills; count += 1) {
      const one = { reference: `payout-${String(count)}-`, point: points[count % points.length]! };
      const stdout = await killOne(setting, line, one);
      killed.push(one);
      if (stdout !== '') remember(stdout, told);
    }
    const unsettled = await repeatEverything(setting, told);
    const counts = await compare(sandbox, killed, told);
    const refused = await typeAgain(sandbox, setting, killed);
    const hits = POINTS.map((point) => [point, killed.filter((one) => one.point === point).length] as const);
    return { ...counts, unsettled, refused, hits: Object.fromEntries(hits) as Record<Point, number> };
  } finally {
    await line.close();
    await sandbox.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function killOne(setting: Setting, line: Line, { reference, point }: Killed): Promise<string> {
  const cold = { ...setting.env, XDG_CACHE_HOME: join(setting.home, `cold-${reference}`) };
  const env = point === 'before the journal' ? cold : setting.env;
  const client = startClient({ ...setting, env }, payoutLine(reference), fullStreamAt(point));
  const { pid, ended, stdout: shown } = client;
  const state = join(setting.home, '.local/state/svc');
  const books = { journal: join(state, 'requests.db'), batches: join(state, 'batches.db') };
  const arrived = reach(point, { ...books, pid, line, reference, shown, ended });
  const early = ended.then(() => Promise.reject(new Error(`the client ended before it was ${point}`)));
  early.catch(() => undefined);
  const free = await Promise.race([arrived, early]);
  await client.kill();
  free();
  [line.onPost, line.onRead] = [null, null];
  const stdout = shown();
  if ((await ended) !== null || (stdout !== '') !== (point === 'shown, not settled')) {
    throw new Error(`the client was not killed where it was ${point}: it had written "${stdout}"`);
  }
  return stdout;
}

async function repeatEverything(setting: Setting, told: Map<string, string>): Promise<string[]> {
  const unsettled: string[] = [];
  for (const key of await listed(setting)) {
    const { code, stdout } = await runClient(setting, ['requests', 'repeat', key]);
    if (code === 0) remember(stdout, told);
    else unsettled.push(`${key} ended with ${String(code)}`);
  }
  return [...unsettled, ...(await listed(setting))];
}

async function typeAgain(sandbox: Sandbox, setting: Setting, killed: readonly Killed[]): Promise<string[]> {
  const refused: string[] = [];
  for (const { reference, point } of killed.filter((one) => isBeforeLeaving(one.point))) {
    const { code } = await runClient(setting, payoutLine(reference));
    const made = (await sandbox.operations()).filter((one) => one.reference === reference);
    if (code !== 0 || made.length !== 1)
      refused.push(`${reference} (${point}) ended with ${String(code)}, ${String(made.length)} made`);
  }
  return refused;
}

async function listed(setting: Setting): Promise<string[]> {
  const { stdout } = await runClient(setting, ['requests', 'list', '--json']);
  const { requests } = JSON.parse(stdout) as { requests: { idempotency_key: string }[] };
  return requests.map(({ idempotency_key: key }) => key);
}

function remember(stdout: string, told: Map<string, string>): void {
  const { id, reference } = JSON.parse(stdout) as { id: string; reference: string };
  told.set(reference, id);
}

async function compare(sandbox: Sandbox, killed: readonly Killed[], told: ReadonlyMap<string, string>) {
  const operations = (await sandbox.operations()).filter(({ reference }) => reference !== 'warming up');
  const count = (reference: string): number => operations.filter((one) => one.reference === reference).length;
  const names = (wanted: (one: Killed) => boolean): string[] =>
    killed.filter(wanted).map(({ reference, point }) => `${reference} (${point})`);
  const expected = (-10.01 * (operations.length + 1)).toFixed(2);
  const balance = await sandbox.balance();
  return {
    doubled: names(({ reference }) => count(reference) > 1),
    missing: names(({ reference, point }) => count(reference) === 0 && !isBeforeLeaving(point)),
    invented: names(({ reference, point }) => count(reference) > 0 && isBeforeLeaving(point)),
    untold: operations.flatMap(({ id, reference }) => (told.get(reference) === id ? [] : [reference])),
    unbalanced: balance === expected ? null : `${balance} is not ${expected}`,
  };
}
