import { foldReference } from '../../../src/contract/reference.js';
import type { ShownRow } from '../../../src/storage/batches/row.js';
import { batchesOf, type BatchBook } from './books.js';
import type { Machine } from './machine.js';
import { HOUR_MS, type CompanyName, type Operation } from './service.js';
import type { SimulatedWorld } from './world.js';

const CLOCKS_MS = HOUR_MS / 6;

export async function resolveAll(
  world: SimulatedWorld,
  machine: Machine,
  name: string,
  company: CompanyName = 'A',
): Promise<void> {
  const book = (await batchesOf(machine)).find(({ batch }) => batch.name === name);
  if (book === undefined) return;
  for (const row of book.rows)
    if (row.state === 'needs_review') await resolveRow(world, machine, book, row, company);
}

async function resolveRow(
  world: SimulatedWorld,
  machine: Machine,
  { batch }: BatchBook,
  row: ShownRow,
  company: CompanyName,
): Promise<void> {
  const decide = async (...words: string[]): Promise<string> => {
    const named = [batch.name, '--reference', row.reference];
    const line = ['batches', 'resolve', ...named, ...words, '--live', '--json'];
    const { error } = await world.type(machine, line, 0, company);
    return error?.code ?? 'ok';
  };
  if (row.code === 'contradicted' && row.operation !== null) {
    await decide('--operation', row.operation);
    return;
  }
  const held = await heldBy(machine, batch.name, row.number);
  const shown = world.service
    .shown(company, batch.direction, row.reference)
    .filter(({ id }) => !held.has(id));
  const paid = shown.filter(({ status }) => status !== 'failed');
  const [candidate, ...others] = shown.filter(
    (one) => Number(one.amount) === Number(row.amount) && one.createdAtMs >= (row.sentAtMs ?? 0) - CLOCKS_MS,
  );
  const isOnly = candidate !== undefined && others.length === 0 && paid.every((one) => one === candidate);
  if (isOnly && (await decide('--operation', candidate.id)) === 'ok') return;
  const said = await decide('--not-paid');
  if (said === 'ok') return;
  const own = world.service.madeUnder(company, row.key);
  const isFailed = own?.status === 'failed' && said === 'not_confirmed';
  if (own !== null && !isFailed && ['payment_exists', 'operation_found', 'not_confirmed'].includes(said)) {
    const isOfReference = foldReference(own.reference) === foldReference(row.reference);
    if (isOfReference && (await decide('--operation', own.id)) !== 'ok' && said === 'operation_found')
      await decideLast(paid, decide);
    return;
  }
  if (said === 'not_confirmed' && world.ask(company, row.reference, row.key)) await decide('--not-paid');
  else if (said === 'operation_found') await decideLast(paid, decide);
}

async function decideLast(
  paid: readonly Operation[],
  decide: (...words: string[]) => Promise<string>,
): Promise<void> {
  const last = paid.at(-1);
  if (last !== undefined) await decide('--operation', last.id);
}

async function heldBy(machine: Machine, name: string, number: number): Promise<Set<string>> {
  const held = new Set<string>();
  for (const { batch, rows } of await batchesOf(machine))
    for (const row of rows)
      if (
        row.operation !== null &&
        row.state !== 'needs_review' &&
        !(batch.name === name && row.number === number)
      )
        held.add(row.operation);
  return held;
}
