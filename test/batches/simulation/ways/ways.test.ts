import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { expect, it } from 'vitest';
import { ROOT } from '../../../house/source.js';
import { requestsOf } from '../books.js';
import type { Ended } from '../machine.js';
import { type Cell, CELLS, tableOf } from './cells.js';
import { BATCH, OTHER_BATCH, REFERENCE, Scene } from './scene.js';

const LINES_MAX = 10;
const WHERE = /(?: --(?:live|json|concurrency \S+|batch \S+|confirm-total \S+))/g;
const LOOKS = /^svc (?:batches (?:export|status)|transactions get|operations list|events list|requests list)/;

it.each(CELLS)('a $of that is $state, where the service has: $answer', async (cell) => {
  const { lines, end, payments, trace } = await walk(cell);
  expect({ lines, end }, trace).toEqual({ lines: cell.lines, end: cell.end });
  expect(payments, trace).toBeLessThanOrEqual(1);
});

it('stands in the page for unknown outcomes; with -u, vitest writes it there', async () => {
  const path = join(ROOT, 'docs/unknown-outcomes.md');
  const page = readFileSync(path, 'utf8');
  const [before, , after] = page.split(/^<!-- (?:The ways on.*|End of the ways on\.) -->\n/m);
  const head =
    '<!-- The ways on, from test/batches/simulation/ways/cells.ts: every line is tried. Do not edit. -->\n';
  const end = '<!-- End of the ways on. -->\n';
  const tables = `${head}\n${tableOf('row')}\n\n${tableOf('request')}\n\n${end}`;
  const options = { ...(await resolveConfig(path)), filepath: path };
  await expect(await format(`${before ?? ''}${tables}${after ?? ''}`, options)).toMatchFileSnapshot(path);
});

async function walk(cell: Cell) {
  const scene = new Scene();
  const { world, machine } = scene;
  const [lines, trace]: [string[], string[]] = [[], []];
  try {
    world.mean('payout', REFERENCE);
    await cell.begin(scene);
    let read = await linesOf(scene.last, scene);
    const looked = new Set<string>();
    for (let count = 0; count < LINES_MAX; count += 1) {
      const line = choose(read, scene, looked, lines.at(-1));
      trace.push(`read ${JSON.stringify(read)}`);
      if (line === null) break;
      const isLook = LOOKS.test(line);
      const short = shortOf(line, scene);
      if (short !== lines.at(-1)) lines.push(short);
      const ended = await scene.follow(line);
      trace.push(`$ ${line} -> ${String(ended.exitCode)} ${ended.error?.message ?? ''}`);
      if (ended.exitCode === 8 || ended.exitCode === 10) scene.hours(1000);
      if (isLook) looked.add(line);
      else read = await linesOf(ended, scene);
    }
    const end = await endOf(cell, scene);
    const again = await world.type(machine, scene.line, 1);
    trace.push(
      `the first line again -> ${String(again.exitCode)} ${again.error?.message ?? ''}`,
      ...world.log,
    );
    const isPassing = (line: string, at: number): boolean => LOOKS.test(line) && at < lines.length - 1;
    const bracketed = lines.map((line, at) => (isPassing(line, at) ? `(${line})` : line));
    return { lines: bracketed, end, payments: scene.payments, trace: trace.join('\n') };
  } finally {
    world.end();
  }
}

async function endOf({ of }: Cell, scene: Scene): Promise<string> {
  if (of === 'row') return (await scene.row()) ?? 'refused';
  const isOpen = (await requestsOf(scene.machine)).some(({ state }) => state === 'open');
  return isOpen ? 'open' : (scene.known?.status ?? 'nothing');
}

async function linesOf(ended: Ended | null, scene: Scene): Promise<string[]> {
  const lines = ended === null || ended.isKilled ? [] : linesIn(ended);
  const isDone = lines.some((line) => !LOOKS.test(line));
  if (isDone || (await scene.row()) === null) return lines;
  return [...lines, ...linesIn(await scene.status('batches', 'status', BATCH))];
}

function linesIn({ stdout, stderr, error }: Ended): string[] {
  const text = error === null ? `${stdout}\n${stderr}` : error.message;
  const inText = text.split('\n').flatMap((line) => {
    if (line.includes('another payment')) return [];
    return [...line.matchAll(/"(svc [^"]+)"|(?:^\s*|: )(svc .+?)(?=, or --not-paid|$)/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? '',
    );
  });
  const next = error?.next_command ?? null;
  return [...(next === null ? [] : [next]), ...inText.filter((line) => line !== next)];
}

function choose(
  lines: readonly string[],
  scene: Scene,
  looked: ReadonlySet<string>,
  before: string | undefined,
): string | null {
  const decisions = lines.filter((line) => line.includes(' resolve '));
  const acts = lines.filter((line) => !decisions.includes(line) && !LOOKS.test(line));
  const isAsked = decisions.length > 0;
  const act = acts.find((line) => !isAsked || (looked.size === 0 && shortOf(line, scene) !== before));
  if (act !== undefined) return act;
  const look = lines.find((line) => LOOKS.test(line) && !looked.has(line));
  if (look !== undefined) return look;
  const { known } = scene;
  const isPaid = known !== null && known.status !== 'failed';
  const line = decisions.find((one) => one.includes(isPaid ? '--operation' : '--not-paid')) ?? decisions[0];
  if (line === undefined) return null;
  const said = isPaid ? line.replace(/\bID\b/, known.id) : line.replace('--operation ID', '--not-paid');
  return said.replace(/\bREF\b/, REFERENCE);
}

function shortOf(line: string, { world, machine }: Scene): string {
  const short = line.replaceAll(WHERE, '').replace(/-- \S+$/, 'KEY');
  const words = world.service.ledger.reduce((text, { id }) => text.replace(id, 'ID'), short);
  return words
    .replace(new RegExp(`${machine.home}\\S+`), 'FILE')
    .replace(`--reference ${REFERENCE}`, '--reference REF')
    .replace(new RegExp(`\\b${BATCH}\\b`), 'NAME')
    .replace(new RegExp(`\\b${OTHER_BATCH}\\b`), 'OTHER');
}
