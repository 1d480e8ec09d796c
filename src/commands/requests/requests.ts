/** The jobs of `svc requests` that send nothing: what left and was not answered, listed, shown, or forgotten. */
import type { OpenRequest } from '../../journal/request.js';
import type { Run } from '../../cli/command.js';
import { printerOfAnything } from '../../cli/printing/printer.js';
import { withJournal } from '../../cli/stores/books.js';
import { notThere, twoRequests } from '../../cli/create/request-failures.js';
import { requestAlone, requestLine } from './request-text.js';

/** Every request whose outcome is not known; what is personal in the bodies is left out. */
export async function listRequests({ ports, flags }: Run): Promise<void> {
  const printer = await printerOfAnything(ports, flags, 'requests');
  const requests = await withJournal(ports, (journal) => journal.open());
  const lines = requests.map((request) => requestLine(request, ports.clock.now()));
  await printer.answer(Buffer.from(`{"requests":[${lines.join(',')}]}`));
}

/** One of them with its body, byte for byte. @throws Failure `not_found`; `unsafe` where two different ones have the key */
export async function showRequest({ ports, flags }: Run, key: string): Promise<void> {
  const printer = await printerOfAnything(ports, flags);
  const request = onlyRequest(await withJournal(ports, (journal) => journal.open(key)));
  await printer.answer(requestAlone(request, ports.clock.now()));
}

/** Forgets one, or all: nothing is sent, and what may have been carried out stays so. @throws Failure `not_found` */
export async function forgetRequests({ ports, flags }: Run, key: string | undefined): Promise<void> {
  const printer = await printerOfAnything(ports, flags);
  const forgotten = await withJournal(ports, (journal) => journal.forget(key));
  if (forgotten === 0 && key !== undefined) throw notThere();
  await printer.answer(Buffer.from(JSON.stringify({ forgotten })));
}

/** The one request with a key. @throws Failure `not_found`, `unsafe` */
export function onlyRequest([first, another]: readonly OpenRequest[]): OpenRequest {
  if (first === undefined) throw notThere();
  if (another !== undefined) throw twoRequests(first);
  return first;
}
