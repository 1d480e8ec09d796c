import { memberAt, decodeUtf8 } from '../../contract/json.js';
import type { Run } from '../../command/command.js';
import { absentFailure, requestGoneFailure, twoRequestsFailure } from '../refusals.js';
import { printerOfAnything } from '../../command/printer.js';
import { ageOf } from '../../contract/moment.js';
import { isRepeatableAt, type JournalRequest, type OpenRequest } from '../../storage/journal/request.js';
import { isoSeconds } from '../../runtime/clock.js';

export async function listRequests(run: Run): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfAnything(ports, flags, 'requests', {
    render: async () => (await import('../view.js')).renderPaymentList,
  });
  await using journal = await run.app.openJournal();
  const requests = await journal.openForDisplay();
  const requestTexts = requests.map((request) => requestJson(request, ports.clock.now()));
  await printer.answer(Buffer.from(`{"requests":[${requestTexts.join(',')}]}`));
}

export async function showRequest(run: Run, key: string): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfAnything(ports, flags);
  await using journal = await run.app.openJournal();
  const requests = await journal.open(key);
  if (requests.length === 0) throw absentFailure(await journal.withKey(key), run);
  const request = onlyRequest(requests);
  const body = `"body":${decodeUtf8(request.body).trim()}`;
  await printer.answer(Buffer.from(withMembers(summaryOf(request, ports.clock.now()), [body])));
}

export function onlyRequest([request, otherRequest]: readonly OpenRequest[]): OpenRequest {
  if (request === undefined) throw requestGoneFailure();
  if (otherRequest !== undefined) throw twoRequestsFailure(request);
  return request;
}

const SHOWN_MEMBERS = ['method', 'amount', 'currency', 'reference'] as const;

export function requestJson(request: JournalRequest, nowMs: number): string {
  const { body, amount, currency } = request;
  if (body === null)
    return JSON.stringify({ ...summaryOf(request, nowMs), method: null, amount, currency, reference: null });
  const members = SHOWN_MEMBERS.map((name) => {
    const range = memberAt(body, name);
    return `"${name}":${range === null ? 'null' : decodeUtf8(body, range.start, range.end)}`;
  });
  return withMembers(summaryOf(request, nowMs), members);
}

function summaryOf(request: JournalRequest, nowMs: number): object {
  const { by, underWayUntilMs: untilMs = null } = request.lastSending ?? {};
  const { idempotencyKey, endpoint, environment, address, keyMask } = request;
  return {
    idempotency_key: idempotencyKey,
    endpoint,
    environment,
    address,
    api_key: keyMask,
    created_at: isoSeconds(request.firstLeftMs),
    repeatable: isRepeatableAt(request, (then, sharedMs) =>
      ageOf(then, { ...then, serviceMs: nowMs, sharedMs }),
    ),
    ...(by !== undefined && { sent_by: by, under_way_until: untilMs === null ? null : isoSeconds(untilMs) }),
  };
}

function withMembers(object: object, members: readonly string[]): string {
  return `${[JSON.stringify(object).slice(0, -1), ...members].join(',')}}`;
}
