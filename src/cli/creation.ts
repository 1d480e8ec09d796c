/** What both creates share: a body from flags and data, the check before anything leaves, and a key that is noted first. */
import type * as Interfaces from '@oclif/core/interfaces';
import type { Prepared } from '../client/preparation.js';
import { KEY_PREFIX } from '../contract/access.js';
import type { Direction } from '../contract/operation.js';
import type { Ports } from '../runtime/ports.js';
import { confirmLive } from './call/confirmation.js';
import {
  type EndpointInput,
  type EndpointRun,
  present,
  presentOver,
  usageOf,
  withEndpoint,
} from './call/endpoint-call.js';
import type { GlobalFlags } from './command.js';
import { isAskable } from './create/body-refusal.js';
import { checkBeforeSending, parseBody, missingPlace, refuseUnaskable } from './create/create-check.js';
import { lookThenAsk, sendKeyed } from './create/keyed.js';
import { keyedOptions } from './create/keyed-create.js';
import { converse, presentFlow, sendOrAsk } from './dialogue/asking.js';
import type { FlowEnd } from './dialogue/flow.js';
import { bodyAssignments, type createFlags } from './line/body-flags.js';
import { assignment, buildBody } from './line/body.js';
import { dataName, readData } from './line/data.js';
import { printerFor, printerOfAnything } from './printing/printer.js';
import { catalogSource, type CatalogSource } from './session/catalog.js';
import type { SessionRun } from './session/session.js';

type CreateFlags = GlobalFlags & Interfaces.InferredFlags<typeof createFlags>;
/** A create at work. */
type CreateRun = EndpointRun<CreateFlags>;
type CreateSession = CreateRun & SessionRun<CreateFlags>;

/** A body, and the catalog it was checked against. */
interface CreateInput extends EndpointInput {
  readonly body: Uint8Array;
  readonly catalog: CatalogSource;
}

/**
 * Sends; where a person may be asked for what is missing, the dialogue takes its place.
 * @throws Failure by the table of exit codes, Stopped
 */
export function createOperation(run: CreateRun): Promise<void> {
  return withEndpoint(run, async (open) => {
    const direction = directionOf(open);
    const ask = async (): Promise<FlowEnd | null> => {
      const draft = await draftOf(open);
      const catalog = catalogSource(open.session, open.ports);
      await refuseUnaskable(draft, direction, catalog);
      return converse(open, { kind: 'new', direction, draft });
    };
    const flow = await sendOrAsk(
      open,
      () => send(open),
      ask,
      (detail) => isAskable(detail, direction),
    );
    if (flow === null) return;
    await presentFlow(open, open.row, flow, presentOver(open));
  });
}

function directionOf({ row }: CreateRun): Direction {
  return row === 'payins.create' ? 'payin' : 'payout';
}

async function send(run: CreateSession): Promise<void> {
  const { flags, ports, row } = run;
  const input = await inputOf(run);
  const prepared = prepare(run, input);
  const options = keyedOptions(flags, run);
  if (flags['dry-run']) {
    const { keyedDryRun } = await import('./create/listed.js');
    return printDryRun(await keyedDryRun({ run, prepared, options }), flags, ports);
  }
  const printer = await printerFor(ports, flags, row);
  const asked = await lookThenAsk({ run, prepared, options }, () =>
    confirmLive(run, parseBody(input.body), row),
  );
  await sendKeyed(asked, (sent) => {
    if (sent.conversation.attempts.at(-1)?.kind === 'refused') input.catalog.forget();
    return present(run, sent, printer);
  });
}

async function inputOf(run: CreateSession): Promise<CreateInput> {
  const { session, ports } = run;
  const catalog = catalogSource(session, ports);
  const direction = directionOf(run);
  const draft = await draftOf(run);
  const place = await missingPlace(parseBody(draft), session.defaults, direction, catalog);
  const body = buildBody(draft, [
    ...assignment('--country', 'country', place.country),
    ...assignment('--currency', 'currency', place.currency),
  ]);
  const isChecked = await checkBeforeSending(body, direction, catalog);
  if (!isChecked) await session.note('svc could not read the catalog, so it sends the request unchecked.');
  return { body, catalog };
}

/** The body as flags and data give it, whatever is missing. @throws Failure `usage` */
async function draftOf(run: CreateRun): Promise<Uint8Array> {
  const { flags, ports } = run;
  const data = await readData(flags, ports);
  return buildBody(data, bodyAssignments(directionOf(run), flags), dataName(flags));
}

function prepare({ session, row, flags }: CreateSession, input: EndpointInput): Prepared {
  try {
    return session.client.prepare(row, input, flags['idempotency-key']);
  } catch (error) {
    return usageOf(error);
  }
}

/** Prints `method`, `url`, `headers` and `body`; the body's own bytes stand in it unchanged. Always JSON. @throws Failure `usage` */
async function printDryRun({ request }: Prepared, flags: GlobalFlags, ports: Ports): Promise<void> {
  const printer = await printerOfAnything(ports, { ...flags, output: 'json' });
  const headers = { ...request.headers, authorization: masked(request.headers['authorization'] ?? '') };
  const head = JSON.stringify({ method: request.method, url: request.url, headers });
  const body = Buffer.from(request.body ?? 'null').toString('utf8');
  await printer.answer(Buffer.from(`${head.slice(0, -1)},"body":${body.trim()}}`));
}

function masked(authorization: string): string {
  const prefix = Object.values(KEY_PREFIX).find((candidate) => authorization.includes(candidate)) ?? '';
  return `Bearer ${prefix}****`;
}
