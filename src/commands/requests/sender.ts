/** Whether a kept request may be sent with this key, to this address: only for the company that sent it. */
import type { KeptRequest } from '../../journal/request.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import { lookUp } from '../../cli/call/looking-up.js';
import { openAllMirrors } from '../../cli/stores/books.js';
import { isSameSender, type Sender } from '../../cli/session/address.js';
import type { RepeatWorld } from './repetition.js';
import { otherCompany, unknownCompany } from '../../cli/create/request-failures.js';

/** @throws Failure `unsafe`: `other_company`, or `company_unknown` where nothing shows it */
export async function requireSender(request: KeptRequest, here: Sender, world: RepeatWorld): Promise<void> {
  if (isSameSender(request, here, world.session)) return;
  const { journal, session, ports, flags } = world;
  const operation =
    journal.newestOf(request.keyPrint, request.environment) ?? (await newestInMirror(request, ports));
  if (operation === null) {
    if (flags['same-company'] !== true) throw unknownCompany(request);
    if (session.environment !== 'live' || flags.yes) return;
    throw new Failure('unsafe', 'Live, --same-company is confirmed with --yes. Nothing was sent.', {
      code: 'not_confirmed',
      outcome: 'unknown',
      idempotencyKey: request.idempotencyKey,
    });
  }
  if ((await lookUp(operation, world)) === null) throw otherCompany(request);
}

/** The newest operation of the company that the request's key belonged to; null where the mirror does not know it. */
async function newestInMirror(
  { environment, origin, keyPrint }: KeptRequest,
  ports: Ports,
): Promise<string | null> {
  const mirrors = await openAllMirrors(ports);
  try {
    const company = await mirrors.companyOf({ environment, origin, keyPrint });
    return company === null ? null : ((await mirrors.of(company).newest())?.id ?? null);
  } finally {
    await mirrors.close();
  }
}
