import type * as Interfaces from '@oclif/core/interfaces';
import type { PreparedRequest } from '../client/request.js';
import { KEY_PREFIX } from '../contract/access.js';
import { correctIdentifiers } from '../contract/identifiers.js';
import { maskPersonal } from '../contract/on-screen.js';
import { textIn } from '../contract/shape.js';
import type { Ports } from '../runtime/ports.js';
import { confirmLive } from './confirm.js';
import { type EndpointRun, printResult, throwUsage, openEndpoint } from '../command/call.js';
import type { GlobalFlags, SessionRun } from '../command/command.js';
import { checkBody, withDefaults, refuseUnaskable } from './create/check-body.js';
import { checkBeforeQuestion, finishCreate, sendCreate } from './create/send.js';
import { admitCreate } from './create/send-recorded.js';
import type { Ending } from '../command/ending.js';
import { throwCannotAsk, converse, mayAsk, printFlowEnd } from './dialogue/may-ask.js';
import type { FlowEnd } from './dialogue/run-dialogue.js';
import {
  bodyAssignments,
  type createFlags,
  assignment,
  type BuiltBody,
  BodyDraft,
  dataName,
  readData,
} from './body-flags.js';
import { printerFor, printerOfAnything } from '../command/printer.js';
import { catalogSource, type CatalogSource } from '../session/catalog.js';
import { createOptions } from './create/prepared-create.js';

type CreateFlags = GlobalFlags & Interfaces.InferredFlags<typeof createFlags>;
type CreateRun = EndpointRun<CreateFlags>;
type CreateSession = CreateRun & SessionRun<CreateFlags>;

export async function createOperation(run: CreateRun): Promise<void> {
  const sessionRun = await openEndpoint(run);
  const { flags, session, ports, endpointId } = sessionRun;
  const direction = endpointId === 'payins.create' ? 'payin' : 'payout';
  const mayAskPerson = mayAsk(sessionRun);
  if (flags.interactive && !mayAskPerson) throwCannotAsk(mayAskPerson);
  const data = await readData(flags, ports);
  const draft = BodyDraft.of(data, dataName(flags)).assigned(bodyAssignments(direction, flags));
  const catalog = catalogSource(session, ports);
  const startDialogue = async (): Promise<FlowEnd | null> => {
    const draftBody = draft.build();
    await refuseUnaskable(draftBody, direction, catalog);
    await session.guard.judgeDraft(prepare(sessionRun, draftBody).request);
    return converse(sessionRun, { direction, draft, id: null });
  };
  if (flags.interactive)
    return printFlowEnd(sessionRun, (await startDialogue()) ?? throwCannotAsk(mayAskPerson));
  const fullDraft = await withDefaults(draft, session.defaults, direction, catalog);
  const { members } = fullDraft.build();
  const capabilities = data === null ? await catalog.get() : null;
  const corrections =
    (capabilities && correctIdentifiers(capabilities, direction, (field) => textIn(members, field))) ?? [];
  for (const { field, value } of corrections)
    await session.note(`${field} is sent as ${maskPersonal(field, value)}.`);
  const changes = corrections.flatMap(({ field, value }) => assignment(`--${field}`, field, value));
  const body = fullDraft.assigned(changes).build();
  const check = await checkBody(body, direction, catalog);
  if (check.kind === 'refused') {
    const flowEnd = check.isMendable && mayAskPerson && data === null ? await startDialogue() : null;
    if (flowEnd === null) throw check.refusal;
    return printFlowEnd(sessionRun, flowEnd);
  }
  await sendBody(body, sessionRun, check.isCatalogChecked ? catalog : null);
}

async function sendBody(body: BuiltBody, run: CreateSession, catalog: CatalogSource | null): Promise<void> {
  const { flags, ports, endpointId } = run;
  const noteUnchecked = (verb: string): Promise<void> | null =>
    catalog === null
      ? run.session.note(`svc could not read the catalog: the request ${verb} unchecked.`)
      : null;
  const prepared = prepare(run, body);
  const preparedCreate = { run, prepared, options: await createOptions(flags, run) };
  if (flags['dry-run']) {
    const { dryRunCreate } = await import('./create/send-checked.js');
    const plannedRequest = await dryRunCreate(preparedCreate);
    await noteUnchecked('is');
    return printDryRun(plannedRequest, flags, ports);
  }
  const printer = await printerFor(ports, flags, endpointId);
  const checkedCreate = await checkBeforeQuestion(preparedCreate);
  await confirmLive(run, body.members, endpointId);
  await using journal = await run.app.openJournal();
  const create = await admitCreate(checkedCreate, journal);
  const end = await sendCreate(create);
  const print = async (): Promise<Ending> => {
    const { conversation, conclusion } = end.result;
    if (conclusion.outcome !== 'not_sent') await noteUnchecked('was sent');
    if (conversation.attempts.at(-1)?.kind === 'refused') catalog?.forget();
    return printResult(run, end.result, printer);
  };
  await finishCreate(end, print(), create);
}

function prepare(
  { session, endpointId, flags }: CreateSession,
  { bytes, members }: BuiltBody,
): PreparedRequest {
  try {
    return session.client.prepare(endpointId, { body: bytes, members }, flags['idempotency-key']);
  } catch (error) {
    return throwUsage(error);
  }
}

async function printDryRun({ request }: PreparedRequest, flags: GlobalFlags, ports: Ports): Promise<void> {
  const printer = await printerOfAnything(ports, { ...flags, output: 'json' });
  const { authorization = '' } = request.headers;
  const prefix = Object.values(KEY_PREFIX).find((one) => authorization.includes(one)) ?? '';
  const headers = { ...request.headers, authorization: `Bearer ${prefix}****` };
  const head = JSON.stringify({ method: request.method, url: request.url, headers });
  const body = Buffer.from(request.body ?? 'null').toString('utf8');
  await printer.answer(Buffer.from(`${head.slice(0, -1)},"body":${body.trim()}}`));
}
