/** The way of the receiver's exam to the receiver: events as samples, sent as deliveries are sent; and the user's commands that look and prepare. */
import { CommandFailed, type ParcelAnswer, type ReceiverSide } from '../../certify/receiver.js';
import type { ExamEvent, Parcel } from '../../certify/parcels.js';
import { askLine } from '../../cli/beside/own-program.js';
import { EVENT_TYPES, type EventType } from '../../contract/events.js';
import { LIMITS } from '../../contract/limits.js';
import { isoSeconds } from '../../runtime/clock.js';
import type { Environ, Ports } from '../../runtime/ports.js';
import { sampleEvent } from '../../webhook/sample.js';
import { type DeliveryAnswer, post, type Receiver } from '../../webhook/sending.js';

interface Commands {
  readonly effect?: string | undefined;
  readonly given?: string | undefined;
}

/** @param receiver with a connection of its own for each delivery */
export function receiverSide(
  ports: Ports,
  receiver: Receiver,
  secret: string,
  { effect, given }: Commands,
): Omit<ReceiverSide, 'onCase'> {
  const ask = async (flag: string, line: string, event: ExamEvent): Promise<string> => {
    const answer = await askLine(ports, line, variablesOf(event));
    if ('problem' in answer) throw new CommandFailed(`the command of ${flag} ${answer.problem}`);
    return answer.text;
  };
  return {
    clock: ports.clock,
    signal: ports.signal,
    secret,
    event: (type) => examEvent(ports, type),
    send: (parcel) => send(receiver, parcel),
    sendAndCut: (parcel) => sendAndCut(receiver, parcel),
    look: effect === undefined ? null : (event) => ask('--effect', effect, event),
    give:
      given === undefined
        ? null
        : async (event) => {
            await ask('--given', given, event);
          },
  };
}

/** What both commands are told of the event. */
function variablesOf({ operationId, reference, eventId, type, amount, currency }: ExamEvent): Environ {
  return {
    SVC_OPERATION_ID: operationId,
    SVC_REFERENCE: reference,
    SVC_EVENT_ID: eventId,
    SVC_TYPE: type,
    SVC_AMOUNT: amount,
    SVC_CURRENCY: currency,
  };
}

interface SampleText {
  readonly data: { readonly id: string; readonly amount: string; readonly currency: string };
}

/** A new event; of a type that the contract does not have it carries what a confirmed pay-in does. */
function examEvent({ random, clock }: Ports, type: string): ExamEvent {
  const known: EventType = EVENT_TYPES.find((one) => one === type) ?? 'payin.confirmed';
  const ids = { eventId: random.uuid(), operationId: random.uuid(), nowIso: isoSeconds(clock.now()) };
  const reference = `certify-${ids.eventId.slice(0, 8)}`;
  const sample = JSON.parse(
    sampleEvent(known, ids, [{ path: ['reference'], text: reference }]),
  ) as SampleText;
  const { id: operationId, amount, currency } = sample.data;
  const text = JSON.stringify({ ...sample, type });
  return { eventId: ids.eventId, type, operationId, reference, amount, currency, text };
}

async function send(receiver: Receiver, { method, headers, body }: Parcel): Promise<ParcelAnswer> {
  return inWords(await post(receiver, body, headers, method));
}

/** What was written arrives, though its connection ends: the sooner it does, the more receivers are still at work. */
const CUT_AFTER_MS = 2;

/** An answer that comes sooner than the cut is as good as lost: nobody reads it. */
async function sendAndCut(receiver: Receiver, { headers, body }: Parcel): Promise<void> {
  const { clock, signal } = receiver;
  const cut = new AbortController();
  const onLeaving = (): void => {
    clock.sleep(CUT_AFTER_MS, signal).then(
      () => cut.abort(new Error('cut')),
      () => undefined,
    );
  };
  const cuttable = { ...receiver, onLeaving, signal: AbortSignal.any([signal, cut.signal]) };
  try {
    await post(cuttable, body, headers);
  } catch (error) {
    signal.throwIfAborted();
    if (!cut.signal.aborted) throw error;
  }
}

function inWords({ error, ...answer }: DeliveryAnswer): ParcelAnswer {
  const isLate = error?.startsWith('no complete answer within') === true;
  return { ...answer, error: isLate ? `none within ${String(LIMITS.receiverAnswerMs / 1000)} s` : error };
}
