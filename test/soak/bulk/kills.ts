import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Seeded } from '../../support/seeded.js';
import { csv, fileIn, people, type Cells } from '../../support/payroll.js';
import { testFolder } from '../../support/test-folder.js';
import { runClient, startClient, type Setting } from '../requests/client.js';
import { openLine, type Line } from '../requests/line.js';
import { startSandbox, type Sandbox, type Told } from '../sandbox.js';
import { ADMITTED, BadLine, POINTS, reach, reachAdmitted, type Point } from './points.js';

export interface ToSend {
  readonly name: string;
  readonly rows: readonly Cells[];
  readonly folder: string;
  readonly url: string;
  readonly sandbox: Sandbox;
}

export type WordsOf = (given: ToSend) => string[] | Promise<string[]>;

const fileWords: WordsOf = ({ name, rows, folder }) => [
  'payouts',
  'batch',
  fileIn(folder, `${name}.csv`, csv(rows)),
];

const ROWS = 12;
const KILLS_A_BATCH = 3;
const RUNS_MAX = 25;

export async function killBatches(
  program: string,
  kills: number,
  seed: number,
  points: readonly Point[] = POINTS,
  flags: readonly string[] = [],
  wordsOf: WordsOf = fileWords,
) {
  const home = testFolder();
  const sandbox = await startSandbox(join(home, 'service.db'), home);
  const line = await openLine(sandbox.port);
  const random = new Seeded(seed);
  const bad = new BadLine(random);
  const hits = Object.fromEntries([...POINTS, ADMITTED].map((point) => [point, 0])) as Record<Point, number>;
  const unsettled: string[] = [];
  const rows: Cells[] = [];
  try {
    let killed = 0;
    for (let count = 0; killed < kills && count < 2 * kills; count += KILLS_A_BATCH) {
      const name = `batch-${String(count)}`;
      const file = people(ROWS, (at) => ({ reference: `${name}-${String(at)}` }));
      rows.push(...file);
      const env = { SVC_BASE_URL: line.url, SVC_API_KEY: sandbox.key };
      const setting = { program, home: join(home, name), env };
      mkdirSync(setting.home);
      const given = { name, rows: file, folder: home, url: line.url, sandbox };
      const words = [...(await wordsOf(given)), '--concurrency', '4', '--json', ...flags];
      const sending = { setting, words, line, bad };
      for (let attempt = 0; attempt < KILLS_A_BATCH && killed < kills; attempt += 1) {
        const point = points[killed % points.length]!;
        if (!(await killOne(sending, point, random))) continue;
        hits[point] += 1;
        killed += 1;
      }
      const end = await runToEnd(name, sending);
      if (end !== null) unsettled.push(`${name}: ${end}`);
    }
    return { hits, met: bad.met, rows: rows.length, unsettled, ...(await compare(sandbox, rows)) };
  } finally {
    await line.close();
    await sandbox.stop();
  }
}

interface Sending {
  readonly setting: Setting;
  readonly words: string[];
  readonly line: Line;
  readonly bad: BadLine;
}

async function killOne({ setting, words, line, bad }: Sending, point: Point, random: Seeded) {
  const store = join(setting.home, '.local', 'state', 'svc', 'batches.db');
  const isAdmitted = point === ADMITTED;
  const arrived = isAdmitted ? reachAdmitted(line, store) : reach(point, line, bad, random, random.below(4));
  const client = startClient(setting, words, null);
  const isThere = await Promise.race([arrived.then(() => true), client.ended.then(() => false)]);
  await client.kill();
  [line.onPost, line.onRead] = [null, null];
  return isThere && (await client.ended) === null;
}

async function runToEnd(name: string, { setting, words, line, bad }: Sending): Promise<string | null> {
  let said = '';
  for (let run = 0; run < RUNS_MAX; run += 1) {
    line.onPost = run === 0 ? (post) => bad.meet(post) : null;
    const { code, stdout } = await runClient(setting, words);
    line.onPost = null;
    said = `${String(code)} ${stdout}`;
    if (code === 0 || code === 13) return (await isWhole(setting, name)) ? null : said;
  }
  return said;
}

async function isWhole(setting: Setting, name: string): Promise<boolean> {
  const { code, stdout } = await runClient(setting, ['batches', 'status', name, '--json']);
  return code === 0 && (JSON.parse(stdout) as { confirmed: number }).confirmed === ROWS;
}

async function compare(sandbox: Sandbox, rows: readonly Cells[]) {
  const operations = (await sandbox.operations()) as readonly (Told & { readonly amount: string })[];
  const expected = new Map(rows.map((row) => [row['reference'], row['amount']]));
  const paid = (reference: string): string[] =>
    operations.filter((one) => one.reference === reference).map(({ amount }) => amount);
  const names = (wanted: (reference: string, amount: string) => boolean): string[] =>
    [...expected].filter(([name = '', amount = '']) => wanted(name, amount)).map(([name = '']) => name);
  const cents = operations.reduce((sum, { amount }) => sum + Number(amount.replace('.', '')), 0);
  const balance = await sandbox.balance();
  const isBalanced = Number(balance.replace('.', '')) === -cents;
  return {
    doubled: names((reference) => paid(reference).length > 1),
    missing: names((reference, amount) => !paid(reference).includes(amount)),
    invented: operations.map(({ reference }) => reference).filter((reference) => !expected.has(reference)),
    unbalanced: isBalanced ? null : `${balance} after ${String(cents)} cents`,
  };
}
