/**
 * Every run has one of the mishaps. `npm run test:soak` makes 200 histories with all of them, and `SEED=n`
 * chooses another seed.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../../support/program.js';
import { recordFigures, under } from '../figures.js';
import { programOf } from '../requests/program.js';
import { MISHAPS, type Mishap, backUp, befall, machineIn, type Machine } from './mishaps.js';
import { csv, fileIn, people, type Cells } from '../../support/payroll.js';
import { Seeded } from '../../support/seeded.js';
import { testFolder } from '../../support/test-folder.js';
import { BadLine, POINTS, reach } from '../bulk/points.js';
import { KEY_OF_BATCH } from '../bulk/program.js';
import { openLine, type Line } from '../requests/line.js';
import { startSandbox, type Sandbox, type Told } from '../sandbox.js';
import { carryThrough, type, type Operator } from './operator.js';

const ROWS = 6;
const SLOW = '00000002';
const PAUSES = ['0s', '0s', '20m', '26h'] as const;

async function liveThrough(program: string, histories: number, seed: number, among: readonly Mishap[]) {
  const folder = testFolder();
  const sandbox = await startSandbox(join(folder, 'service.db'), folder, '--settle-after', '0');
  const line = await openLine(sandbox.port);
  const random = new Seeded(seed);
  const env = { SVC_BASE_URL: line.url, SVC_API_KEY: sandbox.key };
  const operator: Operator = { program, env, look: () => sandbox.operations() };
  const mishaps = Object.fromEntries(MISHAPS.map((mishap) => [mishap, 0])) as Record<Mishap, number>;
  const [rows, stuck, lied]: [Cells[], string[], string[]] = [[], [], []];
  try {
    for (let count = 0; count < histories; count += 1) {
      const name = `pay${String(count)}`;
      const mishap = among[count % among.length]!;
      const file = people(ROWS, (at) => ({
        reference: `${name}-${String(at)}`,
        ...(random.chance(0.2) ? { 'beneficiary.document.number': SLOW } : {}),
      }));
      rows.push(...file);
      mishaps[mishap] += 1;
      const history = new History(operator, line, random, folder, name);
      stuck.push(...(await history.run(fileIn(folder, `${name}.csv`, csv(file)), mishap, sandbox)));
      lied.push(...(await history.lies(await sandbox.operations())));
    }
    // A pending payment is in no event yet.
    await sandbox.advance('5m');
    const paid = Map.groupBy(await sandbox.operations(), ({ reference }) => reference);
    const references = rows.map((row) => row['reference'] ?? '');
    return {
      ...{ mishaps, rows: rows.length, lied, stuck },
      doubled: references.filter((reference) => (paid.get(reference)?.length ?? 0) > 1),
      lost: references.filter((reference) => !paid.has(reference)),
    };
  } finally {
    await line.close();
    await sandbox.stop();
  }
}

class History {
  readonly #bad: BadLine;
  #machines: Machine[] = [];

  constructor(
    private readonly operator: Operator,
    private readonly line: Line,
    private readonly random: Seeded,
    private readonly folder: string,
    private readonly name: string,
  ) {
    this.#bad = new BadLine(random);
  }

  async run(file: string, mishap: Mishap, sandbox: Sandbox): Promise<string[]> {
    const { random, operator, name } = this;
    const [machine, other] = [machineIn(this.folder, `${name}-a`), machineIn(this.folder, `${name}-b`)];
    const command = (batch: string) => `svc payouts batch --batch ${batch} --concurrency 2 --json -- ${file}`;
    const isEarly = random.chance(0.5);
    if (isEarly) {
      await this.#begin(machine, command(name));
      backUp(machine);
    }
    await this.#begin(machine, command(name));
    if (!isEarly) backUp(machine);
    if (random.chance(0.5)) await this.#begin(machine, command(name));
    const pause = random.pick(PAUSES);
    this.#machines = befall(mishap, machine, other);
    if (pause !== '0s') await sandbox.advance(pause);
    const stuck: string[] = [];
    for (const one of this.#machines) {
      // People who no longer find a batch often give it another name.
      const batch = random.chance(0.3) ? `${name}-again` : name;
      const said = await carryThrough(operator, one, command(batch));
      if (said !== null) stuck.push(`${name}, ${mishap}, ${pause}: ${said}`);
    }
    return stuck;
  }

  async #begin(machine: Machine, command: string): Promise<void> {
    const { line, random, operator } = this;
    if (random.chance(0.4)) {
      line.onPost = (post) => this.#bad.meet(post);
      await type(operator, machine, command);
    } else {
      const arrived = reach(random.pick(POINTS), line, this.#bad, random, random.below(4));
      await type(operator, machine, command, (kill) => void arrived.then(kill));
    }
    [line.onPost, line.onRead] = [null, null];
  }

  async lies(operations: readonly Told[]): Promise<string[]> {
    const byId = new Map(operations.map((operation) => [operation.id, operation]));
    const lies: string[] = [];
    for (const machine of this.#machines) {
      const linesOf = async (command: string): Promise<string[]> =>
        (await type(this.operator, machine, command)).stdout.split('\n').filter((text) => text !== '');
      for (const batch of await linesOf('svc batches list --json --jq ".batches[].batch"')) {
        for (const line of await linesOf(`svc batches export --state confirmed -o ndjson -- ${batch}`)) {
          const row = JSON.parse(line) as { reference: string; operation_id: string };
          if (byId.get(row.operation_id)?.reference !== row.reference) lies.push(`${batch}: ${line}`);
        }
      }
    }
    return lies;
  }
}

const SOAK = process.env['SOAK'] !== undefined;
const AMONG: readonly Mishap[] = SOAK ? MISHAPS : ['another machine that knows nothing'];
const HISTORIES = SOAK ? 203 : AMONG.length;
const CONTROL_HISTORIES = SOAK ? 20 : 1;
const SEED = Number(process.env['SEED'] ?? 1);
const LIMIT = { timeout: 3_600_000 };

function record(
  run: string,
  { mishaps, rows, doubled, lost, lied, stuck }: Awaited<ReturnType<typeof liveThrough>>,
): void {
  const counts = {
    ...under('stores', mishaps),
    rows,
    'references paid twice': doubled.length,
    'references lost': lost.length,
    'rows called confirmed that nobody paid': lied.length,
    'payrolls that never came to their end': stuck.length,
  };
  recordFigures({ suite: 'Batches, their stores lost, restored or copied', run, counts });
}

it(`${String(HISTORIES)} histories: every reference is paid once (SEED=${String(SEED)})`, LIMIT, async () => {
  const report = await liveThrough(PROGRAM, HISTORIES, SEED, AMONG);
  const { mishaps, rows, ...faults } = report;
  expect(faults).toEqual({ doubled: [], lost: [], lied: [], stuck: [] });
  expect(rows).toBe(HISTORIES * 6);
  for (const mishap of AMONG) expect(mishaps[mishap], mishap).toBeGreaterThanOrEqual(1);
  record(`seed ${String(SEED)}`, report);
});

describe('the harness sees', () => {
  it('a key of the batch, and nobody asked', LIMIT, async () => {
    const report = await liveThrough(await programOf(KEY_OF_BATCH), CONTROL_HISTORIES, SEED, [
      'another machine that knows nothing',
      'everything lost',
    ]);
    expect(report.doubled.length).toBeGreaterThan(0);
    record('control: a key of the batch, and nobody asked', report);
  });
});
