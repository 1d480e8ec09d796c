/** The jobs of `svc requests` that send nothing: what left and was not answered, listed, shown, or forgotten. */
import { distinctRequests, type KeptIntent } from '../../journal/intent.js';
import type { Journal } from '../../journal/journal.js';
import type { GlobalFlags, House } from '../base.js';
import { openRequests } from '../create/keyed.js';
import { printerOfAnything } from '../printer.js';
import { notThere, twoRequests } from './request-failures.js';
import { requestAlone, requestLine } from './request-text.js';

/** Every request whose outcome is not known; what is personal in the bodies is left out. */
export async function listRequests({ ports }: House, flags: GlobalFlags): Promise<void> {
  const printer = await printerOfAnything(ports, flags, 'requests');
  const requests = await withJournal({ ports }, (journal) => distinctRequests(journal.list()));
  const lines = requests.map((intent) => requestLine(intent, ports.clock.now()));
  await printer.answer(Buffer.from(`{"requests":[${lines.join(',')}]}`));
}

/** One of them with its body, byte for byte. @throws Failure `not_found`; `unsafe` where two different ones have the key */
export async function showRequest({ ports }: House, key: string, flags: GlobalFlags): Promise<void> {
  const printer = await printerOfAnything(ports, flags);
  const intent = onlyRequest(await withJournal({ ports }, (journal) => journal.list(key)));
  await printer.answer(requestAlone(intent, ports.clock.now()));
}

/** Forgets one, or all: nothing is sent, and what may have been carried out stays so. @throws Failure `not_found` */
export async function forgetRequests(
  { ports }: House,
  key: string | undefined,
  flags: GlobalFlags,
): Promise<void> {
  const printer = await printerOfAnything(ports, flags);
  const forgotten = await withJournal({ ports }, (journal) => {
    const requests = distinctRequests(journal.list(key));
    journal.forget(key);
    return requests.length;
  });
  if (forgotten === 0 && key !== undefined) throw notThere();
  await printer.answer(Buffer.from(JSON.stringify({ forgotten })));
}

/** Works with the journal, and closes it. @throws Failure `local_state` where it can't be used */
export async function withJournal<T>(
  { ports }: Pick<House, 'ports'>,
  work: (journal: Journal) => T | Promise<T>,
): Promise<T> {
  const journal = await openRequests(ports);
  try {
    return await work(journal);
  } finally {
    journal.close();
  }
}

/** The one request among all sendings with a key. @throws Failure `not_found`, `unsafe` */
export function onlyRequest(sendings: readonly KeptIntent[]): KeptIntent {
  const [first, another] = distinctRequests(sendings);
  if (first === undefined) throw notThere();
  if (another !== undefined) throw twoRequests(first);
  return first;
}
